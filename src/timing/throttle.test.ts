import { describe, expect, it } from "vitest";
import { createTestTime } from "../registry/time.testkit.ts";
import { createThrottle, type ThrottleDeps } from "./throttle.ts";

function start(deps: Pick<ThrottleDeps, "gapMs" | "windowMs" | "burst">) {
  const time = createTestTime();
  const startedAt = time.clock.elapsed();
  const ranAt: number[] = [];
  const run = () => ranAt.push(time.clock.elapsed() - startedAt);
  const throttle = createThrottle({ ...time, ...deps, run });
  return { throttle, ranAt, advance: (ms: number) => time.advance(ms) };
}

describe("a throttle", () => {
  it("collects what comes together, and keeps a gap between runs", async () => {
    const { throttle, ranAt, advance } = start({ windowMs: 50, gapMs: 1_000 });
    for (let at = 0; at < 3_000; at += 10) {
      throttle.ask();
      await advance(10);
    }
    expect(ranAt).toEqual([50, 1_050, 2_050]);
  });

  it("without a window runs at once what may run at once", async () => {
    const { throttle, ranAt, advance } = start({ gapMs: 100 });
    throttle.ask();
    expect(ranAt).toEqual([0]);
    throttle.ask();
    await advance(99);
    expect(ranAt).toEqual([0]);
    await advance(1);
    expect(ranAt).toEqual([0, 100]);
  });

  it("lets a burst through, and comes back to it only after a rest", async () => {
    const { throttle, ranAt, advance } = start({ gapMs: 100, burst: 10 });
    for (let at = 0; at < 5_000; at += 5) {
      throttle.ask();
      await advance(5);
    }
    for (let from = 0; from < 4_000; from += 50) {
      expect(ranAt.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(20);
    }
    const before = ranAt.length;
    await advance(10_000);
    for (let i = 0; i < 100; i++) throttle.ask();
    expect(ranAt.length - before).toBeLessThanOrEqual(12);
    expect(ranAt.length - before).toBeGreaterThanOrEqual(10);
  });

  it("flushes what waits, once, and nothing after it was stopped", async () => {
    const { throttle, ranAt, advance } = start({ gapMs: 100 });
    throttle.flush();
    throttle.ask();
    throttle.ask();
    throttle.flush();
    throttle.flush();
    expect(ranAt).toEqual([0, 0]);
    throttle.ask();
    throttle.stop();
    throttle.flush();
    await advance(1_000);
    expect(ranAt).toEqual([0, 0]);
  });
});
