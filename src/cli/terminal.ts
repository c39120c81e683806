/**
 * What a person or a script sees. Data goes to stdout, everything else to stderr; with `--json`, stdout is exactly one JSON
 * value. Text that came from outside is escaped, so that a description cannot move the cursor or forge a line.
 */
import colours from "picocolors";
import { messageOf, RepertoireError, type ToolError } from "../core/errors.ts";
import { escapeUnprintable } from "../core/printable.ts";
import { reserveStdout } from "../stdout.ts";

export const { bold, cyan, dim, green, red, yellow } = colours;

/** Data, as it is. */
export function write(text: string): void {
  reserveStdout().write(text);
}

export function print(line = ""): void {
  write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A line about the work, not part of its result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Text from outside that may have several lines. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeUnprintable).join("\n");
}

export function printToolError(error: ToolError): void {
  note(`${red("error")} ${error.code}: ${escapeUnprintable(error.message)}`);
  if (error.hint !== undefined) note(`  ${escapeUnprintable(error.hint)}`);
}

export function printThrown(error: unknown): void {
  note(`${red("error")} ${escapeLines(messageOf(error))}`);
  if (error instanceof RepertoireError && error.hint !== undefined)
    note(`  ${escapeUnprintable(error.hint)}`);
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
    print(paintLine(line.length > total ? `${line.slice(0, total - 1)}…` : line, widths, painted));
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
