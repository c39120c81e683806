/** What SQLite's result codes mean to us; the code decides, never the text. See sqlite.org/rescode.html. */
import { RepertoireError } from "../../core/errors.ts";

const PERM = 3;
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
/** A process lost the race for WAL's locks again and again; like BUSY, nothing has happened yet. */
const PROTOCOL = 15;
const NOTADB = 26;

/**
 * What a disk without room gives where SQLite has no code of its own for it: a quota, or no space for the `-shm` file.
 */
const IOERR_WRITE = 778;
const IOERR_SHMSIZE = 4874;

/** Whether another process holds the lock, so that the same statement may succeed later. */
export function isBusy(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === BUSY || code === PROTOCOL;
}

/**
 * The error that a caller sees: a `RepertoireError` for a broken world, and the error itself when it is a bug of ours.
 */
export function storeErrorOf(error: unknown, path: string): unknown {
  const extended = resultCodeOf(error);
  if (extended === IOERR_WRITE || extended === IOERR_SHMSIZE) return fullError(path, error);
  switch (primaryCodeOf(error)) {
    case BUSY:
    case PROTOCOL:
      return new RepertoireError("STORE_BUSY", `${path} has been locked by another process for too long`, {
        hint: "Find the process that holds it (`fuser` or `lsof` on the file), let it finish or end it, and try again.",
        cause: error,
      });
    case FULL:
      return fullError(path, error);
    case CORRUPT:
    case NOTADB:
      return damagedError(path, "it is not a whole SQLite database", error);
    case IOERR:
      return damagedError(path, "the disk failed to read or write it", error);
    case PERM:
    case READONLY:
    case CANTOPEN:
      return new RepertoireError("HOME_UNSAFE", `${path} cannot be opened for writing`, {
        hint: "Make the file and its folder writable for this user, or set REPERTOIRE_HOME to another folder.",
        cause: error,
      });
    default:
      return error;
  }
}

export function damagedError(path: string, reason: string, cause?: unknown): RepertoireError {
  return new RepertoireError("STORE_DAMAGED", `${path} is damaged: ${reason}`, {
    hint:
      "Check the disk, then restore a backup of it (with its -wal file, if there is one), or move it aside to start again " +
      "with an empty library.",
    cause,
  });
}

export function fullError(path: string, cause: unknown): RepertoireError {
  return new RepertoireError("STORE_FULL", `There is no room on the disk to write to ${path}`, {
    hint: "Free some space (or raise the quota) and try again; what was acknowledged before is safe.",
    cause,
  });
}

function primaryCodeOf(error: unknown): number | undefined {
  const code = resultCodeOf(error);
  return code === undefined ? undefined : code & 0xff;
}

function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}
