import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { escapeUnprintable } from "../text/printable.ts";

export interface DiffLabels {
  readonly before: string;
  readonly after: string;
}

/** Ten times what one source may have; longer texts would take their time even where they hardly differ. */
const LENGTH_MAX = 2_500_000;
/**
 * Lines removed and added, together. The cost grows with the square: so many take about a quarter of a second. A
 * larger difference is easier to read as the new text.
 */
const CHANGED_LINES_MAX = 1_500;
/** Holds on a slow machine as well, where the number of lines alone would not. */
const TIMEOUT_MS = 700;
const CONTEXT_LINES = 3;

/** A unified diff of two texts; empty when they are equal. Texts too different to compare are said to be replaced. */
export function diffSources(before: string, after: string, labels: DiffLabels): string {
  if (before === after) return "";
  const head = `--- ${escapeUnprintable(labels.before)}\n+++ ${escapeUnprintable(labels.after)}\n`;
  return head + (findHunks(before, after) ?? wholeReplaced(before, after));
}

function findHunks(before: string, after: string): string | undefined {
  if (before.length + after.length > LENGTH_MAX) return undefined;
  return createTwoFilesPatch("", "", before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: OMIT_HEADERS,
    maxEditLength: CHANGED_LINES_MAX,
    timeout: TIMEOUT_MS,
  });
}

function wholeReplaced(before: string, after: string): string {
  return `replaced as a whole: ${countLines(before)} became ${countLines(after)}\n`;
}

function countLines(text: string): string {
  const breaks = text.split("\n").length - 1;
  const count = text === "" || text.endsWith("\n") ? breaks : breaks + 1;
  return count === 1 ? "1 line" : `${count} lines`;
}
