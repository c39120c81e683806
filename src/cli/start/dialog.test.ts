import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { wrap } from "./dialog.ts";

it("ends lines where a word ends, and indents those that follow", () => {
  expect(wrap("  one two three four", 12, 4)).toEqual(["  one two", "    three", "    four"]);
  expect(wrap("short", 12)).toEqual(["short"]);
  expect(wrap("a\n\nb", 12)).toEqual(["a", "", "b"]);
});

it("cuts a word that is longer than a line", () => {
  expect(wrap("see /a/very/long/path here", 10)).toEqual(["see", "/a/very/lo", "ng/path", "here"]);
});

it("does not count colours", () => {
  const green = (text: string): string => `\u001B[32m${text}\u001B[39m`;
  const lines = wrap(`${green("✓")} one ${green("two")} three`, 10, 2);
  expect(lines.map(stripVTControlCharacters)).toEqual(["✓ one two", "  three"]);
});

it("keeps every word in its order, in lines that fit", () => {
  const word = fc.string({ minLength: 1, maxLength: 30, unit: fc.constantFrom("a", "b", "/", "-") });
  fc.assert(
    fc.property(
      fc.array(word),
      fc.integer({ min: 20, max: 60 }),
      fc.integer({ min: 0, max: 6 }),
      (words, width, indent) => {
        const lines = wrap(words.join(" "), width, indent);
        expect(lines.filter((line) => line.length > width)).toEqual([]);
        expect(lines.join("").replaceAll(" ", "")).toBe(words.join(""));
      },
    ),
  );
});
