/**
 * Executes code: prepared before anything runs, run in the sandbox, and recorded from its start to its end.
 *
 * A run is a row in the store before its first call is made, and its end is written before it is reported. It shares its
 * deadline and its budget of calls with every run that it starts, and knows the way by which it was reached. `execute`
 * never throws for what the code does; a broken store does throw.
 */
import { randomUUID } from "node:crypto";
import { systemClock, type Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import { silentLog, type Log } from "../core/log.ts";
import type { Scope } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { FinishedStep, Run, RunDraft, RunStore } from "../core/store.ts";
import type { CallBudget, CallContext, CallTool } from "../core/tool.ts";
import type { CodeAnalysis } from "../sandbox/analysis.ts";
import type { ArgumentCheck } from "../sandbox/argument-check.ts";
import { TIMEOUT_MS_MAX } from "../sandbox/limits.ts";
import type { GuestOutcome, Sandbox } from "../sandbox/sandbox.ts";
import type { TypeCheck } from "../sandbox/type-check.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { replayCode, type ReplayReport, type ReplayRequest } from "./replay.ts";
import { resultOf, unhandledWarning, type RunBounds } from "./run-error.ts";
import type { CapabilityRun, CodeRequest, RunReport } from "./run.ts";
import { createToolCaller } from "./tool-caller.ts";
import type { ToolDirectory } from "./tool-directory.ts";

export { TIMEOUT_MS_MAX } from "../sandbox/limits.ts";

/** Beyond a run's own time: for its last writes. */
const LEASE_SLACK_MS = 30_000;

export interface RunLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly callsMax: number;
  readonly callsAtOnceMax: number;
}

export interface RunsParts {
  readonly store: RunStore;
  readonly sandbox: Sandbox;
  readonly analysis: CodeAnalysis;
  readonly types: TypeCheck;
  readonly args: ArgumentCheck;
  readonly directory: ToolDirectory;
  readonly callTool: CallTool;
  readonly scope: () => Scope;
  readonly limits: () => RunLimits;
  readonly log?: Log;
  readonly clock?: Clock;
}

export interface Runs {
  execute(request: CodeRequest, context: CallContext): Promise<RunReport>;
  /** Reads code, resolves its names and checks its types, and runs nothing. `as` is the tool that it would be. */
  prepare(code: string, as: string | undefined, context: CallContext): Promise<ToolResult<Prepared>>;
  /** Checks arguments against a schema of our own, with its defaults filled in. */
  checkArguments(schema: JsonObject, args: JsonObject): Promise<ToolResult<JsonObject>>;
  /** Runs code against recorded answers, offline. */
  replay(request: ReplayRequest, context: CallContext): Promise<ReplayReport>;
  /** Has everything that a run needs ready before the first one. */
  warm(): void;
  close(): Promise<void>;
}

export function createRuns(parts: RunsParts): Runs {
  const { clock = systemClock, log = silentLog } = parts;
  const owner = randomUUID();

  function warmNext(): void {
    parts.types.warm();
    parts.sandbox.warm();
  }

  async function runPrepared(
    prepared: Prepared,
    request: CodeRequest,
    context: CallContext,
    path: readonly string[],
  ): Promise<Omit<RunReport, "elapsedMs">> {
    const startedAt = clock.elapsed();
    const limits = parts.limits();
    const timeoutMs = timeLeft(request.timeoutMs ?? limits.timeoutMs, context, clock);
    const budget: CallBudget = context.budget ?? { callsMax: limits.callsMax, callsLeft: limits.callsMax };
    const draft = draftOf(parts, request, context, clock);
    // Written while the code starts: its first call waits for the row. A run that gets no place leaves none.
    let started: Promise<Run> | undefined;
    const caller = createToolCaller({
      ...parts,
      ...prepared,
      clock,
      budget,
      context: async () => contextBelow(context, await started!, path, budget, clock.now() + timeoutMs),
      ...(request.observe !== undefined && { observe: request.observe }),
    });
    const outcome = await parts.sandbox.run({
      ...limits,
      timeoutMs,
      script: prepared.program.script,
      args: request.inputs,
      functions: prepared.functions,
      call: (index, args, signal) => caller.call(index, args, signal),
      seed: draft.seed,
      clockAt: draft.clockAt,
      signal: context.signal,
      level: path.length,
      owner: context.caller ?? "",
      onLog: (line) => request.observe?.({ kind: "log", line }),
      onStart() {
        started = parts.store.start(draft, owner, timeoutMs + LEASE_SLACK_MS);
        // Whoever waits for it hears of its failure: the first call, or the end of the run.
        started.catch(() => {});
      },
    });
    const bounds = { ...limits, timeoutMs, code: request.code, program: prepared.program };
    const result = resultOf(outcome, bounds);
    const run = await started;
    if (run !== undefined) {
      const elapsedMs = clock.elapsed() - startedAt;
      await finishRun(parts.store, run, result, caller.steps(), request.capability, elapsedMs);
    }
    const runId = run?.id ?? null;
    const { kind, logs, memoryBytes } = outcome;
    const callCount = caller.records.length;
    log.info("run.finished", { traceId: context.traceId, runId, outcome: kind, callCount, memoryBytes });
    return {
      runId,
      result,
      calls: caller.records,
      logs,
      warnings: [...warningsOf(outcome, prepared, bounds), ...caller.warnings],
    };
  }

  return {
    prepare: (code, as, context) => prepare({ ...parts, warmNext }, code, pathOf(context, as), context),
    replay: (request, context) => replayCode(parts, request, context),
    async checkArguments(schema, args) {
      const verdict = await parts.args.check(schema, args, { fillDefaults: true });
      if (verdict.kind === "valid") return succeed(verdict.args);
      return verdict.kind === "unchecked" ? succeed(args) : invalidArguments(verdict.problems);
    },
    async execute(request, context) {
      const startedAt = clock.elapsed();
      const path = pathOf(context, request.capability?.tool);
      const prepared = await prepare({ ...parts, warmNext }, request.code, path, context);
      const report = prepared.success
        ? await runPrepared(prepared.data, request, context, path)
        : { runId: null, result: prepared, calls: [], logs: [], warnings: [] };
      return { ...report, elapsedMs: clock.elapsed() - startedAt };
    },
    warm() {
      parts.sandbox.warm();
      parts.analysis.warm();
      parts.types.warm();
      parts.args.warm();
    },
    async close() {
      await Promise.all([
        parts.sandbox.close(),
        parts.analysis.close(),
        parts.types.close(),
        parts.args.close(),
      ]);
    },
  };
}

function pathOf({ path = [] }: CallContext, capability: string | undefined): readonly string[] {
  return capability === undefined ? path : [...path, capability];
}

function invalidArguments(
  problems: readonly { readonly path: string; readonly message: string }[],
): ToolResult<never> {
  const told = problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  return fail("TOOL_INVALID_INPUT", `The arguments are not valid: ${told}.`, {
    reason: "invalid_arguments",
    ...(problems[0]?.path !== "" && { field: problems[0]!.path }),
  });
}

/** A run that another one started ends with it. */
function timeLeft(wantedMs: number, { deadlineAt }: CallContext, clock: Clock): number {
  const leftMs = deadlineAt === undefined ? TIMEOUT_MS_MAX : deadlineAt - clock.now();
  return Math.max(1, Math.min(wantedMs, leftMs, TIMEOUT_MS_MAX));
}

function draftOf(
  { scope }: RunsParts,
  { code, intent, inputs, capability }: CodeRequest,
  context: CallContext,
  clock: Clock,
): RunDraft {
  return {
    scope: scope(),
    kind: capability === undefined ? "code" : "capability",
    source: capability === undefined ? code : null,
    capabilityId: capability?.id ?? null,
    capabilityVersion: capability?.version ?? null,
    intent: intent ?? null,
    inputs,
    parentRunId: context.runId ?? null,
    seed: randomUUID(),
    clockAt: clock.now(),
  };
}

/** The end, the steps and the use of the capability are one write: none is there without the others. */
async function finishRun(
  store: RunStore,
  run: Run,
  result: RunReport["result"],
  steps: readonly FinishedStep[],
  capability: CapabilityRun | undefined,
  elapsedMs: number,
): Promise<void> {
  const use = capability && { capabilityId: capability.id, success: result.success, elapsedMs };
  const rest = { ...(use !== undefined && { use }), ...(steps.length > 0 && { steps }) };
  const lease = { runId: run.id, fence: run.fence };
  if (result.success) await store.finish(lease, { status: "succeeded", result: result.data, ...rest });
  else {
    const status = result.error.code === "CANCELLED" ? "cancelled" : "failed";
    await store.finish(lease, { status, error: result.error as unknown as JsonObject, ...rest });
  }
}

/** What the tools that the code calls are told. A person is asked through the client, if at all, and never in the answer. */
function contextBelow(
  context: CallContext,
  run: Run,
  path: readonly string[],
  budget: CallBudget,
  deadlineAt: number,
): CallContext {
  const { modern, onProgress, ...passed } = context;
  void modern;
  void onProgress;
  return { ...passed, runId: run.id, depth: path.length, path, budget, deadlineAt };
}

function warningsOf(outcome: GuestOutcome, prepared: Prepared, bounds: RunBounds): string[] {
  const { lines, bytes } = outcome.logsDropped;
  const unheard = outcome.unhandledCount - outcome.unhandled.length;
  return [
    ...prepared.warnings,
    ...outcome.unhandled.map((thrown) => unhandledWarning(thrown, bounds)),
    ...(unheard > 0 ? [`${unheard} more promises were rejected and nothing handled them.`] : []),
    ...(bytes > 0
      ? [`Console output was truncated: ${lines} lines and ${bytes} characters are missing.`]
      : []),
    ...(outcome.callsDropped > 0
      ? [`${outcome.callsDropped} tool calls were not made: the code had ended without waiting for them.`]
      : []),
  ];
}
