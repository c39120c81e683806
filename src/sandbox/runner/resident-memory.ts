import { readFileSync } from "node:fs";

const PAGE_BYTES = 4096;

/** What a process has in memory; 0 for one that is gone, and where the system does not tell. */
export function residentBytes(pid: number | undefined): number {
  if (process.platform !== "linux" || pid === undefined) return 0;
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
