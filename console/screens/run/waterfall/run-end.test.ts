import { expect, it } from "vitest";
import { aPage, aStep } from "./row.testkit.ts";
import { clockOf, elapsedAt, endOfRun } from "./run-end.ts";

const pages = [aPage([aStep(1), aStep(2, { status: "waiting", elapsed_ms: null })]).page!];

it("has no end while it runs, and the end on record after it", () => {
  expect(endOfRun({ status: "running", elapsed_ms: null }, pages)).toBeUndefined();
  expect(endOfRun({ status: "succeeded", elapsed_ms: 77 }, pages)).toBe(77);
});

it("ends shortly after its last step where it stopped in the middle, however long ago that was", () => {
  for (const status of ["paused", "interrupted"] as const) {
    const end = endOfRun({ status, elapsed_ms: null }, pages)!;
    expect(end).toBeGreaterThan(20);
    expect(end).toBeLessThan(25);
  }
  const error = { code: "TOOL_EXECUTION_FAILED", reason: "interrupted", message: "" };
  expect(endOfRun({ status: "failed", elapsed_ms: 90_000, error }, pages)).toBeLessThan(25);
});

it("counts on from the latest word of the gateway", () => {
  const clock = clockOf("r", [
    { ...aPage([]), at: 5 },
    { ...aPage([]), at: 9 },
    { ...aPage([], undefined, "below"), at: 99 },
  ]);
  expect(clock).toEqual({ elapsedMs: 1_000, heardAt: 9 });
  expect(elapsedAt(clock, 109)).toBe(1_100);
});
