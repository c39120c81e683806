import { escapeUnprintable } from "../text/printable.ts";

/** Enough to recognise what was named. */
const NAME_LENGTH_MAX = 200;
/** Enough for the sentence with which most services explain an error, and no page of HTML. */
const EXCERPT_LENGTH_MAX = 500;

/** A name from outside as it may stand in a message. */
export function showName(name: string): string {
  const cut = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name;
  return escapeUnprintable(cut);
}

/** The beginning of a longer text in one line. */
export function showExcerpt(text: string): string {
  const line = text
    .slice(0, 4 * EXCERPT_LENGTH_MAX)
    .replace(/\s+/g, " ")
    .trim();
  return escapeUnprintable(line.slice(0, EXCERPT_LENGTH_MAX));
}
