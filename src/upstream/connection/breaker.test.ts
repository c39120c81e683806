import { expect, it } from "vitest";
import { createBreaker } from "./breaker.ts";

function openBreaker(random = 1) {
  let now = 1_000;
  const clock = { now: () => now, elapsed: () => now };
  const breaker = createBreaker(clock, () => random);
  return { breaker, pass: (ms: number) => (now += ms) };
}

it("waits longer after each failure, at random below the limit", () => {
  const { breaker, pass } = openBreaker();
  expect(breaker.waitMs()).toBe(0);
  const waits = [];
  for (let i = 0; i < 4; i++) {
    breaker.recordFailure();
    waits.push(breaker.waitMs());
    pass(breaker.waitMs());
    expect(breaker.waitMs()).toBe(0);
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
  const jittered = openBreaker(0.5).breaker;
  jittered.recordFailure();
  expect(jittered.waitMs()).toBe(250);
});

it("T076: opens at the fifth failure within 30 s, and then lets one attempt through every 30 s", () => {
  const { breaker, pass } = openBreaker(0);
  for (let i = 0; i < 4; i++) {
    breaker.recordFailure();
    pass(2_000);
  }
  expect(breaker.isOpen()).toBe(false);
  breaker.recordFailure();
  expect({ isOpen: breaker.isOpen(), waitMs: breaker.waitMs() }).toEqual({ isOpen: true, waitMs: 30_000 });
  pass(30_000);
  expect(breaker.waitMs()).toBe(0);
});

it("forgets failures that are old, and all of them after a reset", () => {
  const { breaker, pass } = openBreaker();
  breaker.recordFailure();
  pass(30_000);
  expect(breaker.failureCount()).toBe(0);
  for (let i = 0; i < 5; i++) breaker.recordFailure();
  breaker.reset();
  expect({ isOpen: breaker.isOpen(), waitMs: breaker.waitMs() }).toEqual({ isOpen: false, waitMs: 0 });
});
