/**
 * How a run ends: what is put on record, and what its caller is told. The end goes through five types, one for each
 * place:
 *
 * 1. `GuestOutcome`: how the code ended in the sandbox. Of a workflow, `NodeEnd`: how its nodes ended.
 * 2. `RunEnd`: the result of the body, with its calls, logs and warnings. Sensitive inputs and secrets are taken out here.
 * 3. `Run`: the row in the store, with status, result and error. It is written before anybody is told.
 * 4. `RunReport`: the end, the id of the run and its checkpoint. A run that ended earlier, or in another process, is read back
 *    into one (`journal/stored-report.ts`).
 * 5. `ExecuteOutput`: the answer of `execute`. A capability that is called as a tool answers with `ToolAnswer`, as any tool.
 */
import { crashPoint } from "../process/crash-point.ts";
import { RepertoireError, tellThrown, type ToolError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { UNREDACTABLE, type Redactor } from "../text/redaction.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { NewRun, Run, RunMode, RunStatus } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import type { Shutdown } from "./shutdown.ts";
import { isPause, THIS_RUN } from "./workflow/pause.ts";
import type { Checkpoint, RunEnd, RunReport, RunRequest } from "./run.ts";
import type { RunLifecycleDeps } from "./run-deps.ts";
import type { Seal } from "./journal/seal.ts";

export function leaseOf({ id, fence }: Run): { readonly runId: string; readonly fence: number } {
  return { runId: id, fence };
}

export const TAKEN_OVER: ToolError = fail("CANCELLED", "Another process has taken this run over.", {
  reason: "taken_over",
}).error;

/** The journal has the run up to its last recorded step. */
export function notWritten(error: unknown): ToolError {
  const code = error instanceof RepertoireError ? error.code : undefined;
  const what = tellThrown(error) ?? "The journal cannot be written.";
  return fail("TOOL_EXECUTION_FAILED", `The run was stopped: ${what}`, {
    reason: code === "STORE_FULL" ? "storage_full" : "store_failed",
    retryable: true,
    hint: `When the store can be written again, execute {"resume": "${THIS_RUN}"} goes on.`,
  }).error;
}

/** The reason of a run whose process ended, or was stopped, before the run did. */
export const INTERRUPTED_REASON = "interrupted";

/** A background run: another process goes on with it, or this one after its restart. */
const SET_ASIDE: ToolError = fail(
  "TOOL_EXECUTION_FAILED",
  "The gateway was stopped during the run. It goes on by itself as soon as a gateway serves.",
  { reason: INTERRUPTED_REASON, retryable: true },
).error;

const STOPPED: ToolError = fail("CANCELLED", "The gateway was stopped during the run.", {
  reason: "stopped",
  hint: `execute {"resume": "${THIS_RUN}"} goes on.`,
}).error;

/** What stopped the run says more than how its body noticed. */
export function resultOfRun(
  result: ToolResult<Json>,
  stopped: ToolError | undefined,
  shutdown: Shutdown,
  context: CallContext,
  mode: RunMode,
): ToolResult<Json> {
  if (stopped !== undefined) return { success: false, error: stopped };
  const isCancelled = !result.success && result.error.code === "CANCELLED";
  if (isCancelled && shutdown.signal.aborted && !context.signal.aborted)
    return { success: false, error: mode === "background" ? SET_ASIDE : STOPPED };
  return result;
}

/** Takes sensitive values out of everything that is reported beside the result. */
export function sealedEnd(seal: Seal, end: RunEnd): RunEnd {
  if (seal.isEmpty) return end;
  const { result, logs, warnings, calls } = end;
  return {
    ...end,
    result: result.success ? result : { success: false, error: sealedError(seal, result.error) },
    logs: logs.map((line) => ({ ...line, message: seal.text(line.message) })),
    warnings: warnings.map((warning) => seal.text(warning)),
    calls: calls.map((call) =>
      call.error === undefined ? call : { ...call, error: sealedError(seal, call.error) },
    ),
  };
}

/** What is told where secrets could not be taken out for certain. */
const UNTOLD = {
  error: fail("TOOL_EXECUTION_FAILED", `The run failed: ${UNREDACTABLE}`).error,
  logs: [],
  calls: [],
  warnings: [UNREDACTABLE],
};

/**
 * The end as it is told. The result is what was asked for; the rest is shown to people and models, and has no secret in
 * it.
 */
export function redactEnd(redactor: Redactor, end: RunEnd): RunEnd {
  const { result, logs, calls, warnings } = end;
  const error = result.success ? null : result.error;
  const redacted = redactor.value({ error, logs, calls, warnings });
  const { error: toldError, ...told } = (isJsonObject(redacted) ? redacted : UNTOLD) as unknown as RunEnd & {
    readonly error: ToolError;
  };
  return { ...end, ...told, ...(error !== null && { result: { success: false, error: toldError } }) };
}

export function redactCheckpoint(redactor: Redactor, checkpoint: Checkpoint | null): Checkpoint | null {
  const redacted = redactor.value(checkpoint);
  return isJsonObject(redacted) ? (redacted as unknown as Checkpoint) : null;
}

/** Nothing has run, or nothing more: the source was refused, or somebody must decide first. */
export function refusedReport(result: ToolResult<never>): RunReport {
  return { runId: null, result, calls: [], logs: [], warnings: [], checkpoint: null, elapsedMs: 0 };
}

function sealedError<T extends object>(seal: Seal, error: T): T {
  return seal.close(error as unknown as JsonObject) as unknown as T;
}

/** An end that cannot be put on record is none: the run can be resumed, and its steps are answered from the journal. */
export async function finishOrTell(...args: Parameters<typeof finishRun>): Promise<ToolResult<Json>> {
  const [deps, run, { result }] = args;
  try {
    await finishRun(...args);
    return result;
  } catch (error) {
    deps.log.error("run.end.failed", { runId: run.id, error });
    deps.unended.add(run.id);
    return { success: false, error: notWritten(error) };
  }
}

/** When the queue takes the run up again, and what it counts then. */
export type Waking = Partial<Pick<Run, "attemptCount">> & { readonly wakeAt?: number };

type Ending = Pick<RunEnd, "result" | "failedSeq" | "logs">;

interface EndingRun {
  readonly seal: Seal;
  readonly request: RunRequest;
  readonly journal: { readonly hasChanged: boolean };
}

async function finishRun(
  { store }: RunLifecycleDeps,
  run: Run,
  end: Ending,
  { seal, request, journal }: EndingRun,
  elapsedMs: number,
  waking: () => Promise<Waking>,
): Promise<void> {
  crashPoint("run.ending");
  // A run that only read can be made again: nothing is lost with it but its answer, which was told. The same is true of
  // one that only read since it went on from another, whose changes are on disk.
  const durability = end.result.success && !journal.hasChanged ? "process" : "disk";
  const ended = { ...endOf(end, seal, request, elapsedMs), ...(await waking()) };
  await store.finish(leaseOf(run), ended, durability);
  crashPoint("run.ended");
}

/** A run that made no call and was short is put on record once, when it has ended. */
export async function recordRun(
  { store }: RunLifecycleDeps,
  newRun: NewRun,
  end: Ending,
  seal: Seal,
  request: RunRequest,
  elapsedMs: number,
): Promise<void> {
  crashPoint("run.ending");
  // Without a call there is nothing that a failure of the machine could make anybody repeat.
  await store.record(newRun, endOf(end, seal, request, elapsedMs), "process");
  crashPoint("run.ended");
}

/** The end and the use of the capability are one write: none is there without the other. */
function endOf(end: Ending, seal: Seal, { capability }: RunRequest, elapsedMs: number) {
  const { result } = end;
  const isPaused = !result.success && isPause(result.error);
  // A run that waits has been used once it ends.
  const use = capability && !isPaused && { capabilityId: capability.id, success: result.success, elapsedMs };
  return { ...columnsOf(end, seal), logs: end.logs, ...(use && { use }) };
}

/** The columns of the row that the end writes. */
function columnsOf({ result, failedSeq }: Pick<RunEnd, "result" | "failedSeq">, seal: Seal) {
  if (result.success) return { status: "succeeded" as const, result: seal.close(result.data) };
  const error = seal.close({ ...result.error } as unknown as JsonObject);
  const status = statusOf(result);
  return { status, error: failedSeq === undefined ? error : { ...error, step: failedSeq } };
}

export function statusOf(result: ToolResult<Json>): Exclude<RunStatus, "running"> {
  if (result.success) return "succeeded";
  if (isPause(result.error)) return "paused";
  return result.error.code === "CANCELLED" ? "cancelled" : "failed";
}
