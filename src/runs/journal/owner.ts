/**
 * Who holds the lease of a run: a process, by its host, its process namespace, its number and the moment it started. A
 * process of the same host and namespace that finds the owner gone need not wait until the lease expires.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The name of this process as an owner; each caller gets its own. */
export function createOwner(): string {
  return [place(), process.pid, startOf(process.pid) ?? "", randomUUID()].join("|");
}

/** Whether the owner's process is known to be gone; where nothing can be known, it is not. */
export function isGone(owner: string): boolean {
  const [where, pidText, start] = owner.split("|");
  const pid = Number(pidText);
  if (where !== place() || !Number.isSafeInteger(pid) || pid <= 0) return false;
  if (!isAlive(pid)) return true;
  const startNow = startOf(pid);
  return start !== "" && startNow !== undefined && startNow !== start;
}

/** Process numbers mean the same only here. */
export function place(): string {
  return `${hostname().replaceAll("|", "_")}/${namespaceOf() ?? process.platform}`;
}

function namespaceOf(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Ticks since the system started, where the system tells; a number that was given out again has another. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const isDead = fields[0] === "Z" || fields[0] === "X";
    return isDead ? "dead" : fields[19];
  } catch {
    return undefined;
  }
}
