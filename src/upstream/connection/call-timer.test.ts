import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallTimer, longestMs, QUESTION_MS_MAX } from "./call-timer.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

function start(timeoutMs: number): { timer: CallTimer; endedAt: () => number | undefined } {
  const timer = new CallTimer(timeoutMs);
  const startedAt = performance.now();
  let endedAt: number | undefined;
  timer.start(() => (endedAt = performance.now() - startedAt));
  return { timer, endedAt: () => endedAt };
}

const pass = (ms: number) => vi.advanceTimersByTime(ms);

describe("progress", () => {
  it("begins the timeout again", () => {
    const { timer, endedAt } = start(100);
    pass(90);
    timer.refresh();
    pass(99);
    expect(endedAt()).toBeUndefined();
    pass(1);
    expect(endedAt()).toBe(190);
    expect(timer.hasReachedLongest).toBe(false);
  });

  it.each([
    [1_000, 600_000],
    [120_000, 1_200_000],
  ])(
    "S18: keeps a call with a timeout of %i ms open for %i ms in all, however often it comes",
    (timeoutMs, longest) => {
      const { timer, endedAt } = start(timeoutMs);
      expect(longestMs(timeoutMs)).toBe(longest);
      for (let at = 0; at < longest * 2; at += timeoutMs / 4) {
        pass(timeoutMs / 4);
        timer.refresh();
      }
      expect(endedAt()).toBe(longest);
      expect(timer.hasReachedLongest).toBe(true);
    },
  );
});

describe("a question to the client", () => {
  it("pauses the time, and its answer gives the server the whole timeout again", () => {
    const { timer, endedAt } = start(100);
    pass(60);
    timer.pause();
    timer.pause();
    pass(5_000);
    timer.resume();
    pass(5_000);
    timer.resume();
    pass(99);
    expect(endedAt()).toBeUndefined();
    pass(1);
    expect(endedAt()).toBe(10_160);
  });

  it("S12: that is never answered pauses it for so long, and then the time runs", () => {
    const { timer, endedAt } = start(100);
    timer.pause();
    pass(QUESTION_MS_MAX + 99);
    expect(endedAt()).toBeUndefined();
    pass(1);
    expect(endedAt()).toBe(QUESTION_MS_MAX + 100);
  });

  it("S12: after question keeps no call open for ever: neither the waits nor the time between them begin again", () => {
    const { timer, endedAt } = start(1_000);
    for (let asked = 0; asked < 10_000; asked++) {
      timer.pause();
      pass(300);
      timer.resume();
      pass(300);
    }
    const spent = endedAt()!;
    expect(spent).toBeGreaterThan(QUESTION_MS_MAX);
    expect(spent).toBeLessThanOrEqual(QUESTION_MS_MAX + longestMs(1_000));
  });

  it("changes nothing for a request that has ended", () => {
    const { timer, endedAt } = start(100);
    timer.stop();
    timer.pause();
    timer.refresh();
    timer.resume();
    pass(QUESTION_MS_MAX * 2);
    expect(endedAt()).toBeUndefined();
  });
});
