/** A step of a run as a row: what it was, how it ended and when, and how its arguments begin. */
import { isNodeKey, labelOf, skippedBy, type App } from "../../app/app.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Run, RunSummary, StepSummary } from "../../core/store.ts";
import { cut } from "../../text/cut.ts";
import type { Redactor } from "../../text/redaction.ts";
import type { AnswerOf } from "../contract/contract.ts";
import { findLines, type FindLines } from "./run-source.ts";
import { redactorOf } from "./run-redactor.ts";

type Row = AnswerOf<"listSteps">["rows"][number];
export type StepRow = Extract<Row, { row: "step" }>;
export type GroupRow = Extract<Row, { row: "group" }>;

/** Enough of the arguments to tell one call from the next. */
const ARGS_SHOWN_MAX = 200;
/** Steps in which a run waits for a person or a time. */
const WAITING_TOOLS: ReadonlySet<string> = new Set(["approve", "wait"]);

/** What all rows of a run are made with. */
export interface RowContext {
  readonly run: Run;
  /** Whether the process that owns it goes on with it. */
  readonly isRunning: boolean;
  readonly redactor: Redactor;
  readonly linesOf: FindLines;
  /** The newest run that a step started, by the step's key. */
  readonly children: ReadonlyMap<string, RunSummary>;
  readonly now: number;
}

export async function readRowContext(app: App, run: Run): Promise<RowContext> {
  const children = await readChildren(app, run);
  return {
    run,
    isRunning: app.traces.statusOf(run) === "running",
    redactor: await redactorOf(app, run),
    linesOf: await findLines(app, run),
    children,
    now: Date.now(),
  };
}

/** How far back is looked for what a step that was taken over had started; each resume is one. */
const CHAIN_LENGTH_MAX = 50;

async function readChildren({ store: { runs } }: App, run: Run): Promise<Map<string, RunSummary>> {
  const byKey = new Map<string, RunSummary>();
  let at: RunSummary | undefined = run;
  for (let i = 0; i < CHAIN_LENGTH_MAX && at !== undefined; i++) {
    for (const child of (await runs.children(at.id)).toReversed())
      if (child.parentStep !== null && !byKey.has(child.parentStep)) byKey.set(child.parentStep, child);
    at = at.resumedFromRunId === null ? undefined : await runs.find(at.resumedFromRunId);
  }
  return byKey;
}

export function rowOf(step: StepSummary, context: RowContext): StepRow {
  const { run, redactor, linesOf, children, now } = context;
  const { key, tool, startedAt, finishedAt, fromRunId, resultBytes, error } = step;
  const by = skippedBy(step);
  const name = nameOf(step);
  const attempt = isNodeKey(key) ? /~(\d+)$/.exec(name)?.[1] : undefined;
  const lines = linesOf(tool);
  const child = children.get(key);
  const endedAt = finishedAt ?? (context.isRunning && step.status !== "waiting" ? now : null);
  return {
    row: "step",
    step: step.number,
    key,
    name,
    tool,
    status: statusOf(step, context),
    started_ms: startedMs(step, run),
    elapsed_ms: endedAt === null ? null : Math.max(0, endedAt - startedAt),
    ...(fromRunId !== null && { from_journal: fromRunId }),
    ...(by !== undefined && { skipped_by: by }),
    ...(attempt !== undefined && { attempt: Number(attempt) }),
    ...(WAITING_TOOLS.has(tool) && { waited_ms: Math.max(0, (finishedAt ?? now) - startedAt) }),
    args_text: argsText(step, redactor),
    result_bytes: step.status === "succeeded" ? resultBytes : null,
    // That of an open step says what its call became.
    ...(error !== null && step.status === "failed" && { error: errorOf(error, redactor) }),
    ...(lines !== undefined && { lines: [...lines] }),
    ...(child !== undefined && { run: child.id }),
  };
}

/** As the trace calls it. */
export function nameOf({ key, tool, occurrence }: StepSummary): string {
  if (isNodeKey(key)) return labelOf(key);
  return occurrence <= 1 ? tool : `${tool}#${occurrence}`;
}

/** A call that a running run has sent is under way; after the run has ended, its outcome is unknown. */
export function statusOf(step: StepSummary, { isRunning }: Pick<RowContext, "isRunning">): StepRow["status"] {
  if (skippedBy(step) !== undefined) return "skipped";
  return step.status === "sent" && isRunning ? "under_way" : step.status;
}

/** What was answered from the journal of another run took its time there. */
export function startedMs({ startedAt }: Pick<StepSummary, "startedAt">, run: Run): number {
  return Math.max(0, startedAt - run.startedAt);
}

/** Redacted before it is cut: half a secret is not known as one. */
function argsText({ argsText: text, isArgsCut }: StepSummary, redactor: Redactor): string {
  const shown = isArgsCut ? redactor.text(text) : JSON.stringify(redactor.value(JSON.parse(text) as Json));
  return cut(shown, ARGS_SHOWN_MAX);
}

function errorOf({ code, reason, message }: JsonObject, redactor: Redactor): NonNullable<StepRow["error"]> {
  const told = { code, ...(reason !== undefined && { reason }), message };
  return redactor.value(told) as NonNullable<StepRow["error"]>;
}

/** A call that is not on record yet: it may be made again, so it is recorded only when it has returned. */
export function rowOfCall(
  { key, tool, startedAt }: ReturnType<App["callsUnderWay"]>[number],
  number: number,
  { run, now, linesOf, children }: RowContext,
): StepRow {
  const lines = linesOf(tool);
  const child = children.get(key);
  return {
    row: "step",
    step: number,
    key,
    name: isNodeKey(key) ? labelOf(key) : tool,
    tool,
    status: "under_way",
    started_ms: startedMs({ startedAt }, run),
    elapsed_ms: Math.max(0, now - startedAt),
    args_text: "",
    result_bytes: null,
    ...(lines !== undefined && { lines: [...lines] }),
    ...(child !== undefined && { run: child.id }),
  };
}
