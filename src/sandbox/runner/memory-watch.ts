import { residentBytes } from "./resident-memory.ts";

const INTERVAL_MS = 100;
/** What a runner needs beside the guest's memory: Node itself, the engine's code, a copy on the way. */
const RUNNER_MB = 160;

/**
 * Looks at a runner from outside and tells when it uses more than twice what its guest may. The engine's limit and the hard
 * maximum of its memory come first; this holds where both fail. Without /proc there is nothing to look at.
 */
export function watchMemory(pid: number | undefined, memoryMb: number, onExcess: () => void): () => void {
  if (process.platform !== "linux" || pid === undefined) return () => {};
  const limitBytes = (2 * memoryMb + RUNNER_MB) * 1024 * 1024;
  const timer = setInterval(() => {
    if (residentBytes(pid) > limitBytes) onExcess();
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
