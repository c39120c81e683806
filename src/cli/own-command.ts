/** How this very program is started, from any folder, by a program that knows nothing of this shell. */
import { accessSync, constants, realpathSync } from "node:fs";
import { posix } from "node:path";

export interface OwnProcess {
  readonly platform: NodeJS.Platform;
  /** The script, as `process.argv[1]` has it. */
  readonly script: string;
  readonly execPath: string;
  /** `PATH`. */
  readonly searchPath: string | undefined;
  /** Where links lead to; `undefined` for what is not there or cannot be run. */
  readonly realPathOf: (path: string) => string | undefined;
}

export interface OwnCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** It stands in a folder that a package runner may clear at any time. */
  readonly isTemporary: boolean;
}

const BIN_NAME = "repertoire";
/** Folders that are in PATH for the time of one command only. */
const PASSING_FOLDER = /[\\/]node_modules[\\/]\.bin[\\/]?$/;
const RUNNER_CACHE = /[\\/](?:_npx|dlx(?:-[^\\/]*)?)[\\/]/;

/**
 * The bare name where the shell's PATH leads to this script by it, else Node and the script, both in full. `isAbsolute` asks for
 * the latter in any case: desktop programs have a PATH of their own. On Windows the name is that of a batch file, which a
 * client cannot start without a shell.
 */
export function findOwnCommand(own: OwnProcess, isAbsolute = false): OwnCommand {
  const script = own.realPathOf(own.script) ?? own.script;
  const isInstalled = !isAbsolute && own.platform !== "win32" && isOnPath(own, script);
  if (isInstalled) return { command: BIN_NAME, args: [], isTemporary: false };
  return { command: own.execPath, args: [script], isTemporary: RUNNER_CACHE.test(script) };
}

/** The first of that name counts, as in a shell. Folders that are not the same from everywhere do not. */
function isOnPath({ searchPath, realPathOf }: OwnProcess, script: string): boolean {
  for (const folder of (searchPath ?? "").split(posix.delimiter)) {
    if (!posix.isAbsolute(folder) || PASSING_FOLDER.test(folder)) continue;
    const found = realPathOf(posix.join(folder, BIN_NAME));
    if (found !== undefined) return found === script;
  }
  return false;
}

/** This process. */
export function ownProcess(): OwnProcess {
  return {
    platform: process.platform,
    script: process.argv[1] ?? "",
    execPath: process.execPath,
    searchPath: process.env["PATH"],
    realPathOf(path) {
      try {
        accessSync(path, constants.R_OK);
        return realpathSync(path);
      } catch {
        return undefined;
      }
    },
  };
}
