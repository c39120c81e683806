/**
 * Where a path leads, and whether that is inside the allowed roots. A path is refused with the same words whether it
 * does not exist outside or does, so that nothing outside the roots can be found out.
 */
import { lstat, realpath, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, relative, isAbsolute, sep } from "node:path";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { errnoOf } from "./failure.ts";
import { showName } from "../shown.ts";

export interface FilePlace {
  /** The deepest part of the path that exists, without symbolic links. It is inside a root. */
  readonly real: string;
  /** What of the path does not exist below it. */
  readonly missing: readonly string[];
}

export async function locateFile(path: string, roots: readonly string[]): Promise<ToolResult<FilePlace>> {
  const [first] = roots;
  if (first === undefined) return noRoots();
  if (path === "" || path.includes("\0")) {
    return fail("TOOL_INVALID_INPUT", "The path is empty or contains a NUL character.", { field: "path" });
  }
  const absolute = resolve(first, path);
  const realRoots = await findRealRoots(roots);
  const allowed = [...roots.map((root) => resolve(root)), ...realRoots];
  if (!isInside(absolute, allowed)) return outside(path);
  const place = await findReal(absolute);
  if (place === undefined) return outside(path);
  const around = realRoots.filter((root) => isIn(place.real, root));
  if (around.length === 0) return outside(path);
  for (const root of around) if (!(await isMountedBetween(root, place.real))) return succeed(place);
  return mounted(path);
}

function mounted(path: string): ReturnType<typeof fail> {
  return fail(
    "SECURITY_ERROR",
    `The path ${showName(path)} leads into something that is mounted in an open folder.`,
    {
      field: "path",
      hint: "If workflows may use it, the mounted folder itself must be in workflows.fileRoots in the gateway's config.",
    },
  );
}

/** Whether a path is sure to be refused; without one, whether every path is. */
export async function precheckFile(
  path: string | undefined,
  roots: readonly string[],
): Promise<ToolResult<unknown>> {
  if (roots.length === 0) return noRoots();
  if (path === undefined) return succeed(undefined);
  const place = await locateFile(path, roots);
  // What is not there now may be there when the node runs.
  return place.success || place.error.code !== "SECURITY_ERROR" ? succeed(undefined) : place;
}

function noRoots(): ReturnType<typeof fail> {
  return fail("SECURITY_ERROR", "No folder is open to workflows.", {
    hint: "Ask the owner of the gateway to set workflows.fileRoots in its config to the folders that workflows may use.",
  });
}

function outside(path: string): ReturnType<typeof fail> {
  return fail(
    "SECURITY_ERROR",
    `The path ${showName(path)} is outside the folders that are open to workflows.`,
    {
      field: "path",
      hint: "Use a path inside them; a relative one begins at the first. The config sets them: workflows.fileRoots.",
    },
  );
}

/** A root that does not exist is none. */
async function findRealRoots(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  return found.filter((root) => root !== undefined);
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isIn(path, root));
}

/** Undefined where a symbolic link leads nowhere, in a circle, or where it may not be looked. */
async function findReal(absolute: string): Promise<FilePlace | undefined> {
  const missing: string[] = [];
  for (let path = absolute; ; path = dirname(path)) {
    try {
      return { real: await realpath(path), missing };
    } catch (error) {
      // A file as a folder (ENOTDIR) is told apart later, when it is opened.
      const code = errnoOf(error);
      if ((code !== "ENOENT" && code !== "ENOTDIR") || path === dirname(path)) return undefined;
      if (code === "ENOENT" && (await exists(path))) return undefined;
    }
    missing.unshift(basename(path));
  }
}

/** True for a link that leads nowhere: writing there would make a file wherever it points to. */
function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The folder that exists, the folders below it that do not, and the name of the file. */
export function splitPlace({ real, missing }: FilePlace): { folder: string; absent: string[]; name: string } {
  const name = missing.at(-1);
  if (name === undefined) return { folder: dirname(real), absent: [], name: basename(real) };
  return { folder: real, absent: missing.slice(0, -1), name };
}

/** The path of a folder that must exist. */
export async function locateFolder(path: string, roots: readonly string[]): Promise<ToolResult<string>> {
  const place = await locateFile(path, roots);
  if (!place.success) return place;
  if (place.data.missing.length === 0) return succeed(join(place.data.real));
  return fail("TOOL_EXECUTION_FAILED", `There is no folder ${showName(path)}.`, { reason: "not_found" });
}

/**
 * Whether something is mounted on the way from a root to a path in it. Both exist and have no symbolic links.
 *
 * What is mounted inside of a folder is not what its owner opened: a bind mount shows a folder from anywhere. On Linux
 * the system lists all mounts; elsewhere only another device tells.
 */
async function isMountedBetween(root: string, path: string): Promise<boolean> {
  const [outer, inner] = await Promise.all([stat(root), stat(path)]);
  if (outer.dev !== inner.dev) return true;
  if (process.platform !== "linux") return false;
  // Without /proc the mount is not known; the device has to do.
  const mounts = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  return mountPointsOf(mounts).some((mount) => mount !== root && isIn(mount, root) && isIn(path, mount));
}

/** The fifth field of each line, with spaces and the like as octal numbers: see proc_pid_mountinfo(5). */
export function mountPointsOf(mountinfo: string): string[] {
  return mountinfo.split("\n").flatMap((line) => {
    const point = line.split(" ")[4];
    if (point === undefined) return [];
    return [point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))];
  });
}

function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
