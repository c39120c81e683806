/**
 * What every run has in common, whatever runs in it: a row in the store before its first step, a lease, a journal, a deadline
 * and a budget that it shares with what it starts, and an end that is on record before it is told.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { crashPoint } from "../core/crash-point.ts";
import { messageOf, RepertoireError, type ToolError } from "../core/errors.ts";
import { hashText, type Json, type JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Scope } from "../core/names.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { Run, RunDraft, RunOutcome, RunStore, RunSummary, Step } from "../core/store.ts";
import type { CallBudget, CallContext, UncertainDecisions } from "../core/tool.ts";
import { TIMEOUT_MS_MAX } from "../sandbox/limits.ts";
import type { LogLine } from "../sandbox/sandbox.ts";
import { checkpointOf } from "./checkpoint.ts";
import type { Departure } from "./departure.ts";
import { readEarlierRun } from "./earlier-run.ts";
import { createJournal, type Journal } from "./journal.ts";
import { isNodeKey, labelOf } from "./labels.ts";
import { isPause } from "./pause.ts";
import type { CallRecord, RunReport, RunRequest } from "./run.ts";
import { createSeal, sensitiveValues, type Seal } from "./seal.ts";

/** Beyond a run's own time: for its last writes. */
export const LEASE_SLACK_MS = 30_000;

export interface RunLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly callsMax: number;
  readonly callsAtOnceMax: number;
}

export interface ConductParts {
  readonly store: RunStore;
  readonly scope: () => Scope;
  readonly limits: () => RunLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: string;
  readonly departure: Departure;
  /** Runs of this process that are under way, by id. */
  readonly active: Map<string, Promise<RunReport>>;
  /** Runs of this process that have ended, and the store does not know it. */
  readonly unended: Set<string>;
}

/** A run on record that goes on from another, with what it took over. */
export interface Continued {
  readonly run: Run;
  readonly steps: readonly Step[];
  /** Runs that steps had started before, by the key of the step, the newest first. */
  readonly children: ReadonlyMap<string, RunSummary>;
  /** Steps of the run before that waited for a time, and for which, by key. */
  readonly waits: ReadonlyMap<string, number>;
  readonly decisions: UncertainDecisions;
}

/** A run as its body sees it. */
export interface RunFrame {
  readonly request: RunRequest;
  readonly context: CallContext;
  readonly path: readonly string[];
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly deadlineAt: number;
  readonly budget: CallBudget;
  readonly journal: Journal;
  readonly seal: Seal;
  readonly seed: string;
  readonly clockAt: number;
  readonly waits: ReadonlyMap<string, number>;
  readonly isContinued: boolean;
  /** Puts the run on record, where it is not yet. */
  begin(): Promise<Run>;
  /** For what a step calls, by the step's key. */
  contextFor(key: string): Promise<CallContext>;
  /** Ends the run where it stands, with this failure. */
  stop(error: ToolError): void;
}

/** What came of a run's body. */
export interface BodyEnd {
  readonly result: ToolResult<Json>;
  readonly calls: readonly CallRecord[];
  readonly logs: readonly LogLine[];
  readonly warnings: readonly string[];
  /** The step whose failure this is. */
  readonly failedSeq?: number;
}

export async function conduct(
  parts: ConductParts,
  request: RunRequest,
  context: CallContext,
  continued: Continued | undefined,
  body: (frame: RunFrame) => Promise<BodyEnd>,
): Promise<Omit<RunReport, "elapsedMs">> {
  const { clock } = parts;
  const startedAt = clock.elapsed();
  const limits = parts.limits();
  const timeoutMs = timeLeft(request.timeoutMs ?? limits.timeoutMs, context, clock);
  const seal = createSeal(sensitiveValues(request, context.sensitive));
  const draft = draftOf(parts, request, context, seal);
  const origin = continued?.run ?? draft;
  const stopping = new AbortController();
  // The sandbox keeps the deadline of code itself, three times over.
  const deadline = request.kind === "workflow" ? [AbortSignal.timeout(timeoutMs)] : [];
  const signal = AbortSignal.any([context.signal, parts.departure.signal, stopping.signal, ...deadline]);
  const report = Promise.withResolvers<RunReport>();
  report.promise.catch(() => {});
  let stopped: ToolError | undefined;
  let started: Promise<Run> | undefined = continued && Promise.resolve(continued.run);

  const begin = (): Promise<Run> => {
    if (started !== undefined) return started;
    started = parts.store.start(draft, parts.owner, timeoutMs + LEASE_SLACK_MS).then((run) => {
      crashPoint("run.started");
      parts.active.set(run.id, report.promise);
      return run;
    });
    // Whoever waits for it hears of its failure: the first call, or the end of the run.
    started.catch(() => {});
    return started;
  };
  const stop = (error: ToolError): void => {
    stopped ??= error;
    stopping.abort();
  };
  const journal = createJournal({
    ...parts,
    seal,
    signal,
    lease: async () => leaseOf(await begin()),
    taken: continued?.steps ?? [],
    clockAt: origin.clockAt,
    isOrdered: request.kind === "code",
    onLost: () => stop(TAKEN_OVER),
    onBroken(error) {
      parts.log.error("run.journal.failed", { traceId: context.traceId, error });
      stop(notWritten(error));
    },
  });
  const path = pathOf(context, request.capability?.tool ?? request.draft);
  const deadlineAt = clock.now() + timeoutMs;
  const budget = context.budget ?? { callsMax: limits.callsMax, callsLeft: limits.callsMax };
  if (continued !== undefined) parts.active.set(continued.run.id, report.promise);
  try {
    const end = sealedEnd(
      seal,
      await body({
        request,
        context,
        path,
        limits,
        signal,
        timeoutMs,
        deadlineAt,
        budget,
        journal,
        seal,
        begin,
        stop,
        seed: origin.seed,
        clockAt: origin.clockAt,
        waits: continued?.waits ?? new Map(),
        isContinued: continued !== undefined,
        contextFor: async (key) => ({
          ...contextBelow(context, path, budget, deadlineAt),
          signal,
          runId: (await begin()).id,
          sensitive: seal.values,
          meta: { ...context.meta, [IDEMPOTENCY_KEY]: hashText(`${origin.seed} ${key}`) },
          step: { key, ...resumesOf(continued, key) },
        }),
      }),
    );
    const run = await started;
    const ended = endOf(end.result, stopped, parts.departure, context);
    const isOurs = run !== undefined && stopped !== TAKEN_OVER;
    const elapsedMs = clock.elapsed() - startedAt;
    const result = isOurs
      ? await finishOrTell(parts, run, { ...end, result: ended }, seal, request, elapsedMs)
      : ended;
    const runId = run?.id ?? null;
    const callCount = end.calls.length;
    parts.log.info("run.finished", { traceId: context.traceId, runId, success: result.success, callCount });
    const whole = { ...end, runId, result, checkpoint: await readCheckpoint(parts.store, runId, result) };
    report.resolve({ ...whole, elapsedMs: clock.elapsed() - startedAt });
    return whole;
  } catch (error) {
    report.reject(error);
    throw error;
  } finally {
    const run = await started?.catch(() => undefined);
    if (run !== undefined) parts.active.delete(run.id);
  }
}

/** In `_meta` of a call: the same when the same step is made again, so that a server can tell. */
const IDEMPOTENCY_KEY = "repertoire/idempotencyKey";

const TAKEN_OVER: ToolError = fail("CANCELLED", "Another process has taken this run over.", {
  reason: "taken_over",
}).error;

/** The run stands in the journal as far as it got. */
function notWritten(error: unknown): ToolError {
  const code = error instanceof RepertoireError ? error.code : undefined;
  const what = code === undefined ? "The journal cannot be written." : messageOf(error);
  return fail("TOOL_EXECUTION_FAILED", `The run was stopped: ${what}`, {
    reason: code === "STORE_FULL" ? "storage_full" : "store_failed",
    retryable: true,
    hint: "When the store can be written again, execute {resume: run_id} goes on.",
  }).error;
}

const STOPPED: ToolError = fail("CANCELLED", "The gateway was told to stop; the run stands where it is.", {
  reason: "stopped",
  hint: "execute {resume: run_id} goes on.",
}).error;

/** What stopped the run says more than how its body noticed. */
function endOf(
  result: ToolResult<Json>,
  stopped: ToolError | undefined,
  departure: Departure,
  context: CallContext,
): ToolResult<Json> {
  if (stopped !== undefined) return { success: false, error: stopped };
  const isCancelled = !result.success && result.error.code === "CANCELLED";
  if (isCancelled && departure.signal.aborted && !context.signal.aborted)
    return { success: false, error: STOPPED };
  return result;
}

/** What is told beside the result: nobody should find a secret in an error or a log. */
function sealedEnd(seal: Seal, end: BodyEnd): BodyEnd {
  if (seal.values.length === 0) return end;
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

function sealedError<T extends object>(seal: Seal, error: T): T {
  return seal.close(error as unknown as JsonObject) as unknown as T;
}

async function readCheckpoint(store: RunStore, runId: string | null, { success }: ToolResult<Json>) {
  if (success || runId === null) return null;
  try {
    const run = await store.find(runId);
    return run === undefined ? null : checkpointOf(await readEarlierRun(store, run));
  } catch {
    // A store that cannot be read now is told of elsewhere.
    return null;
  }
}

export function leaseOf({ id, fence }: Run): { readonly runId: string; readonly fence: number } {
  return { runId: id, fence };
}

/**
 * The run that the step had started before. A node that has changed since goes on from one that was cut short, so that what
 * it had done is not done again; one that had succeeded is over, and the changed node runs as a whole.
 */
function resumesOf(continued: Continued | undefined, key: string) {
  if (continued === undefined) return {};
  const { children, decisions } = continued;
  const child = children.get(key) ?? findCutShort(children, key);
  return child && { resumes: { runId: child.id, decisions } };
}

function findCutShort(children: Continued["children"], key: string): RunSummary | undefined {
  if (!isNodeKey(key)) return undefined;
  const isLike = ([other, { status }]: [string, RunSummary]) =>
    status !== "succeeded" && labelOf(other) === labelOf(key);
  return [...children].find(isLike)?.[1];
}

export function pathOf({ path = [] }: CallContext, capability: string | undefined): readonly string[] {
  return capability === undefined ? path : [...path, capability];
}

/** A run that another one started ends with it. */
function timeLeft(wantedMs: number, { deadlineAt }: CallContext, clock: Clock): number {
  const leftMs = deadlineAt === undefined ? TIMEOUT_MS_MAX : deadlineAt - clock.now();
  return Math.max(1, Math.min(wantedMs, leftMs, TIMEOUT_MS_MAX));
}

export function draftOf(
  { scope, clock }: Pick<ConductParts, "scope" | "clock">,
  { kind, source, intent, inputs, capability }: RunRequest,
  context: CallContext,
  seal: Seal,
): RunDraft {
  return {
    scope: scope(),
    kind: capability === undefined ? kind : "capability",
    source: capability === undefined ? source : null,
    capabilityId: capability?.id ?? null,
    capabilityVersion: capability?.version ?? null,
    intent: intent === undefined ? null : seal.text(intent),
    inputs: seal.close(inputs),
    parentRunId: context.runId ?? null,
    parentStep: context.step?.key ?? null,
    seed: randomUUID(),
    clockAt: clock.now(),
  };
}

/** An end that cannot be put on record is none: the run can be resumed, and its steps are answered from the journal. */
async function finishOrTell(...args: Parameters<typeof finishRun>): Promise<ToolResult<Json>> {
  const [parts, run, { result }] = args;
  try {
    await finishRun(...args);
    return result;
  } catch (error) {
    parts.log.error("run.end.failed", { runId: run.id, error });
    parts.unended.add(run.id);
    return { success: false, error: notWritten(error) };
  }
}

/** The end and the use of the capability are one write: none is there without the other. */
async function finishRun(
  { store }: ConductParts,
  run: Run,
  end: Pick<BodyEnd, "result" | "failedSeq">,
  seal: Seal,
  { capability }: RunRequest,
  elapsedMs: number,
): Promise<void> {
  const { result, failedSeq } = end;
  const isPaused = !result.success && isPause(result.error);
  // A run that waits has been used once it ends.
  const use = capability && !isPaused && { capabilityId: capability.id, success: result.success, elapsedMs };
  const rest = use ? { use } : {};
  crashPoint("run.ending");
  await store.finish(leaseOf(run), { ...outcomeOf(result, failedSeq, seal), ...rest });
  crashPoint("run.ended");
}

function outcomeOf(result: ToolResult<Json>, failedSeq: number | undefined, seal: Seal): RunOutcome {
  if (result.success) return { status: "succeeded", result: seal.close(result.data) };
  const error = seal.close({ ...result.error } as unknown as JsonObject);
  const status = isPause(result.error)
    ? "paused"
    : result.error.code === "CANCELLED"
      ? "cancelled"
      : "failed";
  return { status, error: failedSeq === undefined ? error : { ...error, step: failedSeq } };
}

/** What the tools that the run calls are told. A person is asked through the client, if at all, and never in the answer. */
function contextBelow(
  context: CallContext,
  path: readonly string[],
  budget: CallBudget,
  deadlineAt: number,
): CallContext {
  const { modern: _modern, onProgress: _onProgress, step: _step, ...passed } = context;
  return { ...passed, depth: path.length, path, budget, deadlineAt };
}
