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

/** Turns of the event loop that each keep what they are handed until the next; tells how large the young space has become. */
const TURNS = `
import { getHeapSpaceStatistics } from "node:v8";
import { setImmediate } from "node:timers/promises";
let kept;
for (let turn = 0; turn < 300; turn++) {
  kept = JSON.parse(text);
  await setImmediate();
}
console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
`;

const keepSmall = [`import { keepHeapSmall } from ${JSON.stringify(heap)};`, "keepHeapSmall();"];

async function tell(...program: string[]): Promise<number> {
  const args = ["--input-type=module", "--eval", program.join("\n")];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

it("keeps a heap at a fraction of what V8 would take, in a process that has begun", async () => {
  const asNodeHasIt = await tell(CHURN);
  const small = await tell(...keepSmall, CHURN);
  expect(small).toBeLessThan(asNodeHasIt / 2);
});

it("has room for young objects as answers need it: little for small ones, more for large ones", async () => {
  const rows = (count: number) =>
    `const text = JSON.stringify(Array.from({ length: ${count} }, (_, id) => ({ id, name: "name " + id })));`;
  const [few, many] = await Promise.all([10, 20_000].map((count) => tell(...keepSmall, rows(count), TURNS)));
  expect(few).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(many).toBeGreaterThanOrEqual(8 * 1024 * 1024);
});

it("has more room, up to a bound, while large messages come", async () => {
  const expecting = `import { expectLargeMessages } from ${JSON.stringify(heap)}; expectLargeMessages();`;
  const rows = `const text = JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, name: "name " + id })));`;
  const [without, expected] = await Promise.all([
    tell(...keepSmall, rows, TURNS),
    tell(...keepSmall, expecting, rows, TURNS),
  ]);
  expect(expected).toBeGreaterThan(without);
  // It may double once more before it is looked at.
  expect(expected).toBeLessThanOrEqual(64 * 1024 * 1024);
});
