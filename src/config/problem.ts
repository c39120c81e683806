/**
 * What is wrong with a config, for a person or a model: where it is, what is wrong, what to do. A problem names keys
 * and variables and never repeats a value, because any value may be a secret.
 */
import { escapeUnprintable } from "../text/printable.ts";
import { cut } from "../text/cut.ts";
import { quote } from "../text/quote.ts";

export interface ConfigProblem {
  /** The file as the user would name it, or `environment`. */
  readonly file: string;
  /** From 1; absent when the problem is with the file as a whole or in the environment. */
  readonly line?: number;
  readonly column?: number;
  /** The key, as `mcpServers.github.command`, or the name of a variable; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** The next step. */
  readonly hint?: string;
  readonly missing?: MissingValue;
}

/** The value that is missing, where that is the problem. */
type MissingValue = { readonly variable: string } | { readonly input: string };

export type KeyPath = readonly (string | number)[];

/** A problem that is not yet located in the text. */
export interface Complaint {
  readonly path: KeyPath;
  /** Whether to point at the key itself or at its value. */
  readonly at: "key" | "value";
  readonly message: string;
  readonly hint?: string;
  readonly missing?: MissingValue;
  /** What an unknown key was surely meant to be: the one key that is near. */
  readonly rename?: string;
}

/** A key longer than this is cut in messages, so that a hostile file cannot flood the terminal. */
const SHOWN_KEY_LENGTH_MAX = 80;
/** More are not read at a time; the rest shows when these are fixed. */
export const PROBLEM_COUNT_MAX = 100;

/** The input or variable whose missing value is the problem. */
export function missingName({ missing }: ConfigProblem, kind: "input" | "variable"): string | undefined {
  const named: { readonly input?: string; readonly variable?: string } = missing ?? {};
  return named[kind];
}

/** Whether there are problems, and all of them are values that a person still has to give. */
export function lackOnlyInputs(problems: readonly ConfigProblem[]): boolean {
  return problems.length > 0 && problems.every((problem) => missingName(problem, "input") !== undefined);
}

/** `repertoire.json:12:5  mcpServers.github.comand: unknown key; did you mean "command"?` */
export function formatProblem(problem: ConfigProblem): string {
  const place =
    problem.line === undefined ? problem.file : `${problem.file}:${problem.line}:${problem.column ?? 1}`;
  const path = problem.path === "" ? "" : `${problem.path}: `;
  const hint = problem.hint === undefined ? "" : `; ${problem.hint}`;
  return escapeUnprintable(`${place}  ${path}${problem.message}${hint}`);
}

/** A path as one would write it in code, with control characters escaped. */
export function formatPath(path: KeyPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(part))
      text += `${text === "" ? "" : "."}${cut(part, SHOWN_KEY_LENGTH_MAX)}`;
    else text += `[${quoteKey(part)}]`;
  }
  return text;
}

/** A key for a message: in quotes, cut, with control characters escaped. */
export function quoteKey(key: string): string {
  return escapeUnprintable(quote(key, SHOWN_KEY_LENGTH_MAX));
}

/** The first problems in the order of the text, and how many more there are. */
export function arrangeProblems(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const sorted = [...problems].sort(
    (a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0) || 0,
  );
  const rest = sorted.length - PROBLEM_COUNT_MAX;
  if (rest <= 0) return sorted;
  const file = sorted[0]!.file;
  return [
    ...sorted.slice(0, PROBLEM_COUNT_MAX),
    { file, path: "", message: `${rest} more problems are not shown` },
  ];
}
