/** The guest's text in its wrapper, and where a thing in what was made of it is in the guest's own lines. */
import type { Place } from "./contract.ts";
import { createLinedText, excerpt, excerptOfLine, mapBack, readSourceMap } from "./place.ts";

const HEAD = "(async () => {\n";
const TAIL = "\n})";

/** A line and column of the wrapped text, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface WrappedSource {
  readonly text: string;
  /** The text as its writer sent it, in the same places. */
  readonly shown: string;
  /** Whether a position lies behind the code, where the wrapper ends. */
  isBehind(position: Position): boolean;
  /** A place with the line around it; a position in the wrapper moves to the nearest of the code. */
  placeOf(position: Position): Place;
  /** The word that starts there. */
  wordAt(position: Position): string;
  offsetAt(position: Position): number;
}

/** A byte order mark and a hashbang may open a file but not a function: both become blank without moving anything. */
export function wrapSource(code: string): WrappedSource {
  return readWrapped(HEAD + code.replace(/^(\uFEFF?)#!/, "$1//").replace(/^\uFEFF/, " ") + TAIL);
}

/** Text that is in its wrapper already; `shown` is what it was before words in it were blanked out. */
export function readWrapped(text: string, shown = text): WrappedSource {
  const lines = createLinedText(text);
  const shownLines = shown === text ? lines : createLinedText(shown);
  const lastLine = lines.lineCount - 1;
  const isBehind = (position: Position): boolean => position.line > lastLine;

  function endOfCode(): Position {
    let line = lastLine;
    while (line > 2 && lines.line(line).trim() === "") line--;
    return { line, column: lines.line(line).length + 1 };
  }

  return {
    text,
    shown,
    isBehind,
    placeOf(position) {
      const { line, column } =
        position.line < 2 ? { line: 2, column: 1 } : isBehind(position) ? endOfCode() : position;
      return { line: line - 1, column, text: excerptOfLine(shownLines.line(line), column) };
    },
    offsetAt: (position) => lines.offsetAt(position),
    wordAt: ({ line, column }) => /^\w*/.exec(lines.line(line).slice(column - 1))![0],
  };
}

/** Finds offsets of a script in the source that it was made from. */
export interface ScriptPlaces {
  positionAt(offset: number): Position;
  placeOf(span: { readonly start: number; readonly end: number }): Place;
}

export function createScriptPlaces(
  source: WrappedSource,
  script: { readonly text: string; readonly sourceMap?: string },
): ScriptPlaces {
  const lines = createLinedText(script.text);
  const map = script.sourceMap === undefined ? undefined : readSourceMap(script.sourceMap);
  // Blanked types are where they were, so the guest's own text can be shown with them.
  const shown = map === undefined ? source.shown : script.text;

  function positionAt(offset: number): Position {
    const position = lines.positionAt(offset);
    if (map === undefined) return position;
    const mapped = mapBack(map, position.line, position.column) ?? { line: 0, column: 1 };
    return { line: mapped.line + 1, column: mapped.column };
  }

  return {
    positionAt,
    placeOf({ start, end }) {
      const { line, column } = positionAt(start);
      return { line: Math.max(1, line - 1), column, text: excerpt(shown, start, end) };
    },
  };
}
