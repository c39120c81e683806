/** Calls as a file: JSON as the API has them, or a table for a spreadsheet. */
import type { CallRow } from "./call-tail.ts";

export type ExportFormat = "json" | "csv";

/** In the order of the contract; `args` is JSON in its cell. */
const COLUMNS = [
  "id",
  "at",
  "who",
  "client",
  "profile",
  "kind",
  "tool",
  "effect",
  "decision",
  "rule",
  "args_digest",
  "args",
  "outcome",
  "elapsed_ms",
  "bytes",
  "run_id",
  "trace_id",
] as const satisfies readonly (keyof CallRow)[];

export function exportText(calls: readonly CallRow[], format: ExportFormat): string {
  return format === "json" ? `${JSON.stringify(calls, null, 2)}\n` : csvOf(calls);
}

/** RFC 4180: lines end with CR LF, and a cell is quoted where it must be. */
export function csvOf(calls: readonly CallRow[]): string {
  const rows = calls.map((call) => COLUMNS.map((column) => cellOf(call[column])).join(","));
  return [COLUMNS.join(","), ...rows, ""].join("\r\n");
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = inert(typeof value === "string" ? value : JSON.stringify(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A name that a server chose must not be a formula: a spreadsheet would execute it. */
function inert(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

export function exportName(format: ExportFormat, now: Date): string {
  return `repertoire-calls-${now.toISOString().slice(0, 19).replaceAll(":", "")}Z.${format}`;
}
