/**
 * Says whether the file under the database's name is ours, from its first hundred bytes and before SQLite touches it:
 * opening alone can replay a journal or move a WAL, and a file that is not ours must keep every byte.
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
  type Stats,
} from "node:fs";
import { RepertoireError } from "../../core/errors.ts";
import { requireKnownVersion } from "../schema-version.ts";
import { homeErrorOf } from "./home.ts";
import { damagedError } from "./sqlite-error.ts";

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
