/** The report for people: one line for each check, servers in columns, and what else there is to say indented below. */
import { escapeUnprintable } from "../../text/printable.ts";
import type { Check, ServerReport } from "./check.ts";
import { describeServer } from "./server-checks.ts";
import { bold, dim, green, red, yellow } from "../terminal/terminal.ts";

const MARKS = { ok: green("✓"), warning: yellow("!"), failed: red("✗") } as const;
const NAME_WIDTH = 8;
const INDENT = " ".repeat(NAME_WIDTH + 3);
/** Enough to see what is going on; `--json` has them all. */
const FINDINGS_SHOWN_MAX = 3;
const STDERR_LINES_SHOWN_MAX = 5;

export function renderChecks(checks: readonly Check[]): string[] {
  const reports = checks.flatMap(({ server }) => server ?? []);
  const idWidth = Math.max(0, ...reports.map(({ id }) => escapeUnprintable(id).length));
  const widths = widthsOf(checks.filter(isUp).map(({ server }) => describeServer(server!)));
  return checks.flatMap((check) => [
    lineOf(check, idWidth, widths),
    ...detailsOf(check).map((line) => `${INDENT}${line}`),
  ]);
}

function lineOf(check: Check, idWidth: number, widths: readonly number[]): string {
  const { name, state, cure, server } = check;
  const head = `${MARKS[state]} ${name.padEnd(NAME_WIDTH)} `;
  const id = server === undefined ? "" : `${escapeUnprintable(server.id).padEnd(idWidth)}  `;
  const message = isUp(check) ? inColumns(describeServer(server!), widths) : escapeUnprintable(check.message);
  return `${head}${id}${message}${cure === undefined ? "" : `  → ${bold(escapeUnprintable(cure))}`}`;
}

function isUp({ server, state }: Check): boolean {
  return server?.era !== undefined && state !== "failed";
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
}

function inColumns(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => escapeUnprintable(cell).padEnd(widths[column]!))
    .join("  ")
    .trimEnd();
}

function detailsOf({ advice, server }: Check): string[] {
  return [
    ...(server === undefined ? [] : serverDetailsOf(server)),
    ...(advice === undefined ? [] : [escapeUnprintable(advice)]),
  ];
}

function serverDetailsOf({ rejected, findings, stderr = [] }: ServerReport): string[] {
  const [first] = rejected;
  const shown = findings.slice(0, FINDINGS_SHOWN_MAX);
  const more = findings.length - shown.length;
  return [
    ...stderr.slice(-STDERR_LINES_SHOWN_MAX).map((line) => dim(`│ ${escapeUnprintable(line)}`)),
    ...shown.map(({ kind, tool, message, excerpt }) =>
      yellow(escapeUnprintable(`warning: ${kind} ${tool}: ${message}: ${excerpt}`)),
    ),
    ...(more > 0 ? [yellow(`and ${more} more`)] : []),
    ...(first === undefined ? [] : [escapeUnprintable(describeRejected(rejected.length, first))]),
  ];
}

function describeRejected(
  count: number,
  { kind, name, code, reason }: ServerReport["rejected"][number],
): string {
  const more = count === 1 ? "" : ` (and ${count - 1} more)`;
  return `${count} rejected: ${kind} ${name} (${code}): ${reason}${more}`;
}
