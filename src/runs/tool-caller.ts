/** The calls of one run: each is counted, checked against the tool's schema, made, recorded, and unwrapped for the guest. */
import type { Clock } from "../core/clock.ts";
import type { ToolError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { FinishedStep } from "../core/store.ts";
import type { CallBudget, CallContext, CallTool } from "../core/tool.ts";
import type { ArgumentCheck } from "../sandbox/argument-check.ts";
import { signatureOfTool } from "../sandbox/declarations.ts";
import type { CallReply, GuestFunction } from "../sandbox/sandbox.ts";
import type { CallRecord, RunEvent } from "./run.ts";
import type { FoundTool } from "./tool-directory.ts";
import { unwrapAnswer, warningsOf } from "./unwrap.ts";

export interface ToolCallerParts {
  readonly callTool: CallTool;
  readonly args: ArgumentCheck;
  readonly clock: Clock;
  readonly tools: readonly (FoundTool | undefined)[];
  readonly functions: readonly GuestFunction[];
  readonly budget: CallBudget;
  /** For what is called, when the run is on record; the signal is each call's own. */
  readonly context: () => Promise<CallContext>;
  readonly observe?: (event: RunEvent) => void;
}

export interface ToolCaller {
  call(index: number, args: JsonObject, signal: AbortSignal): Promise<CallReply>;
  /** In the order in which they were made. */
  readonly records: readonly CallRecord[];
  /** What the capabilities that were called had to say. */
  readonly warnings: ReadonlySet<string>;
  /** The calls that ended, as they are kept. */
  steps(): readonly FinishedStep[];
}

export function createToolCaller(parts: ToolCallerParts): ToolCaller {
  const { clock, budget, observe } = parts;
  const startedAt = clock.elapsed();
  const records: CallRecord[] = [];
  const steps: FinishedStep[] = [];
  const warnings = new Set<string>();

  async function make(
    tool: FoundTool,
    index: number,
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<ToolResult<Json>> {
    if (signal.aborted) return fail("CANCELLED", "The run had ended before this call was made.");
    if (budget.callsLeft <= 0) return callLimit(budget);
    budget.callsLeft--;
    const problem = await findProblem(parts.args, tool, parts.functions[index]!, args);
    if (problem !== undefined) return problem;
    const answer = await parts.callTool(tool.name, args, { ...(await parts.context()), signal });
    if (!answer.success) return answer;
    for (const warning of warningsOf(answer.data)) warnings.add(warning);
    return unwrapAnswer(answer.data);
  }

  return {
    records,
    warnings,
    steps: () => steps,
    async call(index, args, signal) {
      const tool = parts.tools[index]!;
      const callAt = clock.elapsed();
      const at = records.length;
      const begun: CallRecord = {
        tool: tool.name,
        success: false,
        startedMs: callAt - startedAt,
        elapsedMs: 0,
      };
      records.push(begun);
      observe?.({ kind: "call_started", tool: tool.name, number: at + 1 });
      const result = await make(tool, index, args, signal);
      records[at] = {
        ...begun,
        success: result.success,
        elapsedMs: clock.elapsed() - callAt,
        ...(!result.success && { error: { code: result.error.code, message: result.error.message } }),
      };
      steps.push(stepOf(tool.name, at, args, result, clock.now(), clock.elapsed() - callAt));
      observe?.({ kind: "call_ended", tool: tool.name, number: at + 1, success: result.success });
      return result.success
        ? { kind: "returned", value: result.data, at: clock.now() }
        : { kind: "failed", error: guestError(result.error, tool.name), at: clock.now() };
    },
  };
}

/** The run's own count is kept by the sandbox; this is the one that it shares with what it started. */
function callLimit({ callsMax }: CallBudget): ToolResult<never> {
  return fail(
    "RATE_LIMITED",
    `call_limit: a run and all that it calls may make ${callsMax} tool calls together.`,
    {
      reason: "call_limit",
      retryable: false,
      hint: "Ask for more with each call, or part the work into several runs.",
    },
  );
}

/** A mistake is told before the server is troubled; a schema that cannot be checked is the server's own affair. */
async function findProblem(
  check: ArgumentCheck,
  { definition }: FoundTool,
  { namespace, name }: GuestFunction,
  args: JsonObject,
): Promise<ToolResult<never> | undefined> {
  // With defaults: a server that declares one accepts that it is left out, and fills it in itself.
  const verdict = await check.check(definition.inputSchema, args, { fillDefaults: true });
  if (verdict.kind !== "invalid") return undefined;
  const { inputSchema, outputSchema } = definition;
  const signature = signatureOfTool({
    namespace,
    tool: name!,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
  });
  const problems = verdict.problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  const message = `The arguments are not valid: ${problems}${/[?.]$/.test(problems) ? "" : "."} It is ${signature}.`;
  return fail("TOOL_INVALID_INPUT", message, { reason: "invalid_arguments", signature });
}

/** What is kept of one answer; a larger one is left out of the record, not out of the run. */
const STEP_RESULT_LENGTH_MAX = 64 * 1024;

function stepOf(
  tool: string,
  at: number,
  args: JsonObject,
  result: ToolResult<Json>,
  finishedAt: number,
  elapsedMs: number,
): FinishedStep {
  const isKept = result.success && JSON.stringify(result.data).length <= STEP_RESULT_LENGTH_MAX;
  return {
    key: String(at + 1),
    seq: at + 1,
    tool,
    args,
    startedAt: Math.round(finishedAt - elapsedMs),
    finishedAt,
    status: result.success ? "succeeded" : "failed",
    ...(isKept && { result: result.data }),
    ...(result.success && !isKept && { error: { reason: "answer_not_kept" } }),
    ...(!result.success && { error: { code: result.error.code, message: result.error.message } }),
  };
}

/** What the guest can catch. */
function guestError(error: ToolError, tool: string): JsonObject {
  const { upstream, ...told } = error;
  return {
    ...(told as unknown as JsonObject),
    tool,
    ...(upstream !== undefined && { details: upstream as unknown as JsonObject }),
  };
}
