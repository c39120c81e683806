/**
 * The file of the database: whether it is ours, whether it is still the one that was opened, and a copy of it.
 *
 * Whether it is ours is read from its first hundred bytes, before SQLite touches it: opening alone can replay a journal
 * or move a WAL, and a file that is not ours must keep every byte.
 *
 * The application id is written once, before the file gets its name, so what the header says of it is final. Its schema
 * version may lag behind the WAL; it only ever grows, so "newer" can be trusted and "not newer" is asked again through
 * SQLite.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readSync,
  statSync,
  existsSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { RepertoireError } from "../../core/errors.ts";
import { requireKnownVersion } from "../schema-version.ts";
import { homeErrorOf, DATABASE_NAME } from "./home.ts";
import { damagedError, storeErrorOf } from "./sqlite-error.ts";
import { openHandle } from "./sqlite-handle.ts";

/** "RPRT": marks a database as Repertoire's. */
export const APPLICATION_ID = 0x52505254;

/** See sqlite.org/fileformat2.html, section 1.3. */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

export function isPresent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Throws unless the file is a database of ours that this version can read; makes it private where it is not. */
export function requireOwnDatabase(path: string, latestVersion: number): void {
  try {
    const file = lstatSync(path);
    if (!file.isFile()) throw foreignError(path, "it is not a regular file");
    requireOwnHeader(path, file, latestVersion);
    if (process.platform !== "win32" && (file.mode & 0o177) !== 0) chmodSync(path, 0o600);
    // SQLite opens a file that it may not write for reading only, and says so at the first write.
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw homeErrorOf(error, path);
  }
}

function requireOwnHeader(path: string, file: Stats, latestVersion: number): void {
  if (file.size === 0) throw damagedError(path, "it is empty");
  const header = readHeader(path);
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw damagedError(path, "it is not a SQLite database");
  }
  if (header.readInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) {
    throw foreignError(path, "it is the database of another program");
  }
  requireKnownVersion(header.readInt32BE(USER_VERSION_AT), latestVersion, path);
}

/** Zeroes where the file is shorter. */
function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  return header;
}

function foreignError(path: string, reason: string): RepertoireError {
  return new RepertoireError("STORE_FOREIGN", `${path} is not a database of Repertoire: ${reason}`, {
    hint: "Nothing was changed. Move it aside, or set REPERTOIRE_HOME to another folder.",
  });
}

export interface OwnFile {
  /** Throws `STORE_GONE` unless the path names the file that was there at first. */
  require(): void;
}

/**
 * Whether the path of an open database still names the file that is open. A file that was deleted or replaced is
 * written to without complaint, and everything in it is lost at the next start: so it is asked before every commit. Two
 * `stat`s take some µs, a commit some ms.
 *
 * The same goes for the `-wal` file: what is committed is in there alone until it is moved, and another process that
 * finds none makes its own. SQLite makes it with the first statement, and it stays for as long as anyone has the
 * database open.
 */
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

/** Copies the database of one home into another, as it is at one moment, also while others write to it. */
export function copyDatabase(fromHome: string, toHome: string): void {
  const path = join(fromHome, DATABASE_NAME);
  if (!existsSync(path)) return;
  const database = openHandle(path);
  try {
    database.prepare("VACUUM INTO ?").run(join(toHome, DATABASE_NAME));
  } finally {
    database.close();
  }
}

/** The schema version of a file that is there, without bringing it up to date. */
export function readFileVersion(path: string): number {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return Number(database.prepare("pragma user_version").get()?.["user_version"] ?? 0);
    } finally {
      database.close();
    }
  } catch (error) {
    throw storeErrorOf(error, path);
  }
}
