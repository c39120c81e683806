/** Runs as `runs` and `show` have them, and how their status and times are written. */
import type { Json } from "../../../core/json.ts";
import type { ShownCheckpoint } from "./checkpoint.ts";
import { cyan, dim, green, red, yellow } from "../../terminal/terminal.ts";

export interface RunView {
  readonly run_id: string;
  readonly kind: string;
  readonly status: string;
  readonly intent: string | null;
  readonly started_at: string;
  readonly elapsed_ms: number | null;
  readonly resumed_from?: string;
  readonly error?: ErrorView | undefined;
}

interface ErrorView {
  readonly code: string;
  readonly reason?: string | undefined;
  readonly message: string;
}

export interface TraceView extends RunView {
  readonly inputs: Json;
  /** The label of the step that started it. */
  readonly step?: string;
  readonly resumed_by?: string;
  readonly outputs?: Json;
  /** Absent where the tree was cut. */
  readonly steps?: readonly StepView[];
  readonly runs?: readonly TraceView[];
  readonly runs_left_out?: number;
  readonly checkpoint?: ShownCheckpoint;
}

export interface StepView {
  readonly key: string;
  readonly name: string;
  readonly tool: string;
  readonly status: "sent" | "under_way" | "waiting" | "succeeded" | "skipped" | "failed";
  /** Who decided to go on without it. */
  readonly skipped_by?: string;
  /** From the start of the run. */
  readonly started_ms: number;
  readonly elapsed_ms: number | null;
  /** The run that made the call. */
  readonly from_journal?: string;
  /** Absent while a call that is not on record yet is under way. */
  readonly args?: Json;
  readonly error?: ErrorView;
  /** Of one that has succeeded; of a question, who said yes. */
  readonly result?: Json;
}

/** What a person needs to know of a paused run is what it waits for. */
const WAITS: Readonly<Record<string, string>> = {
  approval_required: "needs approval",
  waiting_until: "waits",
  uncertain_step: "uncertain",
};

/** The status in words. */
export function statusOf({ status, error }: Pick<RunView, "status" | "error">): string {
  return status === "paused" ? (WAITS[error?.reason ?? ""] ?? status) : status;
}

const PAINTS: ReadonlyMap<string, (text: string) => string> = new Map([
  ...Object.values(WAITS).map((words) => [words, yellow] as const),
  ["succeeded", green],
  ["failed", red],
  ["interrupted", red],
  ["paused", yellow],
  ["running", cyan],
  ["queued", cyan],
]);

/** In the colour of a status; the text may be padded. */
export function paintStatus(text: string): string {
  return (PAINTS.get(text.trim()) ?? dim)(text);
}

/** To the second; what is on record is exact. */
export function timeOf(iso: string): string {
  return iso.replace(/\.\d+Z$/, "Z");
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

export function durationOf(ms: number | null): string {
  if (ms === null) return "-";
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / SECOND_MS)} s`;
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
}
