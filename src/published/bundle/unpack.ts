/**
 * Unpacks a bundle into the home: into a folder of its own that nobody knows, and then under its name by one rename. A
 * crash leaves a folder that nothing refers to, which the next one takes away; a place that has a name is whole. To be
 * called by one process at a time.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import { refused, type Archive } from "./archive.ts";
import {
  bundlesFolder,
  FILES_FOLDER,
  findChangedFile,
  hashOfList,
  LIST_FILE,
  writeFileList,
} from "./bundle-files.ts";

const STAGING = ".staging-";
/** The owner's alone; the program of a bundle can be started as well. */
const FILE_MODE = 0o600;
const PROGRAM_MODE = 0o700;

/** `notes/0123456789abcdef`: the name of a bundle, and the beginning of its hash. */
export function bundlePlaceOf(name: string, sha256: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 64);
  return `${slug === "" ? "bundle" : slug}/${sha256.slice(0, 16)}`;
}

/** Where its files are. */
export function bundleFilesAt(home: string, place: string): string {
  return join(bundlesFolder(home), place, FILES_FOLDER);
}

export interface UnpackOptions {
  readonly home: string;
  readonly place: string;
  /** The file that is executable. */
  readonly program?: string;
}

/** Gives the hash of the list of its files. */
export async function unpackBundle(
  archive: Archive,
  { home, place, program }: UnpackOptions,
): Promise<ToolResult<string>> {
  const all = bundlesFolder(home);
  mkdirSync(all, { recursive: true, mode: 0o700 });
  sweepStaging(all);
  const staging = join(all, `${STAGING}${randomUUID()}`);
  try {
    const hashes = await unpackFiles(archive, join(staging, FILES_FOLDER), program);
    const list = writeFileList(hashes);
    writeFileSync(join(staging, LIST_FILE), list, { mode: FILE_MODE, flag: "wx", flush: true });
    const hash = hashOfList(list);
    // The same bundle may be in use already.
    if ((await findChangedFile(home, place, hash)) !== undefined)
      replaceFolder(staging, join(all, place), all);
    return succeed(hash);
  } catch (error) {
    return refused(messageOf(error));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function unpackFiles(
  archive: Archive,
  folder: string,
  program: string | undefined,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { path, isFolder } of archive.entries) {
    const target = join(folder, path);
    mkdirSync(isFolder ? target : dirname(target), { recursive: true, mode: 0o700 });
    if (isFolder) continue;
    hashes.set(path, await writeEntry(archive, path, target, path === program ? PROGRAM_MODE : FILE_MODE));
  }
  return hashes;
}

async function writeEntry(archive: Archive, path: string, target: string, mode: number): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(target, "wx", mode);
  try {
    for await (const chunk of archive.chunks(path)) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

/** What was there is moved aside first: a folder cannot be renamed onto one that has something in it. */
function replaceFolder(from: string, to: string, all: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  if (existsSync(to)) renameSync(to, join(all, `${STAGING}${randomUUID()}`));
  renameSync(from, to);
  sweepStaging(all, from);
}

/** What a process left that did not come to its end. */
function sweepStaging(all: string, except?: string): void {
  for (const name of readdirSync(all)) {
    const path = join(all, name);
    if (name.startsWith(STAGING) && path !== except) rmSync(path, { recursive: true, force: true });
  }
}

/** Takes the files of a bundle away, and nothing outside the folder of bundles. */
export function removeBundle(home: string, place: string): boolean {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}\/[0-9a-f]{16}$/.test(place)) return false;
  const all = bundlesFolder(home);
  const path = join(all, place);
  if (!existsSync(path)) return false;
  const aside = join(all, `${STAGING}${randomUUID()}`);
  renameSync(path, aside);
  rmSync(aside, { recursive: true, force: true });
  try {
    rmdirSync(dirname(path));
  } catch {
    // Another version of it is still there.
  }
  return true;
}
