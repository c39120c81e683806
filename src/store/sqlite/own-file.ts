/**
 * Whether the path of an open database still names the file that is open. A file that was deleted or replaced is
 * written to without complaint, and everything in it is lost at the next start: so it is asked before every commit. Two
 * `stat`s take some µs, a commit some ms.
 *
 * The same goes for the `-wal` file: what is committed is in there alone until it is moved, and another process that
 * finds none makes its own. SQLite makes it with the first statement, and it stays for as long as anyone has the
 * database open.
 */
import { statSync } from "node:fs";
import { RepertoireError } from "../../core/errors.ts";

export interface OwnFile {
  /** Throws `STORE_GONE` unless the path names the file that was there at first. */
  require(): void;
}

export function rememberFile(path: string): OwnFile {
  const known = new Map<string, string | undefined>();
  const isSame = (file: string): boolean => {
    const now = identityOf(file);
    const before = known.get(file);
    if (before === undefined) known.set(file, now);
    return before === undefined || before === now;
  };
  const require = (): void => {
    if (!isSame(path) || !isSame(`${path}-wal`)) throw goneError(path);
  };
  require();
  return { require };
}

/** Undefined where there is no file. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

function goneError(path: string): RepertoireError {
  return new RepertoireError("STORE_GONE", `${path} was deleted, moved or replaced while it was open`, {
    hint:
      "Nothing more is written. Restart the gateway to use the file that is there now. Until then the old one is still open in " +
      `process ${process.pid}: copy it first if it is needed (on Linux from /proc/${process.pid}/fd, with its -wal file).`,
  });
}
