import { expect, test } from "vitest";
import { compilePattern, compilePatterns } from "./glob.ts";

test.each([
  ["github__create", "github__create", true],
  ["github__create", "github__create_issue", false],
  ["github__*", "github__", true],
  ["github__*", "github__create", true],
  ["github__*", "xgithub__create", false],
  ["*", "", true],
  ["*__read*", "files__read_file", true],
  ["a*b*c", "abc", true],
  ["a*b*c", "axxbxxc", true],
  ["a*b*c", "acb", false],
  ["ab*ba", "aba", false],
  ["ab*ba", "abba", true],
  ["a**b", "ab", true],
  ["*.*", "ab", false],
])("%s matches %s: %s", (pattern, name, expected) => {
  expect(compilePattern(pattern)(name)).toBe(expected);
});

test("a pattern with many stars takes no time", () => {
  expect(compilePattern(`${"*a".repeat(500)}*b`)("a".repeat(5_000))).toBe(false);
});

test("of several patterns one is enough, and of none there is none", () => {
  const matches = compilePatterns(["a*", "*z", "m"]);
  expect(["ab", "yz", "m", "mm", ""].map(matches)).toEqual([true, true, true, false, false]);
  expect(compilePatterns([])("")).toBe(false);
});

test("nothing but * is special", () => {
  expect(compilePattern("a.c[1]?*")("a.c[1]?x")).toBe(true);
  expect(compilePattern("a.c*")("abc")).toBe(false);
});
