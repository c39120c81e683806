import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { workedMs } from "../../test/rig/worked.ts";
import { dropLooseEnd, makeVisible } from "./visible-text.ts";

const toTags = (text: string) =>
  String.fromCodePoint(...Array.from(text, (char) => 0xe0000 + char.charCodeAt(0)));
const ENGLAND = `🏴${toTags("gbeng")}\u{E007F}`;

describe("text that does not show", () => {
  it.each([
    ["a terminal's escape", "a\u001B[31mred", "a\\u{1b}[31mred"],
    ["a control character", "a\u0007b\u009Bc", "a\\u{7}b\\u{9b}c"],
    ["a return that overwrites the line", "safe\rreal", "safe\\u{d}real"],
    ["a bidi control", "a\u202Eb\u2066c", "a\\u{202e}b\\u{2066}c"],
    ["a mark of direction", "a\u200Eb\u200Fc\u061C", "a\\u{200e}b\\u{200f}c\\u{61c}"],
    ["a zero-width space", "ig\u200Bnore\uFEFF\u2060", "ig\\u{200b}nore\\u{feff}\\u{2060}"],
    ["a tag", `hi${toTags("no")}`, "hi\\u{e006e}\\u{e006f}"],
    ["a variation selector", "a\uFE00b\u{E0100}", "a\\u{fe00}b\\u{e0100}"],
    ["a soft hyphen", "a\u00ADb", "a\\u{ad}b"],
    ["a filler that is drawn as nothing", "a\u3164b\u115F\u034F", "a\\u{3164}b\\u{115f}\\u{34f}"],
    ["a private character", "\uE000\u{F0000}", "\\u{e000}\\u{f0000}"],
    ["half a surrogate pair", "\uD83Dx\uDC00", "\\u{d83d}x\\u{dc00}"],
    ["a separator of lines", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"],
    ["an annotation", "\uFFF9a\uFFFAb\uFFFB", "\\u{fff9}a\\u{fffa}b\\u{fffb}"],
    ["a noncharacter", "\uFFFE\u{1FFFF}", "\\u{fffe}\\u{1ffff}"],
  ])("is written out: %s", (_, text, visible) => {
    expect(makeVisible(text)).toBe(visible);
  });

  it.each([
    ["more than 8 lines", `a${"\n".repeat(240)}b`, "a … [240 blank lines] … b"],
    ["lines of spaces", `a${" \n\t".repeat(9)}b`, "a … [9 blank lines] … b"],
    ["more than 100 spaces", `a${" ".repeat(101)}b`, "a … [101 spaces] … b"],
    ["wide and odd spaces", `a${"\u3000\u2800\u00A0".repeat(40)}b`, "a … [120 spaces] … b"],
    ["spaces between lines", `a\n${" ".repeat(200)}\nb`, "a\n … [200 spaces] … \nb"],
  ])("comes back into sight behind %s", (_, text, visible) => {
    expect(makeVisible(text)).toBe(visible);
  });
});

describe("what shows or is needed", () => {
  it.each([
    ["plain text", "Reads a file.\n\n\tReturns its text — “as is” in 日本語, é, ไทย."],
    ["lines and spaces in reason", `a${"\n".repeat(8)}b${" ".repeat(100)}c`],
    ["an emoji with its style", "⚠️ ©︎ ❤️ 1️⃣ #️⃣"],
    ["joined emoji", "👩‍💻 👩🏽‍🚀 🏳️‍🌈 ❤️‍🔥 👨‍👩‍👧‍👦"],
    ["a flag made of tags", `${ENGLAND} 🏴${toTags("gbsct")}\u{E007F}`],
    ["Persian", "می‌خواهم"],
    ["Hindi and Malayalam", "क्‍ष ന്‍റെ क्‌ष"],
    ["Sinhala", "ශ්‍රී"],
  ])("stays: %s", (_, text) => {
    expect(makeVisible(text)).toBe(text);
  });

  it.each([
    ["a joiner between Latin letters", "a\u200Db", "a\\u{200d}b"],
    ["a non-joiner at the end of a word", "می\u200C x", "می\\u{200c} x"],
    ["a second non-joiner", "می\u200C\u200Cخ", "می\\u{200c}\\u{200c}خ"],
    ["a joiner after the last emoji", "👩\u200D.", "👩\\u{200d}."],
    ["a second style", "⚠\uFE0F\uFE0E", "⚠\uFE0F\\u{fe0e}"],
    ["a style of a digit without a frame", "1\uFE0F2", "1\\u{fe0f}2"],
    ["a flag of no country", `🏴${toTags("usx")}\u{E007F}`, "🏴\\u{e0075}\\u{e0073}\\u{e0078}\\u{e007f}"],
    ["a flag without an end", `🏴${toTags("gb")}`, "🏴\\u{e0067}\\u{e0062}"],
    ["tags after a flag", `${ENGLAND}${toTags("x")}`, `${ENGLAND}\\u{e0078}`],
  ])("is not taken for it: %s", (_, text, visible) => {
    expect(makeVisible(text)).toBe(visible);
  });

  it("has its lines ended in one way", () => {
    expect(makeVisible("a\r\nb\r\n")).toBe("a\nb\n");
  });
});

const HIDDEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}\p{NChar}]/gu;
const KEPT =
  /[\p{Extended_Pictographic}\d#*]\uFE0F|\p{Extended_Pictographic}\uFE0E|🏴[\u{E0061}-\u{E007A}]{5}\u{E007F}|(?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])[\u200C\u200D](?=[\p{L}\p{M}\p{Extended_Pictographic}])/gu;

/** Texts in which the characters that matter meet each other often. */
const hostileText = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
      {
        weight: 5,
        arbitrary: fc.constantFrom(
          "\u200C",
          "\u200D",
          "\uFE0F",
          "\uFE0E",
          "👩",
          "💻",
          "🏽",
          "🏴",
          ENGLAND,
          "1",
          "\u20E3",
          "⚠",
          "م",
          "क",
          "\u094D",
          "\u17B4",
          "\u180B",
          "ᠠ",
          "a",
          "\r",
          "\n",
          "\r\n",
          " ",
          "\uD83D",
          "\uDC69",
          "\n".repeat(7),
          " ".repeat(60),
          "\u2800".repeat(50),
          "\u{E0067}",
          "\u{E007F}",
          "\u061C",
        ),
      },
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("any text", () => {
  it("is the same after the second time, and hides nothing but what belongs where it stands", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const visible = makeVisible(text);
        expect(makeVisible(visible)).toBe(visible);
        expect(visible.replace(KEPT, "").match(HIDDEN)).toBe(null);
      }),
      { numRuns: 1000 },
    );
  });

  it("stays visible wherever it is cut, once its loose end is dropped", () => {
    fc.assert(
      fc.property(hostileText, fc.nat(80), (text, length) => {
        const cut = dropLooseEnd(
          makeVisible(text)
            .slice(0, length)
            .replace(/[\uD800-\uDBFF]$/, ""),
        );
        expect(makeVisible(`${cut} … [cut]`)).toBe(`${cut} … [cut]`);
      }),
      { numRuns: 1000 },
    );
  });

  it("of 1 MB is read in one pass, whatever it is made of", () => {
    const units = ["\u200B", `🏴${toTags("gb")}`, "م\u200C", "👩\u200D", "        x", "       \n\u200B"];
    const ms = workedMs(() => {
      for (const unit of units) makeVisible(unit.repeat(1_000_000 / unit.length));
    });
    // One pass over all of them takes a second; a pass for each character would take hours.
    expect(ms).toBeLessThan(60_000);
  }, 120_000);
});
