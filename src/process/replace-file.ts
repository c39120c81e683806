/**
 * Replaces a file as a whole: a new file beside it, then a rename, so a crash leaves the old bytes or the new ones. A link stays
 * a link, and a file that exists keeps its mode.
 */
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

/** Modes for what is not there yet; the process's mask takes from them what it always does. */
export interface NewModes {
  readonly file: number;
  readonly folder: number;
}

/** What holds secrets is its owner's alone. */
export const PRIVATE_MODES: NewModes = { file: 0o600, folder: 0o700 };
/** For files that a project shares. */
export const SHARED_MODES: NewModes = { file: 0o666, folder: 0o777 };

/** Longer chains of links lead in a circle. */
const LINK_COUNT_MAX = 40;

/** The file that a link leads to, also where that one is not there yet. */
export function resolveLink(path: string): string {
  let target = path;
  for (let count = 0; count < LINK_COUNT_MAX; count++) {
    try {
      return realpathSync(target);
    } catch {
      if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return target;
      target = resolve(dirname(target), readlinkSync(target));
    }
  }
  return path;
}

/** The mode bits of a file; `undefined` where there is none. */
export function modeOf(path: string): number | undefined {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o7777;
}

/** The topmost folder that must be made before a file can be written there, if any. */
export function findMissingFolder(path: string): string | undefined {
  let missing: string | undefined;
  for (let folder = dirname(resolveLink(path)); !existsSync(folder); folder = dirname(folder))
    missing = folder;
  return missing;
}

/** Writes a file in place of what a path leads to; a file that exists keeps its mode unless one is given. Throws as `fs` does. */
export function replaceFile(
  path: string,
  bytes: Uint8Array,
  modes: NewModes,
  mode?: number,
  { isFlushed = true }: { readonly isFlushed?: boolean } = {},
): void {
  const file = resolveLink(path);
  const temporary = `${file}.${randomUUID()}.tmp`;
  const made = findMissingFolder(file);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: modes.folder });
    const kept = mode ?? modeOf(file);
    writeFileSync(temporary, bytes, { mode: kept ?? modes.file, flag: "wx", flush: isFlushed });
    // The mask of the process counts for new files only.
    if (kept !== undefined) chmodSync(temporary, kept);
    renameSync(temporary, file);
  } catch (error) {
    removeQuietly(temporary);
    if (made !== undefined) removeFolders(dirname(file), made);
    throw error;
  }
}

/** What went wrong before is what matters. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A name that could not be made cannot be removed either.
  }
}

/** Removes folders from the inner to the outer one, as far as they are empty. */
export function removeFolders(inner: string, outer: string): void {
  for (let folder = inner; folder.startsWith(outer); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}
