import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { systemClock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import { throttleProgress } from "./progress.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

function start() {
  const heard: unknown[] = [];
  const failed = (error: unknown): void => void heard.push(error);
  return { heard, progress: throttleProgress((step) => heard.push(step["progress"]), systemClock, failed) };
}

it("says what failed in the caller, at once, later and at the end, and goes on", () => {
  const failures: unknown[] = [];
  const tell = (step: JsonObject): void => {
    throw step["progress"];
  };
  const progress = throttleProgress(tell, systemClock, (error) => failures.push(error));
  for (let step = 1; step <= 11; step++) progress.report({ progress: step });
  expect(failures).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  vi.advanceTimersByTime(1_000);
  expect(failures.at(-1)).toBe(11);
  for (let step = 12; step <= 40; step++) progress.report({ progress: step });
  progress.end();
  expect(failures.at(-1)).toBe(40);
});

it("S18: passes no more than 20 steps in any second, in their order, the newest of a flood", () => {
  const { heard, progress } = start();
  for (let step = 1; step <= 1_000; step++) {
    progress.report({ progress: step });
    vi.advanceTimersByTime(1);
  }
  expect(heard.length).toBeLessThanOrEqual(20);
  expect(heard.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  progress.end();
  expect(heard.at(-1)).toBe(1_000);
});

it("S18: passes each step where they come slowly, at once", () => {
  const { heard, progress } = start();
  for (let step = 1; step <= 50; step++) {
    progress.report({ progress: step });
    expect(heard).toHaveLength(step);
    vi.advanceTimersByTime(100);
  }
  progress.end();
  expect(heard).toHaveLength(50);
});

it("S18: drops what is held back of a call that was given up", () => {
  const { heard, progress } = start();
  for (let step = 1; step <= 12; step++) progress.report({ progress: step });
  progress.drop();
  vi.advanceTimersByTime(10_000);
  expect(heard).toHaveLength(10);
});
