import { readFile } from "node:fs/promises";

const INTERVAL_MS = 100;
const PAGE_BYTES = 4096;
/** What a runner needs beside the guest's memory: Node itself, the engine's code, a copy on the way. */
const RUNNER_MB = 160;

/**
 * Looks at a runner from outside and tells when it uses more than twice what its guest may. The engine's limit and the hard
 * maximum of its memory stand before this; it holds where both fail. Without /proc there is nothing to look at.
 */
export function watchMemory(pid: number | undefined, memoryMb: number, onExcess: () => void): () => void {
  if (process.platform !== "linux" || pid === undefined) return () => {};
  const limitBytes = (2 * memoryMb + RUNNER_MB) * 1024 * 1024;
  const look = async (): Promise<void> => {
    if ((await residentBytes(pid)) > limitBytes) onExcess();
  };
  const timer = setInterval(() => void look(), INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** 0 for a process that is gone. */
async function residentBytes(pid: number): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
  return Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
}
