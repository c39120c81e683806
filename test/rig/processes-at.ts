import { execFileSync } from "node:child_process";
import { readlinkSync } from "node:fs";

interface FoundProcess {
  readonly pid: number;
  readonly args: string;
}

/**
 * The processes that have to do with a folder and still run: by what they were started with and, where the system tells, by where
 * they stand. Their groups come along.
 */
export function processesAt(folder: string): FoundProcess[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((row) => row !== null)
    .map(([, pid, pgid, state, args]) => ({ pid: pid!, pgid: pgid!, state: state!, args: args! }))
    // A zombie has ended; that nobody has reaped it is not our matter.
    .filter(({ state }) => !state.startsWith("Z"));
  const own = rows.filter(({ pid, args }) => args.includes(folder) || placeOf(pid).startsWith(folder));
  const groups = new Set(own.map(({ pgid }) => pgid).filter((pgid) => own.some(({ pid }) => pid === pgid)));
  return rows
    .filter((row) => own.includes(row) || groups.has(row.pgid))
    .map(({ pid, args }) => ({ pid: Number(pid), args }));
}

function placeOf(pid: string): string {
  if (process.platform !== "linux") return "";
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
