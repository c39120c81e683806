import { expect, it } from "vitest";
import { countOf, formatBytes, formatDuration, formatRelative } from "./format.ts";

it.each([
  [0, "0 ms"],
  [0.42, "0.4 ms"],
  [38.4, "38 ms"],
  [1_240, "1.24 s"],
  [12_340, "12.3 s"],
  [125_000, "2 m 05 s"],
  [11_520_000, "3 h 12 m"],
  [183_600_000, "2 d 3 h"],
])("writes %d ms as %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

it.each([
  [812, "812 B"],
  [3_500, "3.4 KiB"],
  [20_971_520, "20.0 MiB"],
])("writes %d bytes as %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it("writes an instant as its distance, and as a date when that is long", () => {
  const now = Date.UTC(2026, 5, 15, 12);
  expect(formatRelative(now - 400, now)).toBe("now");
  expect(formatRelative(now - 12_000, now)).toBe("12 s ago");
  expect(formatRelative(now + 40_000, now)).toBe("in 40 s");
  expect(formatRelative(now - 3 * 86_400_000, now)).toBe("3 d ago");
  expect(formatRelative(now - 30 * 86_400_000, now)).toBe("May 16");
});

it("has one of a thing, and several", () => {
  expect([countOf(1, "call"), countOf(1_200, "call"), countOf(2, "entry", "entries")]).toEqual([
    "1 call",
    "1,200 calls",
    "2 entries",
  ]);
});
