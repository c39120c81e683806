import { expect, it } from "vitest";
import { isoWeekOf, mondayOf } from "./iso-week.ts";

it.each([
  ["2026-11-18T19:46:14Z", "2026-W47", "2026-11-16"],
  ["2026-11-16T00:00:00Z", "2026-W47", "2026-11-16"],
  ["2026-11-15T23:59:59Z", "2026-W46", "2026-11-09"],
  ["2027-01-01T00:00:00Z", "2026-W53", "2026-12-28"],
  ["2024-12-30T00:00:00Z", "2025-W01", "2024-12-30"],
  ["1970-01-01T00:00:00Z", "1970-W01", "1969-12-29"],
])("%s is in %s, which began on %s", (at, week, monday) => {
  expect(isoWeekOf(Date.parse(at))).toBe(week);
  expect(new Date(mondayOf(Date.parse(at))).toISOString()).toBe(`${monday}T00:00:00.000Z`);
});
