import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../fixtures/temporary.ts";
import { loadBaseline } from "./baseline.ts";

function baselineOf(text: string) {
  const file = join(temporaryFolder(), "baseline.yml");
  writeFileSync(file, text);
  return loadBaseline(file);
}

test("an entry is a scenario or one check of it, with its reason", () => {
  const baseline = baselineOf(
    [
      "# a comment",
      "stdio@2026-07-28:",
      "  - caching # whole",
      "  - auth/x:check-$id # one",
      "http@2026-07-28: []",
    ].join("\n"),
  );
  expect(baseline.get("stdio@2026-07-28")).toEqual([
    { scenario: "caching", reason: "whole" },
    { scenario: "auth/x", check: "check-$id", reason: "one" },
  ]);
  expect(baseline.get("http@2026-07-28")).toEqual([]);
});

test("an entry without a reason is refused", () => {
  expect(() => baselineOf("a@b:\n  - caching\n")).toThrow('"caching" has no reason');
});

test("a line that is not understood is refused", () => {
  expect(() => baselineOf("a@b:\n  caching: yes # no list\n")).toThrow("not understood");
});

test("the baseline of the project can be read", () => {
  expect(() => loadBaseline()).not.toThrow();
});
