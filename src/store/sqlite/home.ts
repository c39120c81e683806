/** The folder that holds everything Repertoire keeps; only its owner may read it. */
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from "node:fs";
import { messageOf, RepertoireError } from "../../core/errors.ts";
import { fullError } from "./sqlite-error.ts";

/** The database's file; SQLite's own files and our temporary ones begin with the same name. */
export const DATABASE_NAME = "repertoire.db";

const OTHERS = 0o077;

/** Makes the folder when it is missing, and makes it private when it is plainly ours. */
export function requireHome(home: string): void {
  try {
    if (!statSync(home, { throwIfNoEntry: false })?.isDirectory()) makeHome(home);
    makePrivate(home);
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw homeErrorOf(error, home);
  }
}

/** The mode that mkdir is given passes through the umask; chmod's does not. */
function makeHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chmodSync(home, 0o700);
}

function makePrivate(home: string): void {
  // Windows has no such bits; a user's profile folder is private there.
  if (process.platform === "win32" || (statSync(home).mode & OTHERS) === 0) return;
  const names = readdirSync(home);
  const isOurs = names.includes(DATABASE_NAME) || names.every((name) => name.startsWith(DATABASE_NAME));
  if (!isOurs) {
    throw new RepertoireError(
      "HOME_UNSAFE",
      `Other users can look into ${home}, and it holds files of something else`,
      {
        hint: `Run \`chmod 700 "${home}"\` if the folder is meant for Repertoire, or set REPERTOIRE_HOME to another folder.`,
      },
    );
  }
  chmodSync(home, 0o700);
}

/** What an error of the file system means for the home folder; any other error stays itself. */
export function homeErrorOf(error: unknown, path: string): unknown {
  const code = fileErrorCodeOf(error);
  if (code === undefined) return error;
  if (code === "ENOSPC" || code === "EDQUOT") return fullError(path, error);
  return new RepertoireError("HOME_UNSAFE", `${path} cannot be used: ${messageOf(error)}`, {
    hint: "Make it a folder that this user may read and write, or set REPERTOIRE_HOME to another folder.",
    cause: error,
  });
}

/** The `code` of an error that a system call gave, such as `EEXIST`. */
export function fileErrorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
