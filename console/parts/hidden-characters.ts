/**
 * Which characters of a text do not show, or move and hide others. A server's text is shown with each of them written out, so
 * that a person sees what a model reads. The gateway has the same definition (`src/text/visible-text.ts`); the page has its own,
 * because it imports nothing of the gateway.
 */

/** Control (but newline and tab), format, separators, private, unpaired, and those that fonts are told not to draw. */
const HIDDEN = /[\0-\u0008\u000B-\u001F\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}\p{NChar}]/gu;
const ANY_REASON = /[^ -~\n\t]/;
const EMOJI_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
const JOINING = String.raw`\p{scx=Arabic}\p{scx=Syriac}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}`;
const LETTER_BEFORE = new RegExp(`[${JOINING}]$`, "u");
const LETTER_AFTER = new RegExp(`^[${JOINING}]`, "u");
const STYLED_BEFORE = /[\p{Extended_Pictographic}\d#*]$/u;

/** A piece of a text: shown as it is, or the name of a character that does not show. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "hidden"; readonly name: string };

/** The pieces of a text; one where nothing is hidden. */
export function piecesOf(text: string): readonly Piece[] {
  if (!ANY_REASON.test(text)) return [{ kind: "text", text }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: char, index } of text.matchAll(HIDDEN)) {
    if (belongs(char, text.slice(Math.max(0, index - 2), index), text.slice(index + char.length, index + 3)))
      continue;
    if (index > from) pieces.push({ kind: "text", text: text.slice(from, index) });
    pieces.push({ kind: "hidden", name: nameOf(char) });
    from = index + char.length;
  }
  if (from < text.length || pieces.length === 0) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

/** How many characters of a text do not show. */
export function countHidden(text: string): number {
  return piecesOf(text).filter(({ kind }) => kind === "hidden").length;
}

/** `\u{200b}`, as the gateway writes a hidden character of a server's text. */
const WRITTEN = /\\u\{([0-9a-f]{1,6})\}/g;

/** The text with the hidden characters in it that the gateway has written out, so that each becomes one chip. */
export function readWritten(text: string): string {
  return text.replaceAll(WRITTEN, (written, digits: string) => {
    const code = Number.parseInt(digits, 16);
    const char = code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
    return char !== "" && countHidden(char) === 1 ? char : written;
  });
}

/** `U+200B`. */
export function nameOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Whether a script or an emoji needs the character where it is. */
function belongs(char: string, before: string, after: string): boolean {
  switch (char) {
    case "\uFE0F":
    case "\uFE0E":
      return STYLED_BEFORE.test(before);
    case "\u200C":
      return LETTER_BEFORE.test(before) && LETTER_AFTER.test(after);
    case "\u200D":
      return (
        (LETTER_BEFORE.test(before) && LETTER_AFTER.test(after)) ||
        (EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after))
      );
    default:
      return false;
  }
}
