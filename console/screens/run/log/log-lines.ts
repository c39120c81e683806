/** What a run printed, and when its steps began and ended, in one list. */
import { formatNumber } from "../../../parts/format.ts";
import { shownStatus } from "../waterfall/bar.ts";
import type { Chosen } from "../waterfall/chosen.ts";
import { chosenOfRow } from "../waterfall/chosen.ts";
import type { WaterRow } from "../waterfall/row-types.ts";

type LogLevel = "debug" | "info" | "warn" | "error" | "step";

export interface LogLine {
  readonly id: string;
  /** From the start of the run; undefined where it was not recorded. */
  readonly atMs: number | undefined;
  readonly level: LogLevel;
  readonly text: string;
  /** Of a step: how it is, in the words of badges. */
  readonly state?: string;
  readonly chosen?: Chosen;
}

type Printed = Readonly<Record<string, unknown>> & { readonly level: string; readonly message: string };

const LEVELS: ReadonlySet<string> = new Set(["debug", "info", "warn", "error"]);

/** In the order of time. What has no time comes last, in the order in which it was printed. */
export function logLines(rows: readonly WaterRow[], printed: readonly Printed[]): readonly LogLine[] {
  const timed = [...rows.flatMap(stepLines), ...printed.flatMap(printedLine)];
  return timed.sort((a, b) => (a.atMs ?? Infinity) - (b.atMs ?? Infinity) || 0);
}

function printedLine(line: Printed, at: number): LogLine {
  const { level, message, at_ms: atMs, truncated_from: length } = line;
  const cut = typeof length === "number" ? ` … (${formatNumber(length)} characters)` : "";
  return {
    id: `printed ${at}`,
    atMs: typeof atMs === "number" ? atMs : undefined,
    level: LEVELS.has(level) ? (level as LogLevel) : "info",
    text: `${message}${cut}`,
  };
}

function stepLines(row: WaterRow): LogLine[] {
  const chosen = chosenOfRow(row);
  if (chosen === undefined || (row.kind !== "step" && row.kind !== "group")) return [];
  const isStep = row.kind === "step";
  const { status, started_ms: startedMs, elapsed_ms: elapsedMs } = isStep ? row.step : row.group;
  const name = isStep ? row.step.name : `${row.group.tool} × ${formatNumber(row.group.count)}`;
  const atMs = row.place.offsetMs + Math.max(0, startedMs);
  const state = shownStatus(status, row.place.endMs !== undefined);
  const isFromJournal = isStep ? row.step.from_journal !== undefined : row.group.from_journal;
  const end = { id: `${row.id} end`, level: "step" as const, state, chosen };
  if (isFromJournal) return [{ ...end, atMs, text: `${name} from the journal` }];
  const error = isStep && row.step.error !== undefined ? `: ${row.step.error.message}` : "";
  const begin: LogLine = { id: `${row.id} begin`, atMs, level: "step", text: `${name} begins`, chosen };
  if (elapsedMs === null || state === "under_way") return [begin];
  return [begin, { ...end, atMs: atMs + elapsedMs, text: `${name} ${ENDS[state] ?? "ends"}${error}` }];
}

const ENDS: Readonly<Record<string, string>> = {
  succeeded: "succeeded",
  failed: "failed",
  skipped: "was skipped",
};

/** By level (several, separated by commas) and by text, without regard to case. */
export function filterLines(
  lines: readonly LogLine[],
  level: string | undefined,
  text: string | undefined,
): readonly LogLine[] {
  const levels = level === undefined ? undefined : new Set(level.split(","));
  const wanted = text?.toLowerCase();
  return lines.filter(
    (line) =>
      (levels === undefined || levels.has(line.level)) &&
      (wanted === undefined || line.text.toLowerCase().includes(wanted)),
  );
}
