/** `resume`: which run is meant, what it is, and what is to run now. */
import type { ToolError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Scope } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Run } from "../../core/store.ts";
import type { CallContext, ResumedRun, UncertainAnswer } from "../../core/tool.ts";
import { newRunFor } from "../new-run.ts";
import { refusedReport } from "../run-end.ts";
import { LEASE_SLACK_MS, type Continued } from "../run-context.ts";
import type { RecordDeps } from "./decide.ts";
import { canBeAsked } from "../workflow/approval.ts";
import { readEarlierRun, sensitiveNames, type EarlierRun } from "./earlier-run.ts";
import { findLastRun } from "./last-run.ts";
import { goOn, isInterrupted, markIfInterrupted, newest, superseded } from "./resume.ts";
import { nameRun } from "../workflow/pause.ts";
import type { RunEvent, RunReport, RunRequest, RunSource } from "../run.ts";
import { doneSteps, type DoneSteps } from "../prepare/prepare.ts";
import { checkStorable } from "../background/enqueue.ts";
import { followRun, goingOn } from "../background/follow.ts";
import { createSeal, sensitiveValues, stillSealed } from "../journal/seal.ts";
import { LOCAL_POLL, REMOTE_POLL, storedReport, waitForEnd } from "../journal/checkpoint.ts";
import type { RunLifecycleDeps, RunsDeps } from "../run-deps.ts";
import type { ReadyRun } from "../run-lifecycle.ts";
import { decideUncertain, findUndecided } from "./uncertain.ts";

export interface ResumeRequest {
  /** The id of a run, or `last` for the caller's own newest that can go on. */
  readonly runId: string;
  /** What runs instead of what ran before. */
  readonly corrected?: RunSource;
  /** Over those of the run before; sensitive ones must be given again. */
  readonly inputs?: JsonObject;
  /** One answer for everything uncertain, or one for each. */
  readonly uncertain?: UncertainAnswer | readonly UncertainAnswer[];
  readonly timeoutMs?: number;
  /**
   * True: it goes on in the background. False: here, with its caller waiting. Without it a run in the foreground goes on
   * here, and a background run, which goes on by itself, is waited for.
   */
  readonly background?: boolean;
  readonly observe?: (event: RunEvent) => void;
}

type Deps = RunLifecycleDeps &
  Pick<RecordDeps, "person"> &
  Pick<RunsDeps, "findVersion"> & {
    readonly ready: (
      request: RunRequest,
      context: CallContext,
      done: DoneSteps,
    ) => Promise<ToolResult<ReadyRun>>;
  };

type RunToEnd = (ready: ReadyRun, context: CallContext, continued: Continued) => Promise<RunReport>;

/** What going on with a run needs. */
export type ResumeRunDeps = Deps & { readonly run: RunToEnd };

export async function resumeRun(
  deps: ResumeRunDeps,
  request: ResumeRequest,
  context: CallContext,
): Promise<ToolResult<RunReport>> {
  const startedAt = deps.clock.elapsed();
  const run = await findRun(deps, request.runId, context);
  if (!run.success) return run;
  const report = await resumeInMode(deps, run.data, request, context);
  if (!report.success) return report;
  const elapsedMs = deps.clock.elapsed() - startedAt;
  return succeed({ ...report.data, resumedFrom: run.data.id, elapsedMs });
}

async function resumeInMode(
  deps: ResumeRunDeps,
  named: Run,
  request: ResumeRequest,
  context: CallContext,
): Promise<ToolResult<RunReport>> {
  if (named.mode !== "background" && request.background !== true)
    return resumeFound(deps, named, request, context);
  // A caller knows the first run of a background chain.
  const run = (await deps.store.find(await newest(deps.store, named.id))) ?? named;
  const isUnchanged =
    request.corrected === undefined && request.uncertain === undefined && request.inputs === undefined;
  const isFollowed = run.mode === "background" && request.background === undefined && isUnchanged;
  if (run.status === "queued" || isFollowed)
    return succeed(await followRun(deps, run, request.timeoutMs ?? deps.limits().timeoutMs, context));
  if (request.background === true && isUnchanged) return goOnLater(deps, run, request, context);
  return resumeFound(deps, run, request, context);
}

/** The run is put into the queue, after everything was checked that would be checked if it went on here. */
async function goOnLater(
  deps: Deps,
  named: Run,
  request: ResumeRequest,
  context: CallContext,
): Promise<ToolResult<RunReport>> {
  const { store, clock } = deps;
  const run = await markIfInterrupted(deps, named);
  if (run.status === "running") return succeed(goingOn(run.id, "running"));
  if (run.status === "succeeded") return succeed(await storedReport(deps, run));
  const earlier = await readEarlierRun(store, run);
  const wanted = await requestOf(deps, run, request);
  if (!wanted.success) return wanted;
  const ready = await deps.ready(wanted.data, context, doneSteps(earlier.steps));
  if (!ready.success) return ready;
  const kept = checkStorable(ready.data.request);
  if (!kept.success) return kept;
  const decisions = decideUncertain(earlier.uncertain, undefined);
  if (!decisions.success) return refused(deps, earlier, decisions);
  const isWaiting = mustWait(earlier, withoutClient(context), clock.now());
  const at = isWaiting ? (earlier.waiting?.until ?? null) : clock.now();
  if (!(await store.requeue(run.id, at, { attemptCount: 0 })))
    return superseded(run.id, await newest(store, run.id));
  return succeed(
    isWaiting ? await storedReport(deps, (await store.find(run.id)) ?? run) : goingOn(run.id, "queued"),
  );
}

async function resumeFound(
  deps: ResumeRunDeps,
  run: Run,
  request: ResumeRequest,
  context: CallContext,
): Promise<ToolResult<RunReport>> {
  const next = await deps.store.successor(run.id);
  if (next !== undefined) return superseded(run.id, await newest(deps.store, next.id));
  const { found, report } = await settle(deps, run, context);
  if (report !== undefined) return succeed(report);
  const earlier = await readEarlierRun(deps.store, found);
  if (request.corrected === undefined && mustWait(earlier, context, deps.clock.now()))
    return succeed(await storedReport(deps, found));
  const wanted = await requestOf(deps, earlier.run, request);
  if (!wanted.success) return wanted;
  const ready = await deps.ready(wanted.data, context, doneSteps(earlier.steps));
  if (!ready.success) return ready;
  const decisions = decideUncertain(earlier.uncertain, request.uncertain);
  if (!decisions.success) return refused(deps, earlier, decisions);
  const kept = request.background === true ? checkStorable(ready.data.request) : succeed(undefined);
  if (!kept.success) return kept;
  const isCorrected = request.corrected !== undefined;
  const going = { decisions: decisions.data, isCorrected };
  const alone = request.background === true ? withoutClient(context) : context;
  const continued = await continueFrom(deps, earlier, ready.data.request, alone, going);
  if (!continued.success) return continued;
  const running = deps.run(ready.data, alone, continued.data);
  if (request.background !== true) return succeed(await running);
  // Its end is on record; a process that dies leaves it in the queue.
  running.catch((error: unknown) => deps.log.error("run.background.failed", { error }));
  return succeed(goingOn(continued.data.run.id, "running"));
}

/** The caller has gone when the run ends: nothing of it is asked or told, and its own end ends nothing. */
function withoutClient(context: CallContext): CallContext {
  const {
    client: _client,
    modern: _modern,
    onProgress: _onProgress,
    onNotice: _onNotice,
    onRun: _onRun,
    signal: _signal,
    deadlineAt: _deadlineAt,
    ...rest
  } = context;
  return { ...rest, signal: context.principal?.revoked ?? new AbortController().signal };
}

/**
 * Whether this caller could go on with the run as it is: everything that it would still use is there for it. Nothing
 * runs.
 */
export async function checkResumable(
  deps: Deps,
  { runId, inputs = {} }: Pick<ResumeRequest, "runId" | "inputs">,
  context: CallContext,
): Promise<ToolResult<void>> {
  const run = await findRun(deps, await newest(deps.store, runId), context);
  if (!run.success) return run;
  if (run.data.status === "succeeded") return succeed(undefined);
  const wanted = await requestOf(deps, run.data, { runId, inputs });
  if (!wanted.success) return wanted;
  const ready = await deps.ready(wanted.data, context, doneSteps(await deps.store.steps(run.data.id)));
  return ready.success ? succeed(undefined) : ready;
}

/** A decision is needed first: the report says where the run stopped, and nothing has changed. */
async function refused(
  deps: Deps,
  { run }: EarlierRun,
  { error }: { readonly error: ToolError },
): Promise<ToolResult<RunReport>> {
  const result = { success: false as const, error: nameRun(error, run.id) };
  return succeed({ ...(await storedReport(deps, run)), result });
}

/** A question that this caller cannot answer, or a time that has not come: the run would only stop again. */
function mustWait({ run, waiting }: EarlierRun, context: CallContext, now: number): boolean {
  if (run.status !== "paused" || waiting === null) return false;
  // The question of a rule is put to a person by the gateway; one that has expired is asked again.
  if (waiting.expiresAt !== null) return waiting.expiresAt > now;
  return waiting.until === null ? !canBeAsked(context) : waiting.until > now;
}

async function findRun(deps: Deps, runId: string, context: CallContext): Promise<ToolResult<Run>> {
  const { store, scope } = deps;
  const id = runId === "last" ? await findLastRun(deps, context) : succeed(runId);
  if (!id.success) return id;
  const run = await store.find(id.data);
  if (run === undefined || !isSameScope(run.scope, scope())) return noRun(runId);
  if (run.parentRunId === null) return succeed(run);
  const message = `${run.id} is part of another run: resume ${run.parentRunId}.`;
  return fail("TOOL_INVALID_INPUT", message, { field: "resume", nearest: [run.parentRunId] });
}

function noRun(runId: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`, {
    field: "resume",
    hint: "repertoire://runs lists the runs.",
  });
}

function isSameScope(a: Scope, b: Scope): boolean {
  return a.org === b.org && a.project === b.project;
}

/** A run that has stopped. With a report, there is nothing to go on with. */
interface Settled {
  readonly found: Run;
  readonly report?: RunReport;
}

/**
 * The run once it is known what became of it. One that is under way, here or in another process, is waited for, and its
 * report is the answer. Where its owner turns out to be dead, the run has stopped and can go on.
 */
async function settle(deps: Deps, run: Run, context: CallContext): Promise<Settled> {
  const found = await markIfInterrupted(deps, run);
  const here = found.status === "running" ? deps.active.get(run.id) : undefined;
  if (here !== undefined) return { found, report: await here.report };
  if (found.status !== "running" && found.status !== "succeeded") return { found };
  const end = found.status === "running" ? await attach(deps, found, context) : found;
  return isInterrupted(end) ? { found: end } : { found: end, report: await storedReport(deps, end) };
}

/** Only one that is seen itself can tell that an owner is dead. On a shared store it asks no more often than it must. */
async function attach(deps: Deps, run: Run, context: CallContext): Promise<Run> {
  const { store, liveness } = deps;
  await liveness.begin();
  const mayBeOver = ({ leaseOwner }: Run): boolean =>
    !liveness.isShared || (leaseOwner !== null && liveness.isGone(leaseOwner));
  const look = async (): Promise<Run | undefined> => {
    const now = await store.find(run.id);
    return now !== undefined && mayBeOver(now) ? markIfInterrupted(deps, now) : now;
  };
  return (await waitForEnd(look, context, liveness.isShared ? REMOTE_POLL : LOCAL_POLL)) ?? run;
}

/** What ran before, or its correction, with the inputs of both. */
export async function requestOf(
  { findVersion, redactors }: Deps,
  run: Run,
  { corrected, inputs = {}, ...rest }: ResumeRequest,
): Promise<ToolResult<RunRequest>> {
  const before = await sourceOf(findVersion, run);
  if (before === undefined) return gone(run);
  if (corrected !== undefined && corrected.kind !== before.kind)
    return otherKind(before.kind, corrected.kind);
  const names = sensitiveNames(run.inputs);
  const secrets = { secrets: redactors.known(), seed: run.seed };
  const opened = createSeal(sensitiveValues({ inputs, sensitive: names }), secrets).open(run.inputs);
  const missing = [...names, ...stillSealed(opened)].filter((name) => !Object.hasOwn(inputs, name));
  if (missing.length > 0) return askAgain(missing);
  const { timeoutMs, observe, background } = rest;
  return succeed({
    ...(corrected ?? before),
    inputs: { ...opened, ...inputs },
    sensitive: [...new Set([...names, ...(corrected?.sensitive ?? before.sensitive ?? [])])],
    ...(run.intent !== null && { intent: run.intent }),
    timeoutMs,
    observe,
    ...(background === true && { mode: "background" as const }),
  });
}

async function sourceOf(findVersion: RunsDeps["findVersion"], run: Run): Promise<RunSource | undefined> {
  if (run.capabilityId !== null) return findVersion(run.capabilityId, run.capabilityVersion ?? 1);
  if (run.source === null || run.kind === "capability") return undefined;
  return { kind: run.kind, source: run.source };
}

function gone({ id }: Run): ToolResult<never> {
  const message = `What the run ${id} executed is not there any more.`;
  return fail("TOOL_NOT_FOUND", message, { field: "resume", reason: "definition_changed" });
}

function otherKind(before: string, corrected: string): ToolResult<never> {
  const message = `The run was ${before}; ${corrected} cannot go on from there.`;
  return fail("TOOL_INVALID_INPUT", message, { field: "resume", reason: "definition_changed" });
}

function askAgain(names: readonly string[]): ToolResult<never> {
  return fail(
    "TOOL_INVALID_INPUT",
    `${names.join(", ")} ${names.length === 1 ? "is" : "are"} sensitive and not stored: give ${names.length === 1 ? "it" : "them"} again in inputs.`,
    { field: `inputs.${names[0]}`, reason: "sensitive_input" },
  );
}

interface GoingOn extends Pick<Continued, "decisions" | "isCorrected"> {
  /** Of the queue, where it goes on by itself. */
  readonly attemptCount?: number;
}

export async function continueFrom(
  deps: Deps,
  earlier: EarlierRun,
  request: RunRequest,
  context: CallContext,
  { decisions, isCorrected, attemptCount = 0 }: GoingOn,
): Promise<ToolResult<Continued>> {
  const { seed, clockAt } = earlier.run;
  const seal = createSeal(sensitiveValues(request, context.sensitive), {
    secrets: deps.redactors.known(),
    seed,
  });
  const newRun = { ...newRunFor(deps, request, context, { seal, seed, clockAt }), attemptCount };
  const leaseMs = (request.timeoutMs ?? deps.limits().timeoutMs) + LEASE_SLACK_MS;
  const by = context.principal?.id ?? deps.person();
  return goOn(deps, earlier, newRun, { decisions, by, leaseMs, isCorrected });
}

export type Below =
  | { readonly kind: "ended"; readonly report: RunReport }
  | { readonly kind: "continued"; readonly ready: ReadyRun; readonly continued: Continued };

/** A step that had started a run before: that run goes on, with the version that it had. */
export async function continueBelow(
  deps: Deps,
  request: RunRequest,
  { runId, decisions = new Map() }: ResumedRun,
  context: CallContext,
): Promise<Below | undefined> {
  const run = await deps.store.find(await newest(deps.store, runId));
  // Another step has resumed it already: this one starts a new run.
  const isTaken = run?.id !== runId && run?.parentStep !== context.step?.key;
  if (run === undefined || isTaken) return undefined;
  const { found, report } = await settle(deps, run, context);
  if (report !== undefined) return { kind: "ended", report };
  const pinned = await pin(deps, found, request);
  const earlier = await readEarlierRun(deps.store, found);
  const ready = await deps.ready(pinned, context, doneSteps(earlier.steps));
  if (!ready.success) return { kind: "ended", report: refusedReport(ready) };
  const undecided = findUndecided(earlier.uncertain, decisions);
  if (undecided !== undefined) return { kind: "ended", report: refusedReport(undecided) };
  const going = { decisions, isCorrected: false };
  const continued = await continueFrom(deps, earlier, ready.data.request, context, going);
  if (!continued.success) return { kind: "ended", report: refusedReport(continued) };
  return { kind: "continued", ready: ready.data, continued: continued.data };
}

/** A capability that has a new version since goes on with the one that it began with. */
async function pin({ findVersion }: Deps, run: Run, request: RunRequest): Promise<RunRequest> {
  const { capability } = request;
  if (capability === undefined || run.capabilityId !== capability.id) return request;
  if (run.capabilityVersion === null || run.capabilityVersion === capability.version) return request;
  const version = await findVersion(capability.id, run.capabilityVersion);
  if (version === undefined) return request;
  return {
    ...request,
    kind: version.kind,
    source: version.source,
    ...(version.uses !== undefined && { uses: version.uses }),
    capability: { ...capability, version: run.capabilityVersion },
  };
}
