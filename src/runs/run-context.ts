/**
 * A run while it is under way: its row before its first step, its lease, its journal, its deadline, and the budget that
 * it shares with what it starts.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { crashPoint } from "../process/crash-point.ts";
import type { ToolError } from "../core/errors.ts";
import { hashText } from "../core/json.ts";
import type { NewRun, Run, RunMode, RunSummary, Step } from "../core/store.ts";
import type { CallBudget, CallContext, UncertainDecisions } from "../core/tool.ts";
import { TIMEOUT_MS_MAX } from "../sandbox/runner/limits.ts";
import { createJournal, type Journal } from "./journal/journal.ts";
import { isNodeKey, labelOf } from "./workflow/labels.ts";
import { leaseOf, notWritten, TAKEN_OVER } from "./run-end.ts";
import { createDetaching } from "./background/detach.ts";
import { cancelledBy } from "./cancelled-by.ts";
import { createRunGate } from "./run-gate.ts";
import { newRunFor, pathOf } from "./new-run.ts";
import { pathNameOf, type RunReport, type RunRequest } from "./run.ts";
import { createSeal, sensitiveValues, type Seal } from "./journal/seal.ts";
import type { RunLifecycleDeps, RunLimits } from "./run-deps.ts";

/** Beyond a run's own time: for its last writes. */
export const LEASE_SLACK_MS = 30_000;

/** How long a call under way is awaited when its run is cancelled; a longer one counts as not answered. */
const CANCEL_GRACE_MS = 10_000;

/** A run on record that goes on from another, with what it took over. */
export interface Continued {
  readonly run: Run;
  readonly steps: readonly Step[];
  /** Runs that steps had started before, by the key of the step, the newest first. */
  readonly children: ReadonlyMap<string, RunSummary>;
  /** Steps of the run before that waited for a time, and for which, by key. */
  readonly waits: ReadonlyMap<string, number>;
  readonly decisions: UncertainDecisions;
  /** What runs now is not what ran before. */
  readonly isCorrected: boolean;
  /** Tools and nodes that the runs below have used, by exposed name: what they have read is in this run too. */
  readonly usedBelow: readonly string[];
  /** Steps of a run that is corrected which did not end, and whose runs had effects. */
  readonly begun: readonly Step[];
}

/** A run as its body sees it. */
export interface RunContext {
  readonly request: RunRequest;
  readonly context: CallContext;
  /** Whose calls the run makes, as the rules see it. */
  readonly callerContext: CallContext;
  readonly path: readonly string[];
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** On the clock's monotonic time. */
  readonly deadlineAt: number;
  /** The limit that the deadline comes from: its own, or that of the run that started it. */
  readonly limitMs: number;
  readonly budget: CallBudget;
  readonly journal: Journal;
  readonly seal: Seal;
  readonly seed: string;
  readonly clockAt: number;
  readonly waits: ReadonlyMap<string, number>;
  readonly isContinued: boolean;
  /** The steps of the run that this one corrects; none where the same source goes on. */
  readonly corrects: readonly Step[];
  /** Puts the run on record, where it is not yet. */
  begin(): Promise<Run>;
  /** Has it put on record after a moment. One that ends before is recorded with its end. */
  beginSoon(): void;
  /** For what a step calls, by the step's key. */
  contextFor(key: string): Promise<CallContext>;
  /** Ends the run where it is, with this failure. */
  stop(error: ToolError): void;
}

/** A run that may be put on record later than it began. */
type BegunRun = NewRun & Required<Pick<NewRun, "begun">>;

/** A run, with what only its lifecycle needs. */
export interface OpenRun {
  readonly runContext: RunContext;
  /** The run, if it is on record. From then on it is not put there by itself. */
  readonly started: () => Promise<Run | undefined>;
  /** The run as it is recorded with its end, where it has begun and is not on record. */
  readonly unrecorded: () => BegunRun | undefined;
  /** What ended the run from outside of its body. */
  readonly stopped: () => ToolError | undefined;
  /** In which mode the run ends; from then on it cannot be detached. */
  readonly endingMode: () => Promise<RunMode>;
  /** For those who attach to it. */
  readonly report: PromiseWithResolvers<RunReport>;
}

export function openRun(
  deps: RunLifecycleDeps,
  request: RunRequest,
  context: CallContext,
  continued: Continued | undefined,
): OpenRun {
  const { clock } = deps;
  const limits = deps.limits();
  const wantedMs = request.timeoutMs ?? limits.timeoutMs;
  const timeoutMs = timeLeft(wantedMs, context, clock);
  // What is left of a longer one's time is no limit that anybody set.
  const limitMs = timeoutMs < wantedMs ? (context.deadlineMs ?? timeoutMs) : timeoutMs;
  const { seed, clockAt } = continued?.run ?? { seed: randomUUID(), clockAt: clock.now() };
  const secrets = deps.redactors.known();
  const seal = createSeal(sensitiveValues(request, context.sensitive), { secrets, seed });
  const begun = { id: deps.store.newId(), at: clock.now() };
  const newRun = (): BegunRun => ({
    ...newRunFor(deps, request, context, { seal, seed, clockAt }),
    begun,
  });
  const stopping = new AbortController();
  // The sandbox keeps the deadline of code itself, three times over.
  const deadline = request.kind === "workflow" ? [AbortSignal.timeout(timeoutMs)] : [];
  const signal = AbortSignal.any([context.signal, deps.shutdown.signal, stopping.signal, ...deadline]);
  const report = Promise.withResolvers<RunReport>();
  report.promise.catch(() => {});
  let stopped: ToolError | undefined;
  let started: Promise<Run> | undefined = continued && Promise.resolve(continued.run);
  let startTimer: NodeJS.Timeout | undefined;
  const gate = createRunGate(deps.active.get(context.runId ?? "")?.gate ?? deps.shutdown);
  const detaching = createDetaching(deps, request);
  const activate = (run: Run): void => {
    deps.active.set(run.id, { report: report.promise, gate, cancel: (by) => void cancel(by) });
    deps.runBegun();
    if (isDetachable(request, context, seal))
      context.onRun?.({ runId: run.id, detach: () => detaching.detach(run) });
  };
  if (continued !== undefined) activate(continued.run);

  const start = async (): Promise<Run> => {
    const { liveness } = deps;
    // An owner that was never seen would have to be waited for until its lease has run out.
    if (liveness.isShared) await liveness.begin();
    // The journal brings it to disk before it sends anything that changes something.
    const run = await deps.store.start(newRun(), liveness.owner, timeoutMs + LEASE_SLACK_MS, "process");
    crashPoint("run.started");
    activate(run);
    return run;
  };
  const begin = (): Promise<Run> => {
    clearTimeout(startTimer);
    started ??= start();
    // A failure is reported where the row is awaited: at the first call, or at the end of the run.
    started.catch(() => {});
    return started;
  };
  const stop = (error: ToolError): void => {
    stopped ??= error;
    stopping.abort();
  };
  const cancel = async (by: string): Promise<void> => {
    await gate.close(CANCEL_GRACE_MS);
    stop(cancelledBy(by));
  };
  const journal = createJournal({
    ...deps,
    shutdown: gate,
    seal,
    signal,
    trace: context.trace,
    clockAt,
    lease: async () => leaseOf(await begin()),
    taken: continued?.steps ?? [],
    isOrdered: request.kind === "code",
    isSetAside: () => deps.shutdown.signal.aborted && !context.signal.aborted,
    onLost: () => stop(TAKEN_OVER),
    onBroken(error) {
      deps.log.error("run.journal.failed", { traceId: context.traceId, error });
      stop(notWritten(error));
    },
  });
  const path = pathOf(context, pathNameOf(request));
  const script = context.script ?? (request.kind === "call" ? undefined : hashText(request.source));
  const flow = context.flow ?? { untrusted: new Set(), private: new Set() };
  for (const name of continued?.usedBelow ?? []) deps.noteUse(name, { ...context, flow });
  const callerContext: CallContext = { ...context, path, flow, ...(script !== undefined && { script }) };
  const deadlineAt = clock.elapsed() + timeoutMs;
  const budget = context.budget ?? { callsMax: limits.callsMax, callsLeft: limits.callsMax };
  const runContext: RunContext = {
    request,
    context,
    callerContext,
    path,
    limits,
    signal,
    timeoutMs,
    limitMs,
    deadlineAt,
    budget,
    journal,
    seal,
    seed,
    clockAt,
    begin,
    beginSoon() {
      startTimer ??= setTimeout(() => void begin(), deps.rowAfterMs);
    },
    stop,
    waits: continued?.waits ?? new Map(),
    // A run that was queued begins with its first step.
    isContinued: continued !== undefined && continued.run.resumedFromRunId !== null,
    corrects: continued?.isCorrected === true ? [...continued.steps, ...continued.begun] : [],
    contextFor: async (key) => ({
      ...contextBelow(callerContext, path, budget, { deadlineAt, deadlineMs: limitMs }),
      signal,
      runId: (await begin()).id,
      sensitive: seal.values,
      meta: { ...context.meta, [IDEMPOTENCY_KEY]: hashText(`${seed} ${key}`) },
      step: { key, ...resumesOf(continued, key) },
    }),
  };
  return {
    runContext,
    report,
    stopped: () => stopped,
    started: async () => {
      clearTimeout(startTimer);
      return started;
    },
    unrecorded: () => (started === undefined && startTimer !== undefined ? newRun() : undefined),
    endingMode: () => detaching.settle(),
  };
}

/** What is not stored could not be read by who takes the run up; a run that another one started ends with that. */
function isDetachable({ mode }: RunRequest, { runId }: CallContext, seal: Seal): boolean {
  return mode !== "background" && runId === undefined && seal.values.length === 0;
}

/** In `_meta` of a call: the same when the same step is made again, so that a server can tell. */
const IDEMPOTENCY_KEY = "repertoire/idempotencyKey";

/**
 * The run that the step had started before. A node that has changed since goes on from one that was cut short, so that
 * what it had done is not done again; one that had succeeded is over, and the changed node runs as a whole.
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

/** A run that another one started ends with it. */
function timeLeft(wantedMs: number, { deadlineAt }: CallContext, clock: Clock): number {
  const leftMs = deadlineAt === undefined ? TIMEOUT_MS_MAX : Math.floor(deadlineAt - clock.elapsed());
  return Math.max(1, Math.min(wantedMs, leftMs, TIMEOUT_MS_MAX));
}

/**
 * What the tools that the run calls are told. A person is asked through the client, if at all, and never in the answer.
 */
function contextBelow(
  context: CallContext,
  path: readonly string[],
  budget: CallBudget,
  deadline: Pick<CallContext, "deadlineAt" | "deadlineMs">,
): CallContext {
  const { modern: _modern, onProgress: _onProgress, onRun: _onRun, step: _step, ...passed } = context;
  return { ...passed, depth: path.length, path, budget, ...deadline };
}
