/** Control, format (bidi, zero-width), line-separating, private and unpaired characters: what could forge or hide text on a terminal. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** Shows text as it is, with every character that would not show, or would move others, written as `\u{…}`. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}
