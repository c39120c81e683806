import { describe, expect, it } from "vitest";
import { escapeUnprintable } from "./printable.ts";

describe("text on a terminal", () => {
  it.each([
    ["a variation selector", "a\uFE01b", "a\\u{fe01}b"],
    ["one of the supplement", "a\u{E0100}b", "a\\u{e0100}b"],
    ["a Hangul filler", "a\u3164b", "a\\u{3164}b"],
    ["a half-width Hangul filler", "a\uFFA0b", "a\\u{ffa0}b"],
    ["a Hangul choseong filler", "a\u115Fb", "a\\u{115f}b"],
    ["an override of the direction", "a\u202Eb", "a\\u{202e}b"],
    ["a control sequence of one character", "a\u009B31mb", "a\\u{9b}31mb"],
    ["an escape", "\u001B[31m", "\\u{1b}[31m"],
    ["a newline and a tab", "a\nb\tc\rd", "a\\u{a}b\\u{9}c\\u{d}d"],
    ["a half of a pair", "a\uD800b", "a\\u{d800}b"],
  ])("S18: shows %s as its number", (_, text, shown) => expect(escapeUnprintable(text)).toBe(shown));

  it.each(["plain", "größer", "한국어", "❤\uFE0F", "👩\u200D👩\u200D👧", "نمی\u200Cخواهم", ""])(
    "shows %j as it is",
    (text) => expect(escapeUnprintable(text)).toBe(text),
  );
});
