/**
 * What the guided start shows and asks. Everything goes to stderr, lines end where a word ends, and Ctrl-C at a
 * question ends the whole setup: `Stopped` is thrown to the one place that reports what was done and what was not.
 */
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { dim, note } from "../terminal/terminal.ts";
import { cut } from "../../text/cut.ts";

/** Ctrl-C, at a question or anywhere else. */
export class Stopped extends Error {}

interface Choice<T> {
  readonly value: T;
  readonly label: string;
  /** Shown behind the label of the choice that the cursor is at. */
  readonly hint?: string;
}

export interface Dialog {
  /** Text that is wrapped; lines after the first are indented by so many columns. `paint` colours each line. */
  say(text?: string, indent?: number, paint?: (line: string) => string): void;
  /** The width that text may have. */
  width(): number;
  yesNo(question: string): Promise<boolean>;
  one<T>(question: string, choices: readonly Choice<T>[]): Promise<T>;
  some<T>(question: string, choices: readonly Choice<T>[]): Promise<T[]>;
  word(question: string, proposal: string): Promise<string>;
  /** One line, or as many as it takes until `isWhole` is content or an empty line comes. */
  paste(isWhole: (text: string) => boolean): Promise<string>;
}

/** Longer lines are hard to read. */
const WIDTH_MAX = 110;
const WIDTH_OTHERWISE = 80;
/** Before a label; and together with those around a hint and with what a prompt leaves free at the right. */
const LABEL_MARKS_WIDTH = 8;
const HINT_MARKS_WIDTH = 20;

export function openDialog(): Dialog {
  const width = () => Math.min(process.stderr.columns || WIDTH_OTHERWISE, WIDTH_MAX);
  const common = { output: process.stderr };
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (typeof answer === "symbol") throw new Stopped();
    note("");
    return answer as Exclude<T, symbol>;
  };
  const fitted = <T>(choices: readonly Choice<T>[]): Choice<T>[] =>
    choices.map(({ value, label, hint }) => {
      const shown = cut(label, width() - LABEL_MARKS_WIDTH);
      const rest = width() - HINT_MARKS_WIDTH - shown.length;
      return { value, label: shown, ...(hint !== undefined && rest > 10 && { hint: cut(hint, rest) }) };
    });
  return {
    width,
    say(text = "", indent = 0, paint = String) {
      for (const line of wrap(text, width(), indent)) note(paint(line));
    },
    async yesNo(question) {
      const { confirm } = await import("@clack/prompts");
      return answered(await confirm({ ...common, message: question }));
    },
    async one(question, choices) {
      const { select } = await import("@clack/prompts");
      const options = fitted(choices) as Parameters<typeof select>[0]["options"];
      return answered(
        await select({ ...common, message: question, options }),
      ) as (typeof choices)[number]["value"];
    },
    async some(question, choices) {
      const { multiselect } = await import("@clack/prompts");
      const options = fitted(choices) as Parameters<typeof multiselect>[0]["options"];
      const initialValues = choices.map(({ value }) => value);
      const asked = { ...common, message: question, options, initialValues, required: false };
      return answered(await multiselect(asked)) as (typeof choices)[number]["value"][];
    },
    async word(question, proposal) {
      const { text } = await import("@clack/prompts");
      return answered(await text({ ...common, message: question, initialValue: proposal }));
    },
    paste: (isWhole) => readPasted(isWhole),
  };
}

/** Line by line, because a pasted block has line breaks, which would answer a question of one line too early. */
function readPasted(isWhole: (text: string) => boolean): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = createInterface({ input: process.stdin, output: process.stderr, prompt: dim("> ") });
  const lines: string[] = [];
  const end = () => {
    reader.close();
    resolve(lines.join("\n").trim());
  };
  reader.on("line", (line) => {
    const isOver = line.trim() === "";
    lines.push(line);
    if (isOver || isWhole(lines.join("\n"))) end();
  });
  reader.on("SIGINT", () => {
    reject(new Stopped());
    reader.close();
  });
  reader.on("close", end);
  reader.prompt();
  return promise;
}

/** Lines of at most so many columns that end where a word ends; a word that is longer than a line is cut. */
export function wrap(text: string, width: number, indent = 0): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, width, indent));
}

function wrapLine(line: string, width: number, indent: number): string[] {
  if (lengthOf(line) <= width) return [line];
  const begin = /^\s*/.exec(line)![0];
  const margin = " ".repeat(indent);
  const lines: string[] = [];
  let current = begin;
  let isFresh = true;
  for (const word of line
    .trim()
    .split(/ +/)
    .flatMap((whole) => pieces(whole, width - Math.max(indent, begin.length)))) {
    if (!isFresh && lengthOf(current) + 1 + lengthOf(word) > width) {
      lines.push(current);
      current = margin;
      isFresh = true;
    }
    current += isFresh ? word : ` ${word}`;
    isFresh = false;
  }
  return [...lines, current];
}

/** Colours would be torn apart, so a painted word stays whole. */
function pieces(word: string, length: number): string[] {
  if (lengthOf(word) <= length || stripVTControlCharacters(word) !== word) return [word];
  return word.match(new RegExp(`.{1,${length}}`, "gu")) ?? [word];
}

function lengthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
