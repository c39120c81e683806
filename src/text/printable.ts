import { escapeHidden } from "./visible-text.ts";

/** Nearly every text that is shown has nothing else in it. */
const PLAIN = /^[ -~]*$/;

/** What a program writes for a terminal, without its colours and movements of the cursor. */
export function withoutColours(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\x1B\[[0-9;?]*[A-Za-z]/g, "");
}

/** Shows text as it is, in one line, with every character that would not show, or would move others, written as `\u{…}`. */
export function escapeUnprintable(text: string): string {
  if (PLAIN.test(text)) return text;
  return escapeHidden(text).replace(/[\t\n]/g, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}
