import { expect, it } from "vitest";
import { countHidden, piecesOf, readWritten } from "./hidden-characters.ts";

const namesIn = (text: string) =>
  piecesOf(text).flatMap((piece) => (piece.kind === "hidden" ? [piece.name] : []));

it.each([
  ["a zero-width space", "ig\u200Bnore", ["U+200B"]],
  ["a bidi control", "a\u202Eb\u2066c", ["U+202E", "U+2066"]],
  ["a terminal's escape", "a\u001B[31m", ["U+001B"]],
  ["a tag", "hi\u{E006E}", ["U+E006E"]],
  ["a soft hyphen", "a\u00ADb", ["U+00AD"]],
  ["half a surrogate pair", "\uD83Dx", ["U+D83D"]],
  ["a joiner between Latin letters", "a\u200Db", ["U+200D"]],
])("names what does not show: %s", (_, text, names) => expect(namesIn(text)).toEqual(names));

it.each([
  ["plain text with lines and tabs", "Reads a file.\n\tReturns – “as is” in 日本語."],
  ["an emoji with its style", "⚠️ ❤️ 1️⃣"],
  ["joined emoji", "👩‍💻 🏳️‍🌈 👨‍👩‍👧‍👦"],
  ["Persian and Hindi", "می‌خواهم क्‍ष"],
])("leaves what a script or an emoji needs: %s", (_, text) => expect(countHidden(text)).toBe(0));

it("loses nothing: the pieces are the text", () => {
  const text = "a\u200Bb\u200B\u200Bc";
  const back = piecesOf(text).map((piece) => (piece.kind === "text" ? piece.text : "\u200B"));
  expect(back.join("")).toBe(text);
});

it("reads the hidden characters that the gateway has written out, and nothing else", () => {
  expect(readWritten("cal\\u{200b}endar \\u{e006e}")).toBe("cal\u200Bendar \u{E006E}");
  expect(readWritten("a \\u{41} \\u{ffffff} \\u{}")).toBe("a \\u{41} \\u{ffffff} \\u{}");
});
