import { expect, it } from "vitest";
import { msAt, shareOf, ticksOf, wholeSpan } from "./span.ts";

it("shows exactly the time of a run that has ended", () => {
  expect(wholeSpan(1_234, false)).toEqual({ fromMs: 0, toMs: 1_234 });
  expect(wholeSpan(0, false)).toEqual({ fromMs: 0, toMs: 1 });
});

it("leaves room to a live run, and changes its scale seldom", () => {
  expect(wholeSpan(10, true).toMs).toBe(1_000);
  const ends = Array.from({ length: 100 }, (_, second) => wholeSpan(second * 1_000, true).toMs);
  expect(new Set(ends).size).toBeLessThan(12);
  for (const [second, end] of ends.entries()) expect(end).toBeGreaterThan(second * 1_000);
});

it("finds an instant's place, and the instant of a place", () => {
  const span = { fromMs: 200, toMs: 1_200 };
  expect(shareOf(span, 700)).toBe(0.5);
  expect(msAt(span, 0.25)).toBe(450);
});

it("puts ticks at round instants, never more than asked for", () => {
  expect(ticksOf({ fromMs: 0, toMs: 1_000 }, 5).map(({ atMs }) => atMs)).toEqual([
    0, 200, 400, 600, 800, 1_000,
  ]);
  expect(ticksOf({ fromMs: 130, toMs: 390 }, 4).map(({ atMs }) => atMs)).toEqual([200, 300]);
  for (const toMs of [1, 7, 999, 61_000, 3_599_999, 40 * 86_400_000]) {
    expect(ticksOf({ fromMs: 0, toMs }, 8).length).toBeLessThanOrEqual(9);
    expect(ticksOf({ fromMs: 0, toMs }, 8).length).toBeGreaterThan(1);
  }
});

it("puts ticks between milliseconds where less than a few are shown", () => {
  expect(ticksOf({ fromMs: 0, toMs: 1 }, 4).map(({ atMs }) => atMs)).toEqual([0, 0.25, 0.5, 0.75, 1]);
});
