/**
 * A folder of capabilities as files: `<namespace>/<action>.ts` and `.jsonc`, as a git repository holds them.
 *
 * What a stranger put there is read with care: a link is never followed, a pipe or a device never opened, and files,
 * bytes and names are bounded. Files of other names are left alone. A process that may write into the folder while it
 * is read could still swap a folder for a link. This file has what reading (reading.ts) and writing (writing.ts) share.
 */
import { constants, type Dirent } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { messageOf } from "../../core/errors.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import { failWith, type PortableChecked } from "./portable.ts";

/** The largest header and the largest source, with room to spare. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

/** A value, or why there is none. */
export type Outcome<T> = { readonly value: T } | { readonly problem: string };

/** All of a regular file, if it is not too large. */
export async function readBytes(path: string): Promise<Outcome<Buffer>> {
  let file;
  try {
    // Non-blocking, so that a pipe that took the file's place cannot hold the process.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return { problem: "this is not a regular file" };
    if (stats.size <= FILE_BYTES_MAX) return await readWhole(file, stats.size);
    return { problem: `the file has ${stats.size} bytes; the limit is ${FILE_BYTES_MAX}` };
  } catch (error) {
    return { problem: `the file cannot be read (${codeOf(error)})` };
  } finally {
    await file?.close();
  }
}

/** The size is what was told a moment ago: one byte more is asked for, and must not come. */
async function readWhole(file: FileHandle, size: number): Promise<Outcome<Buffer>> {
  const buffer = Buffer.alloc(size + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) return { value: buffer.subarray(0, length) };
    length += bytesRead;
  }
  return { problem: "the file grew while it was read; try again" };
}

type EntryKind = "file" | "folder" | "link" | "pipe, socket or device";

/** What is at the path itself, without following a link; undefined where nothing is. */
export async function kindAt(path: string): Promise<EntryKind | undefined> {
  try {
    return kindOf(await lstat(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

export function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): EntryKind {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "pipe, socket or device";
}

/** Code and a workflow of one name: only one of them can have it. */
export function findTwins(paths: readonly string[]): string[] {
  const seen = new Map<string, string>();
  return paths.flatMap((path) => {
    const name = path.slice(0, path.lastIndexOf("."));
    const other = seen.get(name);
    seen.set(name, path);
    return other === undefined
      ? []
      : [escapeUnprintable(`${path}: ${other} has the same name; keep one of them`)];
  });
}

export function problemsOf(checked: PortableChecked): readonly string[] {
  return checked.ok ? [] : checked.problems;
}

/** What could lead out of the folder is no mistake of spelling: it has a code of its own. */
export function refuse(refused: readonly string[], hint: string): ToolResult<never> {
  const failure = failWith(refused.map(escapeUnprintable), hint);
  return failure.success ? failure : fail("SECURITY_ERROR", failure.error.message, { hint });
}

/** The code of a system error, such as ENOENT; of another, its message. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? messageOf(error);
}

export function failOutside(message: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", message, {
    hint: "Check the path and its permissions, and try again.",
  });
}
