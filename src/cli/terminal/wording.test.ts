import { expect, it } from "vitest";
import { agoOf } from "./wording.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");

it.each([
  ["2026-03-10T11:59:58.000Z", "just now"],
  ["2026-03-10T11:59:20.000Z", "40 s ago"],
  ["2026-03-10T11:59:00.000Z", "1 min ago"],
  ["2026-03-10T11:00:01.000Z", "59 min ago"],
  ["2026-03-10T07:00:00.000Z", "5 h ago"],
  ["2026-03-09T11:00:00.000Z", "1 day ago"],
  ["2026-02-20T11:00:00.000Z", "18 days ago"],
  ["2025-12-24T11:00:00.000Z", "2025-12-24"],
  ["2026-03-10T12:00:30.000Z", "just now"],
  ["2026-03-10T13:00:00.500Z", "2026-03-10T13:00:00Z"],
  ["never", "never"],
])("C7: %s is told as %s", (iso, wanted) => {
  expect(agoOf(iso, NOW)).toBe(wanted);
});
