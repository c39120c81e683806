import { expect, it } from "vitest";
import { workedMs } from "../../test/rig/worked.ts";
import { createMatcher } from "./library.ts";

it.each([
  [null, "anything", true],
  ["", "anything", true],
  ["sum", "math:sum", true],
  ["SUM", "math:sum", true],
  ["sub", "math:sum", false],
  ["math:*", "math:sum", true],
  ["math:*", "xmath:sum", false],
  ["*sum", "math:sum", true],
  ["m?th:*", "math:sum", true],
  ["*", "", true],
  ["a.c", "abc", false],
  ["[ab]", "a", false],
])("%j against %j: %s", (pattern, text, expected) => {
  expect(createMatcher(pattern)([text])).toBe(expected);
});

it("matches if one of the texts does", () => {
  expect(createMatcher("b*")(["abc", "bcd"])).toBe(true);
});

it("takes no exponential time on a hostile glob", () => {
  expect(workedMs(() => createMatcher(`${"*a".repeat(90)}b`)(["a".repeat(20_000)]))).toBeLessThan(5_000);
});
