import { describe, expect, it, test } from "vitest";
import { parseLimits } from "./rule-limits.ts";

const MINUTE_MS = 60_000;

function limitsOf(written: Parameters<typeof parseLimits>[0]) {
  const parsed = parseLimits(written);
  return parsed.ok ? parsed.limits : parsed.problems.map(({ field, message }) => `${field} ${message}`);
}

test.each([
  ["60/min", [[60, MINUTE_MS, "60/min"]]],
  ["60 / minute", [[60, MINUTE_MS, "60 / minute"]]],
  ["5/s", [[5, 1_000, "5/s"]]],
  [
    "5/sec, 6/second",
    [
      [5, 1_000, "5/sec"],
      [6, 1_000, "6/second"],
    ],
  ],
  [
    "7/h 8/hour",
    [
      [7, 60 * MINUTE_MS, "7/h"],
      [8, 60 * MINUTE_MS, "8/hour"],
    ],
  ],
  ["2000/DAY", [[2_000, 1_440 * MINUTE_MS, "2000/DAY"]]],
  ["10 in 5 min", [[10, 5 * MINUTE_MS, "10 in 5 min"]]],
  ["10 in 2  days", [[10, 2_880 * MINUTE_MS, "10 in 2 days"]]],
])("the limit %s is read", (limit, expected) => {
  const rates = expected.map(([countMax, windowMs, text]) => ({ countMax, windowMs, text }));
  expect(limitsOf({ limit })).toEqual({ rates });
});

it("reads everything at once", () => {
  expect(limitsOf({ limit: "60/min 2000/day, 4 at once 20 in all", same: "5 in 1 min" })).toEqual({
    rates: [
      { countMax: 60, windowMs: MINUTE_MS, text: "60/min" },
      { countMax: 2_000, windowMs: 1_440 * MINUTE_MS, text: "2000/day" },
    ],
    atOnceMax: 4,
    totalMax: 20,
    same: { countMax: 5, windowMs: MINUTE_MS, text: "5 in 1 min" },
  });
});

it("takes once as 1 in all, and no limit as none", () => {
  expect(limitsOf({ once: true })).toEqual({ rates: [], totalMax: 1 });
  expect(limitsOf({ once: false })).toEqual({ rates: [] });
  expect(limitsOf({})).toEqual({ rates: [] });
});

describe("what is wrong is told with its place and repeats no value", () => {
  const SHAPE = 'write it like "60/min 2000/day 4 at once" or "20 in all"; the units are s, min, h and day';
  test.each([
    ["lots", `limit cannot be read from its column 1 on; ${SHAPE}`],
    ["60/fortnight", `limit cannot be read from its column 1 on; ${SHAPE}`],
    ["60/min and 4 at once", `limit cannot be read from its column 7 on; ${SHAPE}`],
    ["60/min4 at once", `limit cannot be read from its column 1 on; ${SHAPE}`],
    ["1.5/min", `limit cannot be read from its column 1 on; ${SHAPE}`],
    ["-5/min", `limit cannot be read from its column 1 on; ${SHAPE}`],
    ["20 in 3 all", `limit cannot be read from its column 1 on; ${SHAPE}`],
    ["  ", `limit says nothing; ${SHAPE}`],
    ["0/min", 'limit must allow at least one call; to allow none, write "do": "refuse"'],
    ["5 in 0 min", "limit must be about a time longer than 0"],
    ["5 in 32 days", "limit must be about a time of at most 31 days"],
    ["9999999999/min", "limit must allow at most 1000000000 calls"],
    ["4 at once 5 at once", 'limit says "at once" twice'],
    ["4 in all 5 in all", 'limit says "in all" twice'],
  ])("limit %j", (limit, message) => {
    expect(limitsOf({ limit })).toEqual([message]);
  });

  test.each([
    [
      "5",
      'same cannot be read from its column 1 on; write it like "5 in 1 min"; the units are s, min, h and day',
    ],
    [
      "5 at once",
      'same must be one number of calls in one time; write it like "5 in 1 min"; the units are s, min, h and day',
    ],
    [
      "5/min 6/h",
      'same must be one number of calls in one time; write it like "5 in 1 min"; the units are s, min, h and day',
    ],
  ])("same %j", (same, message) => {
    expect(limitsOf({ same })).toEqual([message]);
  });

  it("all of it at once", () => {
    expect(limitsOf({ limit: "20 in all", same: "x", once: true })).toHaveLength(2);
  });
});

it("takes no time for a hostile text", () => {
  for (const text of [
    " ".repeat(100_000),
    "1".repeat(100_000),
    "1/min ".repeat(20_000),
    "1 in ".repeat(20_000),
  ]) {
    expect(parseLimits({ limit: text })).toBeDefined();
  }
});
