import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { expectNoStall, watchLoopLag } from "./loop-lag.ts";

/** By the time that this thread works: on a busy machine the clock says little. */
function stall(ms: number): void {
  const worked = () => (process.threadCpuUsage().user + process.threadCpuUsage().system) / 1000;
  const end = worked() + ms;
  while (worked() < end);
}

test("sees a loop that stood still, and how long", async () => {
  const lag = watchLoopLag();
  onTestFinished(() => lag.stop());
  await sleep(30);
  stall(150);
  await sleep(30);
  expect(lag.worstMs()).toBeGreaterThan(100);
});

test("lets a short stall pass", async () => {
  const lag = expectNoStall();
  await sleep(30);
  stall(20);
  await sleep(30);
  expect(lag.worstMs()).toBeGreaterThan(0);
});

// The failure of expectNoStall comes at the end of the test, which is what is expected here.
test.fails("fails a test whose loop stood still", async () => {
  expectNoStall(50);
  await sleep(30);
  stall(150);
});
