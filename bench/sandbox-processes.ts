/** What a process and everything that it started use, as Linux tells it. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export const CAN_LOOK = process.platform === "linux";

const PAGE_BYTES = 4096;
const INTERVAL_MS = 20;
const MB = 1024 * 1024;

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** With the pid it names a process for good: pids are used again. */
  readonly startedAt: string;
  readonly isZombie: boolean;
  readonly residentBytes: number;
}

export interface TreeWatch {
  /** The most that the whole tree used at once since the last call; pages that processes share count in each. */
  takePeakMb(): number;
  /** Of the processes that were seen, those that still run. */
  left(): number[];
  stop(): void;
}

export function watchTree(root: number): TreeWatch {
  const seen = new Map<number, string>();
  let peakBytes = 0;
  const look = (): void => {
    const tree = treeOf(root, readProcesses());
    for (const { pid, startedAt } of tree) seen.set(pid, startedAt);
    peakBytes = Math.max(
      peakBytes,
      tree.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
    );
  };
  const timer = CAN_LOOK ? setInterval(look, INTERVAL_MS) : undefined;
  return {
    takePeakMb() {
      const peak = peakBytes;
      peakBytes = 0;
      return peak / MB;
    },
    left: () =>
      readProcesses()
        .filter(({ pid, startedAt, isZombie }) => !isZombie && seen.get(pid) === startedAt)
        .map(({ pid }) => pid),
    stop: () => clearInterval(timer),
  };
}

export function residentMb(pid: number): number {
  return (readProcess(pid)?.residentBytes ?? 0) / MB;
}

export interface RunnerView {
  readonly environmentBytes: number;
  readonly folder: string;
  readonly hasOwnNetwork: boolean;
}

/** The sandbox's processes below a gateway, as the system sees them. */
export function viewRunners(gateway: number): RunnerView[] {
  const network = readlinkSync(`/proc/${gateway}/ns/net`);
  return treeOf(gateway, readProcesses()).flatMap(({ pid }) => {
    try {
      const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (program !== process.execPath || !args.some((arg) => arg.endsWith("runner.mjs"))) return [];
      const hasOwnNetwork = readlinkSync(`/proc/${pid}/ns/net`) !== network;
      const environmentBytes = readFileSync(`/proc/${pid}/environ`).length;
      return [{ environmentBytes, folder: readlinkSync(`/proc/${pid}/cwd`), hasOwnNetwork }];
    } catch {
      return [];
    }
  });
}

/** Descendants, and whoever is in a process group that one of them leads: a watcher has left its parent, not its group. */
function treeOf(root: number, all: readonly ProcessEntry[]): ProcessEntry[] {
  const members = new Set([root]);
  for (let size = 0; size < members.size;) {
    size = members.size;
    for (const { pid, parent, group } of all) if (members.has(parent) || members.has(group)) members.add(pid);
  }
  return all.filter(({ pid }) => members.has(pid));
}

function readProcesses(): ProcessEntry[] {
  if (!CAN_LOOK) return [];
  return readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
  );
}

function readProcess(pid: number): ProcessEntry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name before it may have spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    startedAt: fields[19]!,
    isZombie: fields[0] === "Z",
    residentBytes: Number(fields[21]) * PAGE_BYTES,
  };
}
