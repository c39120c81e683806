/**
 * What a person or a script sees. Data goes to stdout, everything else to stderr; with `--json`, stdout is exactly one
 * JSON value, also when the command fails. Text that came from outside is escaped, so that a description cannot move
 * the cursor or forge a line.
 */
import colours from "picocolors";
import { messageOf, RepertoireError, type ToolError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { reserveStdout } from "../../process/stdout.ts";
import { cut } from "../../text/cut.ts";
import { codeOfExit, EXIT, exitCodeOfThrown } from "./exit-code.ts";

export const { bold, cyan, dim, green, red, yellow } = colours;

/** What the global options say about how this process speaks. Whole commands, never parts of them, differ in it. */
export interface TerminalOptions {
  /** Failures are JSON on stdout, too. */
  readonly json: boolean;
  /** A filter for what is printed as JSON. */
  readonly jq?: string;
  /** No notes and no progress; errors and questions stay. */
  readonly quiet: boolean;
  /** False with `--no-input`, even at a terminal. */
  readonly mayAsk: boolean;
}

let terminal: TerminalOptions = { json: false, quiet: false, mayAsk: true };
let hasAnswered = false;
/** Whether everything is about what would be done. */
let isDry = false;
/** What waits for the filter. */
let unfiltered: { readonly value: unknown } | undefined;

/** Called once for each command, before it acts. */
export function configureTerminal(options: TerminalOptions): void {
  terminal = options;
  hasAnswered = false;
  isDry = false;
  unfiltered = undefined;
}

/** From here on nothing is done: JSON says so, and what would be a secret is none. */
export function markDryRun(): void {
  isDry = true;
}

export function isDryRun(): boolean {
  return isDry;
}

export function terminalOptions(): TerminalOptions {
  return terminal;
}

/** Data, as it is. */
export function write(text: string): void {
  reserveStdout().write(text);
}

export function print(line = ""): void {
  write(`${line}\n`);
}

export function printJson(answer: unknown): void {
  hasAnswered = true;
  const value = isDry && isPlainObject(answer) ? { dryRun: true, ...answer } : answer;
  if (terminal.jq === undefined) print(JSON.stringify(value, null, 2));
  else unfiltered = { value };
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The end of a command: filters its answer with `--jq`. The exit code is the command's own, unless the filter failed.
 * An error is printed whole: a filter for the answer would only hide it.
 */
export async function finishAnswer(exitCode: number): Promise<number> {
  const { jq } = terminal;
  if (jq === undefined || unfiltered === undefined) return exitCode;
  if (exitCode !== EXIT.ok && isError(unfiltered.value)) {
    print(JSON.stringify(unfiltered.value, null, 2));
    return exitCode;
  }
  const { runJq } = await import("./jq.ts");
  const reply = await runJq(unfiltered.value, jq);
  if (reply.kind === "filtered") {
    if (reply.output !== "") print(reply.output);
    return exitCode;
  }
  tell(`${red("error")} --jq: ${escapeLines(reply.message)}`);
  return EXIT.usage;
}

function isError(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "error" in answer && answer.error !== null;
}

/** A line about the work, not part of its result; `--quiet` leaves it out. */
export function note(line: string): void {
  if (!terminal.quiet) tell(line);
}

/** A line that must be read, quiet or not: an error, a question, what to do next. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

let lastProgress = "";

/** Progress while a command waits, such as a server that starts. A repeated line is not printed again. */
export function noteProgress(progress: JsonObject): void {
  const { message } = progress;
  const line = escapeUnprintable(typeof message === "string" ? message : JSON.stringify(progress));
  if (line !== lastProgress) note(line);
  lastProgress = line;
}

/** Text from outside that may have several lines. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeUnprintable).join("\n");
}

export function printToolError(error: ToolError): void {
  const [first, ...others] = error.message.split("\n").map(escapeUnprintable);
  tell(`${red("error")} ${error.code}: ${first}`);
  // What has many problems has a line for each.
  for (const line of others) tell(`  ${line}`);
  if (error.hint !== undefined) tell(`  ${escapeUnprintable(error.hint)}`);
}

export function printThrown(error: unknown): void {
  const exitCode = exitCodeOfThrown(error);
  if (!(error instanceof RepertoireError)) return printFailure({ message: messageOf(error), exitCode });
  const { code, message, hint } = error;
  printFailure({ message, exitCode, code, ...(hint !== undefined && { hint }) });
}

interface Failure {
  readonly message: string;
  readonly exitCode: number;
  readonly code?: string;
  readonly hint?: string;
}

/** Why a command failed, where no tool said so. With `--json` it is the answer, unless the command gave one already. */
export function printFailure({ message, exitCode, code, hint }: Failure): void {
  if (terminal.json && !hasAnswered) {
    printJson({
      error: { code: code ?? codeOfExit(exitCode), message, ...(hint !== undefined && { hint }) },
    });
    return;
  }
  tell(`${red("error")} ${escapeLines(message)}`);
  if (hint !== undefined) tell(`  ${escapeUnprintable(hint)}`);
}

/** The same where the exit code is all that the caller needs. */
export function failWith(exitCode: number, message: string, hint?: string): number {
  printFailure({ message, exitCode, ...(hint !== undefined && { hint }) });
  return exitCode;
}

/** Colours one column of a table; the text that it is given is padded. */
interface Paint {
  readonly column: number;
  readonly paint: (cell: string) => string;
}

const GAP = "  ";

/** Rows with aligned columns; the last column is cut where the terminal ends. */
export function printTable(rows: readonly (readonly string[])[], painted?: Paint): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => escaped(row, column).length)),
  );
  const total = process.stdout.isTTY ? process.stdout.columns || 100 : Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const cells = row.map((_, column) => {
      const text = escaped(row, column);
      return column === row.length - 1 ? text : text.padEnd(widths[column]!);
    });
    const line = cells.join(GAP);
    print(paintLine(cut(line, total), widths, painted));
  }
}

function paintLine(line: string, widths: readonly number[], painted: Paint | undefined): string {
  if (painted === undefined) return line;
  const start = widths.slice(0, painted.column).reduce((sum, width) => sum + width + GAP.length, 0);
  const end = start + widths[painted.column]!;
  return line.slice(0, start) + painted.paint(line.slice(start, end)) + line.slice(end);
}

function escaped(row: readonly string[], column: number): string {
  return escapeUnprintable(row[column] ?? "");
}
