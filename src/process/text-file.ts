/**
 * Reads a small text file that someone else may have put there. It never waits and never reads without end: a pipe or a
 * device is refused before it is opened, again after (it may have been swapped), and the bytes are bounded while
 * reading.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { messageOf } from "../core/errors.ts";

/** A config with a thousand servers has 200 KiB. */
export const FILE_BYTES_MAX = 1024 * 1024;

type FileRead =
  | { readonly ok: true; readonly text: string; readonly sha256: string }
  | { readonly ok: false; readonly missing: boolean; readonly message: string; readonly hint?: string };

/** Never throws: what is wrong with the file is a value. */
export function readTextFile(path: string, bytesMax: number = FILE_BYTES_MAX): FileRead {
  try {
    const problem = findStatProblem(statSync(path), bytesMax);
    if (problem !== undefined) return { ok: false, missing: false, ...problem };
    return readOpened(path, bytesMax);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return { ok: false, missing, message: describeFailure(error) };
  }
}

function readOpened(path: string, bytesMax: number): FileRead {
  // Without O_NONBLOCK, a pipe that took the file's place since the first look would block the whole process.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const problem = findStatProblem(fstatSync(fd), bytesMax);
    if (problem !== undefined) return { ok: false, missing: false, ...problem };
    const bytes = readBytes(fd, bytesMax);
    if (bytes === undefined) return { ok: false, missing: false, message: tooLarge(bytesMax) };
    return decode(bytes);
  } finally {
    closeSync(fd);
  }
}

function tooLarge(bytesMax: number): string {
  return `the file is larger than ${bytesMax} bytes`;
}

function findStatProblem(stats: Stats, bytesMax: number): { message: string; hint?: string } | undefined {
  if (stats.isDirectory()) return { message: "this is a folder", hint: "give the path of a file" };
  if (!stats.isFile()) {
    return { message: "this is a pipe, socket or device", hint: "give the path of a regular file" };
  }
  return stats.size > bytesMax ? { message: tooLarge(bytesMax) } : undefined;
}

const CHUNK_BYTES = 64 * 1024;

/** The size that `stat` tells is a hint: a file can grow, and those in /proc have none. */
function readBytes(fd: number, bytesMax: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= bytesMax) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(fd, chunk, 0, CHUNK_BYTES, null);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return undefined;
}

function decode(bytes: Buffer): FileRead {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  try {
    // The decoder drops a byte order mark by itself.
    return { ok: true, sha256, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, missing: false, message: "the file is not valid UTF-8", hint: "save it as UTF-8" };
  }
}

function describeFailure(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return "there is no such file";
    case "EACCES":
    case "EPERM":
      return "the file cannot be read: permission denied";
    case "ELOOP":
      return "the file is a symbolic link in a loop";
    default:
      return `the file cannot be read: ${messageOf(error)}`;
  }
}
