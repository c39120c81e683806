/**
 * What is mounted inside of a folder is not what its owner opened: a bind mount shows a folder from anywhere. On Linux
 * the system lists all mounts; elsewhere only another device tells.
 */
import { readFile, stat } from "node:fs/promises";
import { relative, isAbsolute, sep } from "node:path";

/** Whether something is mounted on the way from a root to a path in it. Both exist and have no symbolic links. */
export async function isMountedBetween(root: string, path: string): Promise<boolean> {
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

export function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
