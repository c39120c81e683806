/**
 * The lifecycle of a run, of code or of a workflow: from its start to its end. The end is on record before it is
 * reported.
 */
import type { ToolError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { ToolResult } from "../core/result.ts";
import { parseToolName } from "../core/names.ts";
import type { Run, RunMode, RunStore } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import { checkpointOf } from "./journal/checkpoint.ts";
import { readEarlierRun } from "./resume/earlier-run.ts";
import { isPause, nameRun, pausedInBackground } from "./workflow/pause.ts";
import {
  finishOrTell,
  INTERRUPTED_REASON,
  redactCheckpoint,
  recordRun,
  redactEnd,
  resultOfRun,
  sealedEnd,
  statusOf,
  TAKEN_OVER,
  type Waking,
} from "./run-end.ts";
import { openRun, type Continued, type OpenRun, type RunContext } from "./run-context.ts";
import { endRunSpan, kindOf, startRunSpan } from "./run-span.ts";
import type { Checkpoint, RunEnd, RunReport, RunRequest } from "./run.ts";
import type { RunLifecycleDeps } from "./run-deps.ts";
import { skippedBy } from "./resume/skipped.ts";

/** A request whose inputs are checked and completed, and the body that runs it. */
export interface ReadyRun {
  readonly request: RunRequest;
  readonly body: (runContext: RunContext) => Promise<RunEnd>;
}

export async function runToEnd(
  deps: RunLifecycleDeps,
  { request, body }: ReadyRun,
  context: CallContext,
  continued: Continued | undefined,
): Promise<RunReport> {
  const startedAt = deps.clock.elapsed();
  const span = startRunSpan(deps.telemetry, request, context);
  const traced = span.context === undefined ? context : { ...context, trace: span.context };
  const open = openRun(deps, request, traced, continued);
  try {
    const end = sealedEnd(open.runContext.seal, await body(open.runContext));
    const ended = await endRun(deps, open, end, startedAt);
    endRunSpan(span, ended.runId, ended.result);
    deps.runEnded?.(kindOf(request), statusOf(ended.result));
    if (ended.result.success) await tellTools(deps, open.runContext, ended);
    const report = { ...ended, elapsedMs: deps.clock.elapsed() - startedAt };
    open.report.resolve(report);
    return report;
  } catch (error) {
    open.report.reject(error);
    span.fail("STORE_FAILED");
    span.end();
    throw error;
  } finally {
    const run = await open.started().catch(() => undefined);
    if (run !== undefined) deps.active.delete(run.id);
  }
}

async function endRun(
  deps: RunLifecycleDeps,
  { runContext, started, unrecorded, stopped, endingMode }: OpenRun,
  end: RunEnd,
  startedAt: number,
): Promise<RunReport> {
  const { context, request, seal } = runContext;
  const run = await started();
  // What cannot be put on record stops the run.
  await runContext.journal.flush();
  const newRun = unrecorded();
  const runId = run?.id ?? newRun?.begun.id ?? null;
  const mode = await endingMode();
  // The run that a client resumes is the outermost.
  const named = (ended: ToolResult<Json>): ToolResult<Json> =>
    ended.success || runId === null || context.runId !== undefined
      ? ended
      : { success: false, error: nameRun(inMode(mode, ended.error), runId) };
  const redactor = deps.redactors.knowing(request.inputs);
  // On record as it is told: lists of runs have the error and not the inputs that say what in it is a secret.
  const ended = redactEnd(redactor, {
    ...end,
    result: named(resultOfRun(end.result, stopped(), deps.shutdown, context, mode)),
  });
  const isOurs = run !== undefined && stopped() !== TAKEN_OVER;
  const elapsedMs = deps.clock.elapsed() - startedAt;
  const result = named(
    isOurs
      ? await finishOrTell(deps, run, ended, runContext, elapsedMs, () =>
          wakingOf(deps, run, mode, ended.result),
        )
      : ended.result,
  );
  if (newRun !== undefined) await recordRun(deps, newRun, ended, seal, request, elapsedMs);
  const callCount = end.calls.length;
  deps.log.info("run.finished", { traceId: context.traceId, runId, success: result.success, callCount });
  const checkpoint = redactCheckpoint(redactor, await readCheckpoint(deps.store, runId, result));
  const isCall = request.kind === "call" && { isCall: true };
  return { ...ended, ...isCall, runId, result, checkpoint, elapsedMs };
}

/**
 * When the queue takes a background run up again: at the time that it waits for, or at once where it was set aside. One
 * that stopped in good order has used up no attempt. One that asks a person is woken by the answer.
 */
async function wakingOf(
  { store, clock }: RunLifecycleDeps,
  run: Run,
  mode: RunMode,
  result: ToolResult<Json>,
): Promise<Waking> {
  if (result.success || mode !== "background") return {};
  if (result.error.reason === INTERRUPTED_REASON) return { wakeAt: clock.now(), attemptCount: 0 };
  if (!isPause(result.error)) return {};
  const { waiting } = await readEarlierRun(store, run);
  return { attemptCount: 0, ...(waiting?.until != null && { wakeAt: waiting.until }) };
}

function inMode(mode: RunMode, error: ToolError): ToolError {
  return mode === "background" ? pausedInBackground(error) : error;
}

/**
 * Reports the tools that a successful run used, for the search to learn from. A workflow's calls have the names of its
 * nodes.
 */
async function tellTools(
  { store, runSucceeded }: RunLifecycleDeps,
  { request, seal }: RunContext,
  { runId, calls }: Pick<RunReport, "runId" | "calls">,
): Promise<void> {
  if (runSucceeded === undefined || runId === null || calls.length === 0) return;
  const isWorkflow = request.kind === "workflow";
  const made = isWorkflow
    ? (await store.steps(runId).catch(() => [])).filter(
        (step) => step.status === "succeeded" && skippedBy(step) === undefined,
      )
    : calls.filter(({ success }) => success);
  const tools = made.map(({ tool }) => tool).filter((tool) => parseToolName(tool).kind !== "static");
  if (tools.length > 0) runSucceeded(tools, seal.text(request.intent ?? ""));
}

async function readCheckpoint(
  store: RunStore,
  runId: string | null,
  { success }: ToolResult<Json>,
): Promise<Checkpoint | null> {
  if (success || runId === null) return null;
  try {
    const run = await store.find(runId);
    return run === undefined ? null : checkpointOf(await readEarlierRun(store, run), undefined);
  } catch {
    // A store that cannot be read now is told of elsewhere.
    return null;
  }
}
