/** What a process and all that it started hold in memory. Only Linux tells. */
import { readFile } from "node:fs/promises";

/** A server with more processes is counted up to here. */
const PROCESS_COUNT_MAX = 500;

/** In bytes; undefined where the system does not say, or the process is gone. */
export async function memoryOfTree(pid: number, proc = "/proc"): Promise<number | undefined> {
  const seen = new Set<number>([pid]);
  let bytes: number | undefined;
  // A set hands out what is added while it is walked.
  for (const one of seen) {
    const [status, children] = await Promise.all([
      readText(`${proc}/${one}/status`),
      readText(`${proc}/${one}/task/${one}/children`),
    ]);
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kilobytes !== undefined) bytes = (bytes ?? 0) + Number(kilobytes) * 1024;
    for (const child of children.split(" ").filter(Boolean).map(Number)) {
      if (seen.size < PROCESS_COUNT_MAX) seen.add(child);
    }
  }
  return bytes;
}

/** Empty where there is no such file: a process may end at any moment. */
async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    return "";
  }
}
