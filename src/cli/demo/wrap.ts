/** Text in lines of a width. A word is cut only where it alone is longer than a line. */

export interface WrapOptions {
  readonly width: number;
  /** Columns before the first line, and before those that follow it. */
  readonly indent?: number;
  readonly hanging?: number;
}

/** Narrower lines are hard to read: wrapping is left to the terminal. */
const WIDTH_MIN = 20;

export function wrap(text: string, { width, indent = 0, hanging = indent }: WrapOptions): string[] {
  const lines: string[] = [];
  let rest = text;
  let before = indent;
  do {
    const room = Math.max(width - before, WIDTH_MIN);
    const end = rest.length <= room ? rest.length : findBreak(rest, room);
    lines.push(" ".repeat(before) + rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
    before = hanging;
  } while (rest !== "");
  return lines;
}

/** Where a word may be parted, the better places first. */
const MARKS = [[",", ";"], [":"], ["/", "_", ".", "-"]];

/** The last place within the room: behind a space, else behind a mark, else wherever the line ends. */
function findBreak(text: string, room: number): number {
  for (const marks of [[" "], ...MARKS]) {
    // A space may be the first character that has no room.
    const at = Math.max(...marks.map((mark) => text.lastIndexOf(mark, mark === " " ? room : room - 1)));
    if (at > 0) return at + 1;
  }
  return room;
}

/**
 * The columns of the terminal that stdout is, or that `COLUMNS` speaks of; without either, lines are as long as they
 * are.
 */
export function outputColumns(): number {
  if (process.stdout.isTTY && process.stdout.columns > 0) return process.stdout.columns;
  const told = Number(process.env["COLUMNS"]);
  return Number.isInteger(told) && told > 0 ? told : Number.POSITIVE_INFINITY;
}
