/** How the demo shows things: in lines that fit the terminal, each kind of thing in its colour. */
import { escapeUnprintable } from "../../text/printable.ts";
import { bold, cyan, dim, green, print, red } from "../terminal/terminal.ts";

type Paint = (text: string) => string;

const BODY = 3;
const DETAIL = 5;
/** The column of descriptions, if the terminal is wide enough. */
const NAME_COLUMN = 22;
const NARROW_COLUMNS = 70;

const plain: Paint = (text) => text;

/** One paragraph, wrapped; text from servers is escaped. */
function paragraph(text: string, paint: Paint, indent: number, hanging = indent): void {
  const lines = wrap(escapeUnprintable(text), { width: outputColumns(), indent, hanging });
  for (const line of lines) print(paint(line));
}

export function title(number: number, text: string): void {
  print();
  paragraph(`${number}. ${text}`, bold, 0, BODY);
}

export const remark = (text: string): void => paragraph(text, dim, BODY);
export const detail = (text: string, paint: Paint = plain): void => paragraph(text, paint, DETAIL);
export const beginning = (text: string): void => paragraph(text, dim, 0);
export const gloss = (text: string): void => paragraph(text, dim, DETAIL + 2);
export const aside = (text: string): void => paragraph(text, dim, DETAIL, DETAIL + 2);

export function code(text: string): void {
  for (const line of text.split("\n")) paragraph(line, cyan, DETAIL, DETAIL + 2);
}

/** The lines that differ, of two texts of as many lines. */
export function correction(before: string, after: string): void {
  const corrected = after.split("\n");
  for (const [at, line] of before.split("\n").entries()) {
    if (line === corrected[at]) {
      paragraph(`  ${line}`, dim, BODY, DETAIL + 2);
      continue;
    }
    paragraph(`- ${line}`, red, BODY, DETAIL + 2);
    paragraph(`+ ${corrected[at]!}`, green, BODY, DETAIL + 2);
  }
}

/** A call with its arguments and its result. */
export function call(name: string, args: unknown, isError: boolean, answer = ""): void {
  const mark = isError ? "✗" : "✓";
  const [first = "", ...others] = wrap(`${mark} ${name} ${JSON.stringify(args)} ${answer}`, {
    width: outputColumns(),
    indent: BODY,
    hanging: DETAIL,
  });
  const painted = first.replace(mark, isError ? red(mark) : green(mark)).replace(name, () => bold(name));
  for (const line of [painted, ...others]) print(line);
}

/** A name with what it is. */
export function entry(name: string, text: string): void {
  const width = outputColumns();
  if (width < NARROW_COLUMNS) {
    paragraph(name, cyan, BODY);
    return paragraph(text, plain, DETAIL);
  }
  const [first = "", ...others] = wrap(text, { width, indent: NAME_COLUMN });
  print(`${" ".repeat(BODY)}${cyan(name.padEnd(NAME_COLUMN - BODY))}${first.trimStart()}`);
  for (const line of others) print(line);
}

/** A command to copy: a line break of ours would break it, the terminal's own does not. */
export function command(text: string): void {
  print(`${" ".repeat(DETAIL)}${cyan(text)}`);
}

/** Text in lines of a width. A word is cut only where it alone is longer than a line. */

interface WrapOptions {
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
function outputColumns(): number {
  if (process.stdout.isTTY && process.stdout.columns > 0) return process.stdout.columns;
  const told = Number(process.env["COLUMNS"]);
  return Number.isInteger(told) && told > 0 ? told : Number.POSITIVE_INFINITY;
}
