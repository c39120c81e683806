import { SourceMap } from "node:module";
import type { InsertedText, Place, Program } from "./contract.ts";
import { cut } from "../../text/cut.ts";

/** What a place shows of the source: enough to find it, little enough for an answer that lists many. */
const PLACE_TEXT_MAX = 120;
/** What is cut out before white space is folded, so that a node of 256 KiB costs no more than a small one. */
const EXCERPT_MAX = 4 * PLACE_TEXT_MAX;

/** A text by lines; all numbers that it takes and gives as line or column count from 1. */
export interface LinedText {
  readonly lineCount: number;
  line(line: number): string;
  positionAt(offset: number): { readonly line: number; readonly column: number };
  offsetAt(position: { readonly line: number; readonly column: number }): number;
}

export function createLinedText(text: string): LinedText {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length);
  return {
    lineCount: starts.length,
    line: (line) =>
      text.slice(starts[line - 1] ?? text.length, starts[line] ?? text.length).replace(/[\r\n]+$/, ""),
    positionAt(offset) {
      const line = countUpTo(starts, offset);
      return { line, column: offset - starts[line - 1]! + 1 };
    },
    offsetAt: ({ line, column }) => (starts[line - 1] ?? text.length) + column - 1,
  };
}

/** How many of the sorted numbers are not above the limit. */
export function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The text between two offsets as a place shows it. */
export function excerpt(text: string, start: number, end: number): string {
  return shorten(text.slice(start, Math.min(end, start + EXCERPT_MAX)));
}

/** The part of a line that a place shows: all of it, or what is around the column. */
export function excerptOfLine(line: string, column: number): string {
  const start = line.length <= PLACE_TEXT_MAX ? 0 : Math.max(0, column - PLACE_TEXT_MAX / 2);
  return shorten(line.slice(start, start + EXCERPT_MAX));
}

function shorten(text: string): string {
  const folded = text.replace(/\s+/g, " ").trim();
  return cut(folded, PLACE_TEXT_MAX);
}

/** Maps a position in `script` to the guest's own; undefined for the wrapper's first line and, where the script is given, its last. */
export function placeInSource(
  program: Pick<Program, "sourceMap"> & Partial<Pick<Program, "script" | "inserted">>,
  line: number,
  scriptColumn: number,
): Pick<Place, "line" | "column"> | undefined {
  const isLast = program.script !== undefined && line >= createLinedText(program.script).lineCount;
  if (line <= 1 || isLast) return undefined;
  const column = columnWithout(program.inserted ?? [], line, scriptColumn);
  if (program.sourceMap === undefined) return { line: line - 1, column };
  return mapBack(readSourceMap(program.sourceMap), line, column);
}

function columnWithout(inserted: readonly InsertedText[], line: number, column: number): number {
  return inserted
    .filter((text) => text.line === line)
    .reduce((left, text) => left - Math.max(0, Math.min(text.length, left - text.column)), column);
}

export function readSourceMap(text: string): SourceMap {
  return new SourceMap(JSON.parse(text));
}

/** The map leads to the wrapped text, whose first line is the wrapper's. */
export function mapBack(
  map: SourceMap,
  line: number,
  column: number,
): Pick<Place, "line" | "column"> | undefined {
  const entry = map.findEntry(line - 1, column - 1);
  if (!("originalLine" in entry) || entry.originalLine === 0) return undefined;
  return { line: entry.originalLine, column: entry.originalColumn + 1 };
}
