import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const heap = join(import.meta.dirname, "heap.ts");

/** Keeps 20,000 small objects, and replaces each of them twenty times. */
const CHURN = `
const kept = [];
let peak = 0;
for (let n = 0; n < 400_000; n++) {
  kept[n % 20_000] = { n, text: "x".repeat(100) + n, list: [n, n + 1, n + 2] };
  if (n % 1000 === 0) peak = Math.max(peak, process.memoryUsage().heapTotal);
}
console.log(peak);
`;

async function peakOf(...before: string[]): Promise<number> {
  const program = [...before, CHURN].join("\n");
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}

it("keeps a heap at a fraction of what V8 would take, in a process that has begun", async () => {
  const asNodeHasIt = await peakOf();
  const small = await peakOf(`import { keepHeapSmall } from ${JSON.stringify(heap)};`, "keepHeapSmall();");
  expect(small).toBeLessThan(asNodeHasIt / 2);
});
