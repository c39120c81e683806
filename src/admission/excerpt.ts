import { makeVisible } from "../text/visible-text.ts";
import { escapeUnprintable } from "../text/printable.ts";

/** Enough to judge a text by, and one or two lines on a terminal. */
export const EXCERPT_LENGTH_MAX = 160;
/** How much of it comes before the place that it is about. */
const LEAD_LENGTH = 40;

/** The text around a place, word for word, on one line, with everything in it that would not show written out. */
export function excerptOf(text: string, at = 0): string {
  const start = Math.max(0, at - LEAD_LENGTH);
  const part = text.slice(start, start + 2 * EXCERPT_LENGTH_MAX).toWellFormed();
  const shown = (start === 0 ? "" : "…") + escapeUnprintable(makeVisible(part));
  const isWhole = shown.length <= EXCERPT_LENGTH_MAX && start + 2 * EXCERPT_LENGTH_MAX >= text.length;
  return isWhole ? shown : `${shown.slice(0, EXCERPT_LENGTH_MAX - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
