/**
 * The files of an isolated server, as mounts: what it may read, what it may write, and what it does not see. Every path
 * is followed to where it really leads, because a mount on a link would be one on its target anyway.
 *
 * - Of two paths the longer one decides, so `denyRead: ["~"]` with `allowRead: ["~/notes"]` leaves the notes.
 * - `denyWrite` wins over `allowWrite`, whichever is longer.
 * - Of equal paths `denyRead` wins over what the config allows, and what the config allows over what is hidden by itself.
 * - What is kept away (the gateway's own home) is opened by nothing.
 *
 * A denied path within a folder that may be written keeps its name: it is a mount, and so is each folder between the
 * two, so that none can be renamed away. A path that is not there cannot be mounted: allowing to write it, or denying
 * it within a folder that may be written, is refused; any other is nothing that could be reached.
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Isolation } from "./isolation.ts";
import { PRIVATE_FOLDERS } from "./hidden-places.ts";

/**
 * - `private`: an empty folder of the server's own, which ends with it.
 * - `listed`: readable with the entries that it has now. A mount is lost when a program replaces the file below it, as
 *   many do when they save; and what is made later could not be hidden. So the folders around credentials are put
 *   together from what they have.
 */
export type Access = "hidden" | "private" | "listed" | "read" | "write";

export interface Mount {
  readonly path: string;
  readonly access: Access;
  readonly isFolder: boolean;
  /** Of a folder that is listed. */
  readonly entries?: readonly Entry[];
}

export interface Entry {
  readonly path: string;
  /** Where it leads, of a link. */
  readonly target?: string;
}

/** Where the rules are applied. */
export interface MountPlace {
  /** Where relative paths begin. */
  readonly cwd: string;
  /** What nothing can open. */
  readonly keptAway: readonly string[];
  /** What is hidden unless the config opens it. */
  readonly hidden: readonly string[];
}

export type MountPlan =
  | { readonly ok: true; readonly mounts: readonly Mount[] }
  | { readonly ok: false; readonly reason: string };

type Rules = Isolation["filesystem"];
type Place = ReturnType<typeof findPlace>;

export function planMounts(rules: Rules, place: MountPlace): MountPlan {
  const find = (text: string): Place => findPlace(text, place.cwd);
  const [reads, writes] = [rules.allowRead.map(find), rules.allowWrite.map(find)];
  const [noReads, noWrites] = [rules.denyRead.map(find), rules.denyWrite.map(find)];
  const keptAway = place.keptAway.map(find).filter(isThere);
  const reason =
    findMissing(writes) ??
    findOwn([...reads, ...writes, ...noReads, ...noWrites]) ??
    findLed([...reads, ...writes], writes) ??
    findOpening([...reads, ...writes], keptAway) ??
    findLoose([...noReads, ...noWrites], writes);
  if (reason !== undefined) return { ok: false, reason };
  const accesses = new Map<string, Access>();
  const set = (places: readonly Place[], access: Access): void => {
    for (const { path } of places.filter(isThere)) accesses.set(path, access);
  };
  set(PRIVATE_FOLDERS.map(find), "private");
  const cwd = find(".");
  if (closestAccess(dirname(cwd.path), accesses) === "private") set([cwd], "read");
  set(place.hidden.map(find), "hidden");
  set(reads, "read");
  set(writes, "write");
  protect(accesses, noWrites.filter(isThere), writes);
  set(noReads, "hidden");
  set(keptAway, "hidden");
  pinFolders(accesses, writes);
  list(accesses, place.hidden);
  for (const path of accesses.keys()) {
    if (keptAway.some((own) => isBelow(path, own.path))) accesses.delete(path);
  }
  if (closestAccess(cwd.path, accesses) === "hidden")
    return { ok: false, reason: `the working folder ${cwd.path} is hidden: name it in allowRead` };
  const mounts = [...accesses]
    .filter(([path, access]) => access !== "hidden" || !isUnseen(closestAccess(dirname(path), accesses)))
    .map(([path, access]) => mountAt(path, access, accesses));
  const large = findLarge(mounts);
  if (large !== undefined) return { ok: false, reason: large };
  return { ok: true, mounts: mounts.sort((a, b) => depthOf(a.path) - depthOf(b.path)) };
}

/** Whether nothing of what is on the disk is seen there. */
export function isUnseen(access: Access): boolean {
  return access === "hidden" || access === "private";
}

/** What a server can do with a path, by the mounts that are in force there. */
export function accessAt(path: string, mounts: readonly Mount[]): Access {
  return closestAccess(path, new Map(mounts.map((mount) => [mount.path, mount.access])));
}

/** Whether a path is a folder, or something in it. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder === sep ? sep : `${folder}${sep}`);
}

// ── paths ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A path of the config: as it is written, by its own name, and where it leads. */
function findPlace(text: string, cwd: string) {
  const whole = resolve(cwd, text.replace(/^~(?=\/|$)/, homedir()));
  const name = whole === sep ? sep : join(realPathOf(dirname(whole)), basename(whole));
  const path = realPathOf(name);
  return { text, whole, name, path, isLink: linkAt(name), isThere: statAt(path) !== undefined };
}

function isThere(place: Place): boolean {
  return place.isThere;
}

/** Where a path leads, as far as it exists. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}

function linkAt(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function statAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Not even its folder can be looked into: the server, with the same rights, cannot either.
    return undefined;
  }
}

function mountAt(path: string, access: Access, accesses: ReadonlyMap<string, Access>): Mount {
  const isFolder = statAt(path)?.isDirectory() === true;
  if (access !== "listed") return { path, access, isFolder };
  return { path, access, isFolder, entries: entriesOf(path).filter((entry) => !accesses.has(entry.path)) };
}

/** Each is a mount; all folders of a user have some hundred of them. bwrap takes 9,000 words, three for each. */
const ENTRY_COUNT_MAX = 2000;

function findLarge(mounts: readonly Mount[]): string | undefined {
  const listed = mounts.filter(({ entries }) => entries !== undefined);
  const count = listed.reduce((sum, { entries = [] }) => sum + entries.length, 0);
  if (count <= ENTRY_COUNT_MAX) return undefined;
  const paths = listed.map(({ path }) => path).join(", ");
  return `${paths} have ${count} entries, and ${ENTRY_COUNT_MAX} is the limit: name one in denyRead, and what the server needs of it in allowRead`;
}

/** Without sockets and pipes, which lead to other programs. */
function entriesOf(folder: string): Entry[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): Entry[] => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return [{ path, target: readlinkSync(path) }];
    return entry.isFile() || entry.isDirectory() ? [{ path }] : [];
  });
}

function depthOf(path: string): number {
  return path.split(sep).filter((part) => part !== "").length;
}

// ── what cannot be held ─────────────────────────────────────────────────────────────────────────────────────────────

function findMissing(writes: readonly Place[]): string | undefined {
  const missing = writes.find((place) => !place.isThere);
  return (
    missing && `allowWrite names ${missing.text}, which does not exist (${missing.path}): create it first`
  );
}

/** A sandbox has these of its own; those of the machine would show every process in it. */
const OWN_FOLDERS: readonly string[] = ["/proc", "/dev"];

function findOwn(named: readonly Place[]): string | undefined {
  const own = named.find(({ path }) => OWN_FOLDERS.some((folder) => isWithin(path, folder)));
  return own && `${own.text} is of the system, and each sandbox has its own: remove it`;
}

/** What a server may write it may make a link, which would open another place when it is started the next time. */
function findLed(allowed: readonly Place[], writes: readonly Place[]): string | undefined {
  const led = allowed.find(({ whole, path }) =>
    writes.some((write) => isBelow(whole, write.whole) && !isWithin(path, write.path)),
  );
  return (
    led && `${led.text} leads to ${led.path} by a link in a folder of allowWrite: name that place itself`
  );
}

function findOpening(opened: readonly Place[], keptAway: readonly Place[]): string | undefined {
  const open = opened.find(({ path }) => keptAway.some((own) => isWithin(path, own.path)));
  return open && `${open.text} is in the gateway's own folder or file, which no server may use`;
}

/** A name that is not there, or is a link, could be made or replaced where the folder around it may be written. */
function findLoose(denied: readonly Place[], writes: readonly Place[]): string | undefined {
  const loose = denied.find(
    ({ name, isLink, isThere: exists }) =>
      (isLink || !exists) && writes.some((write) => isBelow(name, write.path)),
  );
  if (loose === undefined) return undefined;
  const why = loose.isLink ? "is a link" : "does not exist";
  return `${loose.text} is denied within a folder of allowWrite and ${why}, so the server could replace it: name a real file or folder`;
}

// ── rules that meet ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Makes read-only what may not be written, and leaves hidden what is. */
function protect(accesses: Map<string, Access>, denied: readonly Place[], writes: readonly Place[]): void {
  for (const { path } of denied) {
    for (const write of writes) if (isWithin(write.path, path)) accesses.set(write.path, "read");
    if (closestAccess(path, accesses) === "write") accesses.set(path, "read");
  }
}

/** The user's folders that hold something hidden, as far as they are readable. */
function list(accesses: Map<string, Access>, hidden: readonly string[]): void {
  const user = realPathOf(homedir());
  const folders = new Set(hidden.map((path) => realPathOf(dirname(path))));
  for (const folder of folders) {
    const isListed = isWithin(folder, user) && statAt(folder)?.isDirectory() === true;
    if (isListed && closestAccess(folder, accesses) === "read") accesses.set(folder, "listed");
  }
}

/** Each folder between a writable one and a mount within it becomes a mount itself, which cannot be renamed. */
function pinFolders(accesses: Map<string, Access>, writes: readonly Place[]): void {
  const mounted = [...accesses.keys()];
  for (const path of mounted) {
    for (const write of writes) {
      if (!isBelow(path, write.path)) continue;
      for (let folder = dirname(path); isBelow(folder, write.path); folder = dirname(folder)) {
        if (!accesses.has(folder)) accesses.set(folder, closestAccess(folder, accesses));
      }
    }
  }
}

function closestAccess(path: string, accesses: ReadonlyMap<string, Access>): Access {
  for (let folder = path; ; folder = dirname(folder)) {
    const access = accesses.get(folder);
    if (access === "listed" && folder !== path) return "read";
    if (access !== undefined) return access;
    if (folder === dirname(folder)) return "read";
  }
}
