import { expect, it } from "vitest";
import { parseSince } from "./list-options.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");

it.each([
  ["30s", "2026-03-10T11:59:30.000Z"],
  ["5m", "2026-03-10T11:55:00.000Z"],
  ["2h", "2026-03-10T10:00:00.000Z"],
  ["7d", "2026-03-03T12:00:00.000Z"],
  ["2026-03-01", "2026-03-01T00:00:00.000Z"],
  ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000Z"],
])("D11: --since %s", (written, wanted) => {
  expect(new Date(parseSince(written, undefined, NOW)).toISOString()).toBe(wanted);
});

it.each(["", "soon", "2w", "-1h", "1.5h", "12", "2026-99-01", "March 1"])(
  "D11: --since %j is refused",
  (written) => {
    expect(() => parseSince(written, undefined, NOW)).toThrow("30m");
  },
);
