import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTextFinder } from "./text-finder.ts";

const mark = (found: string) => `<${found.length}>`;

/** What a regular expression makes of it, the longest first. */
function expected(texts: readonly string[], text: string): string {
  const longestFirst = texts.filter((one) => one.length >= 2).sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return text;
  return text.replace(new RegExp(longestFirst.map((one) => RegExp.escape(one)).join("|"), "g"), mark);
}

describe("a text finder", () => {
  it("replaces every text that it knows, and the longest of those that begin at one place", () => {
    const finder = createTextFinder(["secret", "secret-longer", "other"]);
    expect(finder.replace("a secret-longer, a secret and an other", mark)).toBe("a <13>, a <6> and an <5>");
  });

  it("gives back the very same text where there is nothing to find", () => {
    const text = "nothing of interest ".repeat(3);
    expect(createTextFinder(["secret"]).replace(text, mark)).toBe(text);
    expect(createTextFinder([]).replace(text, mark)).toBe(text);
    expect(createTextFinder(["", "n"]).replace(text, mark)).toBe(text);
  });

  it("finds what a regular expression finds, wherever it is", () => {
    // Few letters, so that texts overlap, contain and nearly repeat each other.
    const word = fc.string({ unit: fc.constantFrom("a", "b", "é", "\u{1F600}"), maxLength: 6 });
    const body = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "\u{1F600}"), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), body, (texts, text) => {
        expect(createTextFinder(texts).replace(text, mark)).toBe(expected(texts, text));
      }),
      { numRuns: 2000 },
    );
  });

  it("finds texts that are longer than a step of its table", () => {
    const long = "x1".repeat(300);
    expect(createTextFinder([long]).replace(`${"-".repeat(1000)}${long}-`, mark)).toBe(
      `${"-".repeat(1000)}<600>-`,
    );
  });
});
