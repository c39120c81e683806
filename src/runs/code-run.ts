/** The body of a run of code: it runs in the sandbox, and each of its calls is a step. */
import type { Clock } from "../core/clock.ts";
import type { ToolError } from "../core/errors.ts";
import type { CallTool } from "../core/tool.ts";
import type { ArgumentCheck } from "../sandbox/schema/argument-check.ts";
import type { GuestOutcome, Sandbox } from "../sandbox/sandbox.ts";
import { createCodeCalls } from "./code-calls.ts";
import type { GuardedCallDeps } from "./guarded-call.ts";
import type { RunContext } from "./run-context.ts";
import type { StepEnd } from "./journal/journal.ts";
import type { PreparedCode } from "./prepare/prepare-code.ts";
import { resultOf, unhandledWarning, type RunBounds } from "./run-error.ts";
import type { RunEnd, RunRequest } from "./run.ts";
import { skippedCalls, skippedWarning } from "./resume/skipped.ts";
import { createToolCaller, type ScanAnswer } from "./tool-caller.ts";
import { createMatchGuard } from "./resume/unmatched.ts";

export interface CodeRunDeps extends GuardedCallDeps {
  readonly sandbox: Sandbox;
  readonly args: ArgumentCheck;
  readonly callTool: CallTool;
  readonly scanAnswer?: ScanAnswer;
  readonly clock: Clock;
}

export async function runCode(
  deps: CodeRunDeps,
  prepared: PreparedCode,
  runContext: RunContext,
): Promise<RunEnd> {
  const { request, context, journal, limits, timeoutMs, seal } = runContext;
  const findMismatch = createMatchGuard(runContext.corrects, prepared.tools);
  const calls = createCodeCalls(deps, runContext);
  const caller = createToolCaller({
    ...deps,
    ...prepared,
    budget: runContext.budget,
    identify: (args) => seal.identify(args),
    async perform(step, call) {
      const mismatch = findMismatch(step);
      if (mismatch !== undefined) return stopAt(mismatch, runContext);
      return calls.perform(step, call);
    },
    context: (key) => runContext.contextFor(key),
    observe: request.observe,
  });
  const outcome = await deps.sandbox.run({
    ...limits,
    timeoutMs,
    script: prepared.program.script,
    args: request.inputs,
    functions: prepared.functions,
    call: (index, args, signal) => caller.call(index, args, signal),
    seed: runContext.seed,
    clockAt: runContext.clockAt,
    signal: runContext.signal,
    level: runContext.path.length,
    owner: context.caller ?? "",
    onLog: (line) => request.observe?.({ kind: "log", line }),
    // Its first call waits for the row. A run that gets no place leaves none.
    onStart: () => runContext.beginSoon(),
    // Only recorded answers wait for the guest to have taken the ones before.
    ...(runContext.isContinued && { onIdle: () => journal.idle() }),
  });
  const bounds = { ...limits, timeoutMs: runContext.limitMs, program: prepared.program };
  const skipped = skippedCalls(caller.records);
  const failedSeq = outcome.kind === "threw" ? outcome.thrown.step : undefined;
  return {
    result: calls.paused() ?? resultOf(outcome, bounds),
    calls: caller.records,
    logs: outcome.logs,
    warnings: [
      ...writingNotes(outcome, prepared, request),
      ...warningsOf(outcome, prepared, bounds),
      ...caller.warnings,
      ...skipped.map(skippedWarning),
    ],
    ...(skipped.length > 0 && { skipped }),
    failedSeq,
  };
}

/** The guest does not hear of it: the run ends. */
function stopAt(error: ToolError, runContext: RunContext): StepEnd {
  runContext.stop(error);
  return { result: { success: false, error }, seq: 0, at: runContext.clockAt, isReplayed: false };
}

const RETURNED_NOTHING = "The code returned nothing: end it with `return …`.";

/** About how the code is written: for its writer, and not for everyone who calls what was kept. */
function writingNotes(
  outcome: GuestOutcome,
  { program }: PreparedCode,
  { capability }: Pick<RunRequest, "capability">,
): readonly string[] {
  if (capability !== undefined) return [];
  const isNothing = outcome.kind === "returned" && outcome.isNothing === true;
  return [...program.notes, ...(isNothing ? [RETURNED_NOTHING] : [])];
}

function warningsOf(outcome: GuestOutcome, prepared: PreparedCode, bounds: RunBounds): string[] {
  const { lines, bytes } = outcome.consoleDropped;
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
