/** A run that is read back from the store: where it stopped, and its report. */
import type { JsonObject, Json } from "../../core/json.ts";
import type { Run, Step } from "../../core/store.ts";
import { questionIdOf } from "../resume/decide.ts";
import { readEarlierRun, type EarlierRun } from "../resume/earlier-run.ts";
import { namesOf } from "../workflow/labels.ts";
import type { Checkpoint, CallRecord, RunReport } from "../run.ts";
import { skippedBy, skippedCalls, skippedWarning } from "../resume/skipped.ts";
import type { ToolError } from "../../core/errors.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext } from "../../core/tool.ts";
import { within } from "../../timing/deadline.ts";
import { redactCheckpoint, redactEnd } from "../run-end.ts";
import type { RunLifecycleDeps } from "../run-deps.ts";

/** A run that another one has gone on from is done with: that one can be resumed. */
export function checkpointOf(
  { run, steps, uncertain, waiting }: EarlierRun,
  successor: string | undefined,
): Checkpoint {
  const names = namesOf(steps);
  const failed = steps.find(({ seq }) => seq === run.error?.["step"]);
  return {
    runId: run.id,
    completed: steps
      .filter((step) => step.status === "succeeded" && skippedBy(step) === undefined)
      .map(({ key }) => names.get(key)!),
    failed: failed === undefined ? failedNode(run) : names.get(failed.key)!,
    stepCount: steps.length,
    isResumable: run.status !== "succeeded" && successor === undefined,
    successor,
    uncertain,
    waiting,
    // Of what is on record: what is told may leave out secrets, and would be another question.
    ...(waiting !== null && { questionId: questionIdOf(waiting) }),
  };
}

/** A node can fail before it is a step. */
function failedNode({ error, status }: Pick<Run, "error" | "status">): string | null {
  if (status === "paused") return null;
  return typeof error?.["node"] === "string" ? error["node"] : null;
}

/** As the answer of `execute` and the trace show it. */
export function checkpointJson(checkpoint: Checkpoint): JsonObject {
  const { runId, completed, failed, stepCount, isResumable, successor, uncertain, waiting, questionId } =
    checkpoint;
  return {
    run_id: runId,
    completed_nodes: completed,
    failed_node: failed,
    steps: stepCount,
    resumable: isResumable,
    ...(successor !== undefined && { resumed_by: successor }),
    ...(uncertain.length > 0 && {
      uncertain: uncertain.map(({ runId: id, name, tool, args }) => ({ run_id: id, name, tool, args })),
    }),
    ...(waiting !== null && {
      waiting_for: {
        name: waiting.name,
        message: waiting.message,
        details: waiting.details,
        ...(waiting.until === null
          ? {
              question: questionId ?? questionIdOf(waiting),
              ...(waiting.expiresAt !== null && { expires: new Date(waiting.expiresAt).toISOString() }),
            }
          : { until: new Date(waiting.until).toISOString() }),
      },
    }),
  };
}

/** How often a run of another process is looked at: less often the longer it takes. */
export interface Poll {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** In a file of this machine. */
export const LOCAL_POLL: Poll = { firstMs: 100, maxMs: 100 };
/** On a server that many clients may wait at. */
export const REMOTE_POLL: Poll = { firstMs: 250, maxMs: 1_000 };
const POLL_GROWTH = 1.5;

/** The report of a run that is read back from the store, in the form of a run that has just ended. */
export async function storedReport(
  { store, redactors }: Pick<RunLifecycleDeps, "store" | "redactors">,
  run: Run,
): Promise<RunReport> {
  const earlier = await readEarlierRun(store, run);
  const successor = run.status === "succeeded" ? undefined : await store.successor(run.id);
  const names = namesOf(earlier.steps);
  const calls = earlier.steps.map((step) => recordOf(step, run, names.get(step.key)!));
  const skipped = skippedCalls(calls);
  const redactor = redactors.knowing(run.inputs);
  const end = redactEnd(redactor, {
    result: resultOf(run),
    calls,
    logs: [],
    warnings: skipped.map(skippedWarning),
    ...(skipped.length > 0 && { skipped }),
  });
  const checkpoint = run.status === "succeeded" ? null : checkpointOf(earlier, successor?.id);
  return {
    ...end,
    runId: run.id,
    ...(run.kind === "call" && { isCall: true }),
    checkpoint: redactCheckpoint(redactor, checkpoint),
    elapsedMs: (run.finishedAt ?? run.startedAt) - run.startedAt,
  };
}

function recordOf(step: Step, run: Run, name: string): CallRecord {
  const { status, startedAt, finishedAt, fromRunId, error } = step;
  const by = skippedBy(step);
  return {
    tool: step.tool,
    ...(run.kind === "workflow" && { node: name }),
    success: status === "succeeded" && by === undefined,
    startedMs: Math.max(0, startedAt - run.startedAt),
    elapsedMs: finishedAt === null ? 0 : finishedAt - startedAt,
    ...(fromRunId !== null && { isReplayed: true }),
    ...(by !== undefined && { skippedBy: by }),
    ...(status === "failed" && error !== null && { error: errorOf(error) }),
  };
}

function resultOf({ status, result, error }: Run): ToolResult<Json> {
  if (status === "succeeded") return succeed(result);
  if (error === null) return fail("TOOL_EXECUTION_FAILED", `The run is ${status}.`);
  const { step: _, ...told } = error;
  return { success: false, error: told as unknown as ToolError };
}

function errorOf({ code, message }: { readonly [key: string]: Json }): Pick<ToolError, "code" | "message"> {
  return { code, message } as unknown as Pick<ToolError, "code" | "message">;
}

/** Waits until a run of another process has ended, or the caller wants to wait no longer. */
export async function waitForEnd(
  look: () => Promise<Run | undefined>,
  { signal }: Pick<CallContext, "signal">,
  { firstMs, maxMs }: Poll,
): Promise<Run | undefined> {
  const never = new Promise<void>(() => {});
  for (let waitMs = firstMs; ; waitMs = Math.min(maxMs, waitMs * POLL_GROWTH)) {
    const run = await look();
    if (run?.status !== "running" || signal.aborted) return run;
    await within(never, waitMs, { signal });
  }
}
