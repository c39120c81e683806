/**
 * Executes code and workflows, and resumes those that stopped. Each is prepared before anything runs, runs step by
 * step, and is on record from its start to its end.
 *
 * It never throws for what the code or a tool does; a broken store does throw.
 */
import { systemClock } from "../core/clock.ts";
import { NO_GUARD, NOT_APPROVED } from "../core/guard.ts";
import type { JsonObject } from "../core/json.ts";
import { silentLog } from "../core/log.ts";
import { refuseNul } from "../text/nul.ts";
import type { DeliveryHandler } from "../core/run-queue.ts";
import type { EnqueuedRun, RunSummary } from "../core/store.ts";
import { NO_SECRETS } from "../text/redactors.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { NO_TELEMETRY } from "../telemetry/telemetry.ts";
import type { CallContext, ToolDefinition } from "../core/tool.ts";
import type { ArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { CONTROL_NODES } from "../workflows/control-nodes.ts";
import type { CodeAnalysis } from "../sandbox/analysis/analysis.ts";
import { deliverRun } from "./background/deliver.ts";
import { settleDead } from "./background/dead-runs.ts";
import { lookAtRun, type RunLook } from "./background/look.ts";
import { findOwnStarter } from "./background/starter.ts";
import { enqueueRun, type EnqueueOptions } from "./background/enqueue.ts";
import { runCall } from "./call-run.ts";
import { cancelRun, type Cancelled } from "./cancel-run.ts";
import { createCancelWatch } from "./cancel-watch.ts";
import { runCode } from "./code-run.ts";
import { createLocalLiveness } from "./replicas/liveness.ts";
import { runToEnd, type ReadyRun } from "./run-lifecycle.ts";
import { pathOf } from "./new-run.ts";
import type { Continued } from "./run-context.ts";
import { refusedReport } from "./run-end.ts";
import {
  decide,
  findQuestion,
  type GivenAnswer,
  type OpenQuestion,
  type QuestionReference,
} from "./resume/decide.ts";
import { createShutdown } from "./shutdown.ts";
import { findLastRun, findWaitingCall, hasRunBefore, starterOf } from "./resume/last-run.ts";
import type { CheckedCode, PreparedCode } from "./prepare/prepare-code.ts";
import { replayCode, type ReplayReport, type ReplayRequest } from "./journal/replay.ts";
import { checkResumable, continueBelow, resumeRun, type ResumeRequest } from "./resume/resume-run.ts";
import { pathNameOf, type RunReport, type RunRequest } from "./run.ts";
import { createWaitingRuns, type WaitingRun } from "./resume/waiting-runs.ts";
import { findRunByReference } from "./resume/run-reference.ts";
import { checkSensitive } from "./journal/seal.ts";
import type { Bound } from "./prepare/tool-directory.ts";
import { checkWholeCode, prepareWholeCode, prepareWholeWorkflow, type DoneSteps } from "./prepare/prepare.ts";
import type { PreparedWorkflow } from "./prepare/prepare-workflow.ts";
import type { ActiveRun, RunLifecycleDeps, RunsDeps } from "./run-deps.ts";
import { sweepAbandoned } from "./replicas/sweep.ts";
import { guardedStart } from "./workflow/node-call.ts";
import { runWorkflow } from "./workflow/workflow-run.ts";

export { TIMEOUT_MS_MAX } from "../sandbox/runner/limits.ts";
export type { RunsDeps } from "./run-deps.ts";
export type { ResumeRequest } from "./resume/resume-run.ts";

export interface Runs {
  /** The built-in node types of workflows. */
  readonly nodeTypes: readonly ToolDefinition[];
  execute(request: RunRequest, context: CallContext): Promise<RunReport>;
  /** The same for what a caller named: something saved is called by that, and passes the rules. */
  executeNamed(request: RunRequest, context: CallContext): Promise<RunReport>;
  /**
   * Puts a background run into the queue, after everything was checked that would be checked if it ran now. What a caller
   * named passes the rules first.
   */
  enqueue(
    request: RunRequest,
    context: CallContext,
    options?: EnqueueOptions,
  ): Promise<ToolResult<EnqueuedRun>>;
  /** What a process does with a run that the queue brings. */
  readonly deliver: DeliveryHandler;
  /** Background runs that were given up, newest first. */
  listDead(limit: number): Promise<RunSummary[]>;
  /** A run that was given up is tried again, or left for good. */
  settleDead(runId: string, answer: "retry" | "dismiss"): Promise<ToolResult<void>>;
  /** Resumes a run that stopped, as `execute` with `resume` does. */
  resume(request: ResumeRequest, context: CallContext): Promise<ToolResult<RunReport>>;
  /** What became of a run that no other run started; undefined where there is none. Nobody is waited for. */
  look(runId: string): Promise<RunLook | undefined>;
  /** The id that `last` means for this caller. */
  findLast(context: CallContext): Promise<ToolResult<string>>;
  /** The id that a whole id or a part of one means: with a caller, of that caller's own runs. */
  findRun(reference: string, context?: CallContext): Promise<ToolResult<string>>;
  /** A run of this caller that is this very call and waits for a person; the newest `limit` are compared. */
  findCall(name: string, args: JsonObject, limit: number, context: CallContext): Promise<string | undefined>;
  /** The runs that wait for a person, of the newest `limit` that have not succeeded. */
  listWaiting(limit: number): Promise<WaitingRun[]>;
  /** Whether this caller could go on with the run: it may use everything that the run would still use. Nothing runs. */
  checkResumable(
    request: Pick<ResumeRequest, "runId" | "inputs">,
    context: CallContext,
  ): Promise<ToolResult<void>>;
  /** The question that a paused run waits with: the first, or the one of this id. */
  question(runId: string, questionId?: string): Promise<ToolResult<OpenQuestion>>;
  /** Answers exactly this question; the run goes on when it is resumed. */
  decide(question: QuestionReference, answer: GivenAnswer): Promise<ToolResult<OpenQuestion>>;
  /** Ends a run: calls under way end and are recorded, nothing new begins. `by` is who wants it. */
  cancel(runId: string, by: string): Promise<ToolResult<Cancelled>>;
  /** The places in code that call each tool; none for code that cannot be read. */
  callPlaces(code: string): Promise<CallPlaces>;
  /** Everything that is wrong or doubtful in code, as `execute` finds it before it runs; nothing runs. */
  checkCode(code: string, context: CallContext): Promise<CheckedCode>;
  /**
   * Reads code, resolves its names, checks its types and everything that it calls, and runs nothing. `as` is the tool
   * that it would be, `bound` the tools that it was kept with.
   */
  prepare(
    code: string,
    as: string | undefined,
    context: CallContext,
    bound?: Bound,
  ): Promise<ToolResult<PreparedCode>>;
  /** The same for a workflow: all its problems at once. */
  prepareWorkflow(
    text: string,
    as: string | undefined,
    context: CallContext,
    bound?: Bound,
  ): Promise<ToolResult<PreparedWorkflow>>;
  /** Checks arguments against a schema of our own, with its defaults filled in. */
  checkArguments(schema: JsonObject, args: JsonObject): Promise<ToolResult<JsonObject>>;
  /** Runs code against recorded answers, offline. */
  replay(request: ReplayRequest, context: CallContext): Promise<ReplayReport>;
  /** How many are under way, nested ones too. */
  activeCount(): number;
  /** Has everything that a run needs ready before the first one. */
  warm(): void;
  /** Has ready what every run of code needs, for a client whose earlier runs are on record; for any other nothing. Whether it was. */
  warmFor(context: CallContext): Promise<boolean>;
  /** Ends the runs of owners that are dead, on a store of several machines; one that beats itself does it again and again. */
  sweep(): Promise<void>;
  /** Lets calls under way end and be recorded, and ends every run where it is. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** What code that calls tools has in it. */
const TOOLS_IN_CODE = "mcp";

/** Where nothing else is said: a question may wait over night. */
const APPROVAL_MS = 24 * 60 * 60_000;

/**
 * A run of code is on record before its first call, or after this time: what others look at, cancel or attach to is
 * there, and one that calls nothing and ends sooner is written once, as a whole.
 */
const ROW_AFTER_MS = 50;

/** How long a call under way is awaited when the gateway shuts down; longer ones count as not answered. */
const DRAIN_GRACE_MS = 10_000;

export function createRuns(given: RunsDeps): Runs {
  const guard = given.guard ?? NO_GUARD;
  const active = new Map<string, ActiveRun>();
  const deps = {
    ...given,
    clock: given.clock ?? systemClock,
    log: given.log ?? silentLog,
    redactors: given.redactors ?? NO_SECRETS,
    telemetry: given.telemetry ?? NO_TELEMETRY,
    person: given.person ?? (() => "local"),
    findStarter: given.findStarter ?? findOwnStarter,
    guard,
    noteUse: (name: string, context: CallContext) =>
      guard.observe({ kind: name.includes("__") ? "tool" : "node", name, args: {} }, context),
    spend: given.spend ?? (() => Promise.resolve(true)),
    approvalMs: given.approvalMs ?? (() => APPROVAL_MS),
    rowAfterMs: given.rowAfterMs ?? ROW_AFTER_MS,
    recordAsked: given.recordAsked ?? (() => {}),
    liveness: given.liveness ?? createLocalLiveness(),
    shutdown: createShutdown(),
    active,
    runBegun: () => cancelWatch.begin(),
    unended: new Set<string>(),
  } satisfies RunsDeps & RunLifecycleDeps;
  const cancelWatch = createCancelWatch({ ...deps, owner: deps.liveness.owner });
  const listWaiting = createWaitingRuns(deps);
  const preparing = { ...deps, warmNext };

  function warmNext(code: string): void {
    deps.sandbox.warm();
    if (!code.includes(TOOLS_IN_CODE)) return;
    deps.types.warm();
    deps.args.warm();
  }

  async function ready(
    request: RunRequest,
    context: CallContext,
    done?: DoneSteps,
  ): Promise<ToolResult<ReadyRun>> {
    const path = pathOf(context, pathNameOf(request));
    const details = { bound: request.uses, done };
    const checked = refuseNul(request.intent ?? "", "The intent", "intent") ?? checkSensitive(request);
    if (!checked.success) return checked;
    if (request.kind === "workflow") {
      const prepared = await prepareWholeWorkflow(preparing, request.source, path, context, details);
      if (!prepared.success) return prepared;
      const inputs = await prepared.data.complete(request.inputs);
      if (!inputs.success) return inputs;
      const { sensitive } = prepared.data;
      const kept = checkSensitive({ inputs: inputs.data, sensitive });
      if (!kept.success) return kept;
      return succeed({
        request: { ...request, inputs: inputs.data, sensitive },
        body: (runContext) => runWorkflow({ ...deps, execute }, prepared.data, runContext),
      });
    }
    if (request.kind === "call") {
      const tool = await deps.directory.findCalled(request.source, context);
      if (!tool.success) return tool;
      return succeed({ request, body: (runContext) => runCall(deps, tool.data, runContext) });
    }
    const forRun = { ...details, isForRun: true };
    const prepared = await prepareWholeCode(preparing, request.source, path, context, forRun);
    if (!prepared.success) return prepared;
    return succeed({ request, body: (runContext) => runCode(deps, prepared.data, runContext) });
  }

  async function execute(request: RunRequest, context: CallContext): Promise<RunReport> {
    const startedAt = deps.clock.elapsed();
    const resumes = context.step?.resumes;
    const below = resumes && (await continueBelow({ ...deps, ready }, request, resumes, context));
    if (below?.kind === "ended") return below.report;
    const prepared = below === undefined ? await ready(request, context) : succeed(below.ready);
    const report = prepared.success
      ? await run(prepared.data, context, below?.continued)
      : refusedReport(prepared);
    return { ...report, elapsedMs: deps.clock.elapsed() - startedAt };
  }

  async function executeNamed(request: RunRequest, context: CallContext): Promise<RunReport> {
    const call = guardedStart(request, request.inputs);
    if (call === undefined) return execute(request, context);
    let report: RunReport | undefined;
    const passed = await guard.pass(call, context, async (below) => {
      report = await execute(request, below);
      return report.result;
    });
    if (report !== undefined) return report;
    if (passed.success || passed.error.reason !== NOT_APPROVED)
      return refusedReport(passed as ToolResult<never>);
    // As a run of one call it can wait for the yes.
    const { inputs, timeoutMs, intent, observe } = request;
    return execute({ kind: "call", source: call.name, inputs, timeoutMs, intent, observe }, context);
  }

  async function enqueueChecked(
    request: RunRequest,
    context: CallContext,
    options: EnqueueOptions,
  ): Promise<ToolResult<EnqueuedRun>> {
    const prepared = await ready(request, context);
    if (!prepared.success) return prepared;
    const queued = await enqueueRun(deps, prepared.data.request, context, options);
    if (queued.success) deps.enqueued?.();
    return queued;
  }

  async function enqueue(
    request: RunRequest,
    context: CallContext,
    options: EnqueueOptions = {},
  ): Promise<ToolResult<EnqueuedRun>> {
    const call = guardedStart(request, request.inputs);
    if (call === undefined) return enqueueChecked(request, context, options);
    const passed = await guard.pass(call, context, (below) => enqueueChecked(request, below, options));
    if (passed.success || passed.error.reason !== NOT_APPROVED) return passed;
    // As a run of one call it can wait for the yes.
    const { inputs, timeoutMs, intent } = request;
    return enqueueChecked({ kind: "call", source: call.name, inputs, timeoutMs, intent }, context, options);
  }

  function run(readyRun: ReadyRun, context: CallContext, continued?: Continued): Promise<RunReport> {
    return deps.shutdown.trackRun(runToEnd(deps, readyRun, context, continued));
  }

  return {
    nodeTypes: [...CONTROL_NODES, ...deps.nodes].map(({ definition }) => definition),
    execute,
    executeNamed,
    enqueue,
    deliver: (runId, delivery) => deliverRun({ ...deps, ready, run }, runId, delivery),
    listDead: (limit) => deps.store.listDead(deps.scope(), limit),
    settleDead: (runId, answer) => settleDead(deps, runId, answer),
    resume: (request, context) => resumeRun({ ...deps, ready, run }, request, context),
    look: (runId) => lookAtRun(deps, runId),
    checkResumable: (request, context) => checkResumable({ ...deps, ready }, request, context),
    findCall: (name, args, limit, context) => findWaitingCall(deps, name, args, limit, context),
    listWaiting,
    findLast: (context) => findLastRun(deps, context),
    findRun(reference, context) {
      if (context === undefined) return findRunByReference(deps, reference);
      const { principal, session } = starterOf(context);
      // Which runs other sessions have is not told in a profile.
      const starter = context.view === undefined ? { principal } : { principal, session };
      return findRunByReference(deps, reference, starter);
    },
    question: (runId, questionId) => findQuestion(deps, runId, questionId),
    decide: (question, answer) => decide(deps, question, answer),
    cancel: (runId, by) => cancelRun(deps, runId, by),
    callPlaces: (code) => findCallPlaces(deps.analysis, code),
    checkCode: (code, context) => checkWholeCode(preparing, code, pathOf(context, undefined), context),
    prepare: (code, as, context, bound) =>
      prepareWholeCode(preparing, code, pathOf(context, as), context, { bound }),
    prepareWorkflow: (text, as, context, bound) =>
      prepareWholeWorkflow(preparing, text, pathOf(context, as), context, { bound }),
    replay: (request, context) => replayCode(deps, request, context),
    checkArguments: (schema, args) => checkArguments(deps.args, schema, args),
    activeCount: () => deps.active.size,
    warm() {
      deps.sandbox.warm();
      deps.analysis.warm();
      deps.types.warm();
      deps.args.warm();
    },
    async warmFor(context) {
      const hasRun = await hasRunBefore(deps, context);
      if (hasRun) deps.sandbox.warm();
      if (hasRun) deps.analysis.warm();
      return hasRun;
    },
    async sweep() {
      if (deps.replicas !== undefined) await sweepAbandoned({ ...deps, replicas: deps.replicas });
    },
    drain: () => deps.shutdown.drain(DRAIN_GRACE_MS),
    async close() {
      cancelWatch.close();
      await Promise.all([deps.sandbox.close(), deps.analysis.close(), deps.types.close(), deps.args.close()]);
    },
  };
}

/**
 * Fails for arguments that do not fit; gives them with defaults filled in, or as they are where the schema cannot be
 * checked.
 */
export async function checkArguments(
  check: ArgumentCheck,
  schema: JsonObject,
  args: JsonObject,
): Promise<ToolResult<JsonObject>> {
  const verdict = await check.check(schema, args, { fillDefaults: true });
  if (verdict.kind === "valid") return succeed(verdict.args);
  if (verdict.kind === "unchecked") return succeed(args);
  const told = verdict.problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  const [first] = verdict.problems;
  return fail("TOOL_INVALID_INPUT", `The arguments are not valid: ${told}.`, {
    reason: "invalid_arguments",
    ...(first?.path !== "" && { field: first!.path }),
  });
}

/** The lines that name a tool, from 1, in their order, by `namespace.tool` as code writes it. */
type CallPlaces = ReadonlyMap<string, readonly number[]>;

async function findCallPlaces(analysis: Pick<CodeAnalysis, "analyse">, code: string): Promise<CallPlaces> {
  const read = await analysis.analyse(code);
  const lines = new Map<string, number[]>();
  for (const { namespace, tool, line } of read.kind === "program" ? read.program.uses : []) {
    const known = lines.get(`${namespace}.${tool}`);
    if (known === undefined) lines.set(`${namespace}.${tool}`, [line]);
    else if (known.at(-1) !== line) known.push(line);
  }
  return lines;
}
