import fc from "fast-check";
import { expect, it } from "vitest";
import { cut, cutStart, cutToBytes, lineOf } from "./cut.ts";

const texts = fc.string({ unit: "binary", maxLength: 40 });

it("leaves a text alone that fits", () => {
  expect([cut("abc", 3), cutStart("abc", 3), cutToBytes("abc", 3)]).toEqual(["abc", "abc", "abc"]);
});

it("keeps the beginning or the end, and marks the cut", () => {
  expect([cut("abcdef", 4), cutStart("abcdef", 4), cutToBytes("abcdef", 4)]).toEqual([
    "abc…",
    "…def",
    "abcd",
  ]);
});

it("never ends inside a character", () => {
  expect([cut("a😀bcd", 3), cut("a😀bcd", 4)]).toEqual(["a…", "a😀…"]);
  expect([cutStart("abc😀d", 3), cutStart("abc😀d", 4)]).toEqual(["…d", "…😀d"]);
  expect(cutToBytes("aß", 2)).toBe("a");
});

it("shows no more than the mark where there is no room", () => {
  expect([cut("abc", 0), cutStart("abc", 0), cutToBytes("abc", 0)]).toEqual(["…", "…", ""]);
});

it("is never longer than its limit, and keeps a text of whole characters whole", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 50 }), (text, max) => {
      for (const some of [cut(text, max), cutStart(text, max)]) {
        expect(some.length).toBeLessThanOrEqual(max);
        expect(some.isWellFormed()).toBe(true);
      }
      expect(Buffer.byteLength(cutToBytes(text, max))).toBeLessThanOrEqual(max);
      expect(text.startsWith(cutToBytes(text, max))).toBe(true);
    }),
  );
});

it.each([
  ["a short text is folded to one line", "Adds\n  two numbers. ", 40, "Adds two numbers."],
  [
    "a longer one ends with the last sentence that fits",
    "One. Two two. Three three three.",
    16,
    "One. Two two.",
  ],
  ["where none ends in time, it is cut", "One two three four", 10, "One two t…"],
])("%s", (_, text, max, line) => {
  expect(lineOf(text, max)).toBe(line);
});
