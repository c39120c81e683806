import { expect, it } from "vitest";
import { rangeOf } from "./bucket-range.ts";

const bucket = (at: string) => ({ at, succeeded: 1, failed: 2, waiting: 0, running: 1 });
const histogram = {
  from: "2026-01-01T00:00:00.000Z",
  bucket_ms: 1_800_000,
  buckets: [
    bucket("2026-01-01T00:00:00.000Z"),
    bucket("2026-01-01T00:30:00.000Z"),
    bucket("2026-01-01T01:00:00.000Z"),
  ],
};

it("asks for the time of one bar", () => {
  expect(rangeOf(histogram, 1, 1)).toEqual({
    since: "2026-01-01T00:30:00.000Z",
    until: "2026-01-01T01:00:00.000Z",
  });
});

it("asks for the whole time of several bars, also when they are dragged over backwards", () => {
  const whole = { since: "2026-01-01T00:00:00.000Z", until: "2026-01-01T01:30:00.000Z" };
  expect(rangeOf(histogram, 0, 2)).toEqual(whole);
  expect(rangeOf(histogram, 2, 0)).toEqual(whole);
  expect(rangeOf(histogram, 0, 9)).toBeUndefined();
});
