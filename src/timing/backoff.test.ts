import fc from "fast-check";
import { expect, it } from "vitest";
import { fullJitterMs, halfJitterMs } from "./backoff.ts";

const BACKOFF = { firstMs: 500, maxMs: 30_000 };

it("doubles with each failure, up to the limit", () => {
  const waits = [1, 2, 3, 7, 8, 5_000].map((count) => fullJitterMs(BACKOFF, count, 1));
  expect(waits).toEqual([500, 1_000, 2_000, 30_000, 30_000, 30_000]);
});

it("draws from nothing to the longest wait, or from the floor", () => {
  expect([0, 0.5, 1].map((random) => fullJitterMs(BACKOFF, 2, random))).toEqual([0, 500, 1_000]);
  const withFloor = { ...BACKOFF, minMs: 250 };
  expect([0, 0.5, 1].map((random) => fullJitterMs(withFloor, 2, random))).toEqual([250, 500, 1_000]);
});

it("draws from the upper half where the jitter is half", () => {
  expect([0, 0.5, 1].map((random) => halfJitterMs(BACKOFF, 2, random))).toEqual([500, 750, 1_000]);
});

it("never waits longer than the limit, nor for a time that is no number", () => {
  const count = fc.integer({ min: 1, max: 1_000_000 });
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.nat({ max: 60_000 }),
      fc.nat({ max: 60_000 }),
      count,
      random,
      (firstMs, maxMs, failures, draw) => {
        for (const wait of [fullJitterMs, halfJitterMs]) {
          const ms = wait({ firstMs, maxMs }, failures, draw);
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(maxMs);
        }
      },
    ),
  );
});
