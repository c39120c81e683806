/**
 * Replaces a file as a whole: a new file beside it, then a rename, so a crash leaves the old bytes or the new ones.
 * Unless the caller says otherwise, the bytes are on the disk before the rename, a link stays a link, and a file that
 * exists keeps its mode.
 */
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
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

export interface ReplaceOptions {
  /** The mode that the file has afterwards. Without it a file that exists keeps its own; "new": that of a new file. */
  readonly mode?: number | "new";
  /** Whether the bytes are on the disk before the rename, so that they survive a power cut. */
  readonly isFlushed?: boolean;
  /** Whether the rename is on the disk too when this returns. */
  readonly isRenameFlushed?: boolean;
  /** Whether a link is written through. Otherwise the file takes its place. */
  readonly followsLink?: boolean;
}

/** Writes a file in place of what a path leads to. Throws as `fs` does. */
export function replaceFile(
  path: string,
  content: Uint8Array | string,
  modes: NewModes,
  options: ReplaceOptions = {},
): void {
  const { mode, isFlushed = true, isRenameFlushed = false, followsLink = true } = options;
  const file = followsLink ? resolveLink(path) : path;
  const temporary = `${file}.${randomUUID()}.tmp`;
  const made = findMissingFolder(file);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: modes.folder });
    const kept = mode === "new" ? undefined : (mode ?? modeOf(file));
    writeFileSync(temporary, content, { mode: kept ?? modes.file, flag: "wx", flush: isFlushed });
    // The mask of the process counts for new files only.
    if (kept !== undefined) chmodSync(temporary, kept);
    renameSync(temporary, file);
    if (isRenameFlushed) flushFolder(dirname(file));
  } catch (error) {
    removeQuietly(temporary);
    if (made !== undefined) removeFolders(dirname(file), made);
    throw error;
  }
}

function flushFolder(folder: string): void {
  // Windows cannot open a folder.
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
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
