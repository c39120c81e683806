/** The runner's end of the channel: blocking, in both directions. */
import { readSync, writeSync } from "node:fs";

const INPUT = 0;
const OUTPUT = 1;
const CHUNK_BYTES = 65_536;

/** Reads whole lines; waits as long as there is none. */
export function createLineSource(): () => string | undefined {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let parts: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  return () => {
    for (;;) {
      const end = rest.indexOf(0x0a);
      if (end !== -1) {
        const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString();
        parts = [];
        rest = rest.subarray(end + 1);
        return line;
      }
      if (rest.length > 0) parts.push(rest);
      const count = readSync(INPUT, chunk);
      if (count === 0) return undefined;
      rest = Buffer.from(chunk.subarray(0, count));
    }
  };
}

export function send(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length;) at += writeSync(OUTPUT, bytes, at);
}
