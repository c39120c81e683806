/**
 * A folder that is held open, so that what is done in it is done in this folder even if its path leads elsewhere
 * meanwhile.
 *
 * Node has no `openat`. On Linux the path of the open descriptor (`/proc/self/fd/N`) has the same effect. Elsewhere the
 * path itself is used, and `isInPlace` tells afterwards whether it still leads to the folder that is held; a swap there
 * and back between the two goes unnoticed.
 */
import { constants } from "node:fs";
import { open, realpath, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

/** Windows has neither; there a folder cannot be opened at all. */
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

export interface Folder {
  /** The path of an entry, for one operation on it. */
  at(name: string): string;
  /** Opens a folder in this one; a symbolic link is not followed. */
  enter(name: string): Promise<Folder>;
  /** Whether the path that the folder was opened by still leads to it. */
  isInPlace(): Promise<boolean>;
  /** Puts what was renamed in it on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** `real` is a path without symbolic links. Rejects where it has become one. */
export async function openFolder(real: string): Promise<Folder> {
  return hold(real, real);
}

async function hold(real: string, path: string): Promise<Folder> {
  const handle = process.platform === "win32" ? undefined : await open(path, FOLDER_FLAGS);
  const base = handle !== undefined && process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : real;
  return {
    at: (name) => join(base, name),
    enter: (name) => hold(join(real, name), join(base, name)),
    isInPlace: () => leadsTo(real, handle),
    sync: async () => handle?.sync(),
    close: async () => handle?.close(),
  };
}

async function leadsTo(real: string, handle: FileHandle | undefined): Promise<boolean> {
  if ((await realpath(real)) !== real) return false;
  if (handle === undefined) return true;
  const [held, found] = await Promise.all([handle.stat(), stat(real)]);
  return held.dev === found.dev && held.ino === found.ino;
}
