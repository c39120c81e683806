import { escapeUnprintable } from "../text/printable.ts";
import { cut } from "../text/cut.ts";

/** Enough to recognise what was named. */
const NAME_LENGTH_MAX = 200;
/** Enough for the sentence with which most services explain an error, and no page of HTML. */
const EXCERPT_LENGTH_MAX = 500;

/** A name from outside, made safe for a message. */
export function showName(name: string): string {
  return escapeUnprintable(cut(name, NAME_LENGTH_MAX));
}

/** The beginning of a longer text in one line. */
export function showExcerpt(text: string): string {
  const line = text
    .slice(0, 4 * EXCERPT_LENGTH_MAX)
    .replace(/\s+/g, " ")
    .trim();
  return escapeUnprintable(cut(line, EXCERPT_LENGTH_MAX));
}
