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
import type { Scope } from "../core/names.ts";
import type { ToolResult } from "../core/result.ts";
import type { Run, RunStore } from "../core/store.ts";
import type { CallBudget, CallContext, CallTool } from "../core/tool.ts";
import type { CodeAnalysis } from "../sandbox/analysis.ts";
import type { ArgumentCheck } from "../sandbox/argument-check.ts";
import { TIMEOUT_MS_MAX } from "../sandbox/limits.ts";
import type { GuestOutcome, Sandbox } from "../sandbox/sandbox.ts";
import type { TypeCheck } from "../sandbox/type-check.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { resultOf, unhandledWarning, type RunBounds } from "./run-error.ts";
import type { CodeRequest, RunReport } from "./run.ts";
import { createToolCaller } from "./tool-caller.ts";
import type { ToolDirectory } from "./tool-directory.ts";

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
  readonly clock?: Clock;
}

export interface Runs {
  execute(request: CodeRequest, context: CallContext): Promise<RunReport>;
  /** Has everything that a run needs ready before the first one. */
  warm(): void;
  close(): Promise<void>;
}

export function createRuns(parts: RunsParts): Runs {
  const { clock = systemClock } = parts;
  const owner = randomUUID();

  return {
    async execute(request, context) {
      const startedAt = clock.elapsed();
      const path =
        request.capability === undefined
          ? (context.path ?? [])
          : [...(context.path ?? []), request.capability];
      const prepared = await prepare(parts, request.code, path, context);
      if (!prepared.success) return refused(prepared, clock.elapsed() - startedAt);
      const limits = parts.limits();
      const timeoutMs = timeLeft(request.timeoutMs ?? limits.timeoutMs, context, clock);
      const run = await startRun(parts, request, context, owner, timeoutMs, clock);
      const budget: CallBudget = context.budget ?? { callsMax: limits.callsMax, callsLeft: limits.callsMax };
      const caller = createToolCaller({
        ...parts,
        clock,
        ...prepared.data,
        budget,
        context: contextBelow(context, run, path, budget, clock.now() + timeoutMs),
        ...(request.observe !== undefined && { observe: request.observe }),
      });
      const outcome = await parts.sandbox.run({
        script: prepared.data.program.script,
        args: request.inputs,
        functions: prepared.data.functions,
        call: (index, args, signal) => caller.call(index, args, signal),
        seed: run.seed,
        clockAt: run.clockAt,
        timeoutMs,
        callsMax: limits.callsMax,
        callsAtOnceMax: limits.callsAtOnceMax,
        signal: context.signal,
        level: path.length,
        owner: context.caller ?? "",
        onLog: (line) => request.observe?.({ kind: "log", line }),
      });
      const bounds = { ...limits, timeoutMs, code: request.code, program: prepared.data.program };
      const result = resultOf(outcome, bounds);
      await finishRun(parts.store, run, result);
      return {
        runId: run.id,
        result,
        calls: caller.records,
        logs: outcome.logs,
        warnings: warningsOf(outcome, prepared.data, bounds),
        elapsedMs: clock.elapsed() - startedAt,
      };
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

function refused(result: ToolResult<never>, elapsedMs: number): RunReport {
  return { runId: null, result, calls: [], logs: [], warnings: [], elapsedMs };
}

/** A run that another one started ends with it. */
function timeLeft(wantedMs: number, { deadlineAt }: CallContext, clock: Clock): number {
  const leftMs = deadlineAt === undefined ? TIMEOUT_MS_MAX : deadlineAt - clock.now();
  return Math.max(1, Math.min(wantedMs, leftMs, TIMEOUT_MS_MAX));
}

function startRun(
  { store, scope }: RunsParts,
  { code, intent, inputs }: CodeRequest,
  context: CallContext,
  owner: string,
  timeoutMs: number,
  clock: Clock,
): Promise<Run> {
  return store.start(
    {
      scope: scope(),
      kind: "code",
      source: code,
      intent: intent ?? null,
      inputs,
      parentRunId: context.runId ?? null,
      seed: randomUUID(),
      clockAt: clock.now(),
    },
    owner,
    timeoutMs + LEASE_SLACK_MS,
  );
}

async function finishRun(store: RunStore, run: Run, result: RunReport["result"]): Promise<void> {
  const lease = { runId: run.id, fence: run.fence };
  if (result.success) await store.finish(lease, { status: "succeeded", result: result.data });
  else {
    const status = result.error.code === "CANCELLED" ? "cancelled" : "failed";
    await store.finish(lease, { status, error: result.error as unknown as JsonObject });
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
  return [
    ...prepared.warnings,
    ...outcome.unhandled.map((thrown) => unhandledWarning(thrown, bounds)),
    ...(bytes > 0
      ? [`Console output was truncated: ${lines} lines and ${bytes} characters are missing.`]
      : []),
    ...(outcome.callsDropped > 0
      ? [`${outcome.callsDropped} tool calls were not made: the code had ended without waiting for them.`]
      : []),
  ];
}
