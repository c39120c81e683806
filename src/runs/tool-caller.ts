/**
 * The calls of one run of code: each is counted, checked against the tool's schema, journalled, made, and unwrapped for
 * the guest.
 */
import type { Clock } from "../core/clock.ts";
import type { ToolError } from "../core/errors.ts";
import type { GuardedCall } from "../core/guard.ts";
import { CAPABILITIES_ID, parseToolName } from "../core/names.ts";
import type { Permit } from "../core/rule.ts";
import { DATA_LIMITS, hashJson, type Json, type JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import {
  answerTypeOf,
  type CallBudget,
  type CallContext,
  type CallTool,
  type TaskRecord,
  type ToolAnswer,
  type ToolDefinition,
} from "../core/tool.ts";
import type { TraceContext } from "../core/trace-context.ts";
import type { ArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { signatureOfTool } from "../sandbox/types/declarations.ts";
import type { CallReply, GuestFunction } from "../sandbox/sandbox.ts";
import type { StepEnd, StepRequest } from "./journal/journal.ts";
import { codeKey } from "./workflow/labels.ts";
import type { CallRecord, RunEvent } from "./run.ts";
import type { FoundTool } from "./prepare/tool-directory.ts";
import { unwrapAnswer, warningsOf } from "./unwrap.ts";

export interface ToolCallerDeps {
  readonly callTool: CallTool;
  readonly args: ArgumentCheck;
  readonly clock: Clock;
  readonly tools: readonly (FoundTool | undefined)[];
  readonly functions: readonly GuestFunction[];
  readonly budget: CallBudget;
  /** Makes a step, or answers it from the record; `call` is what the rules see of it. */
  readonly perform: (step: GuardedStep, call: GuardedCall) => Promise<StepEnd>;
  /** What identifies arguments, without what must not be stored. */
  readonly identify?: (args: JsonObject) => JsonObject;
  /** For what is called, by the key of its step; the signal is each call's own. */
  readonly context: (key: string) => Promise<CallContext>;
  readonly observe?: (event: RunEvent) => void;
  /** What looks like an attack in the texts of an answer, in one sentence. */
  readonly scanAnswer?: ScanAnswer;
}

export type ScanAnswer = (tool: string, answer: ToolAnswer, context: CallContext) => string | undefined;

/** A step whose call can be made with a person's yes. */
export interface GuardedStep extends Omit<StepRequest, "make"> {
  readonly make: (trace?: TraceContext, task?: TaskRecord, permit?: Permit) => Promise<ToolResult<Json>>;
}

export interface ToolCaller {
  call(index: number, args: JsonObject, signal: AbortSignal): Promise<CallReply>;
  /** In the order in which they were made. */
  readonly records: readonly CallRecord[];
  /** What the capabilities that were called had to say. */
  readonly warnings: ReadonlySet<string>;
}

export function createToolCaller(deps: ToolCallerDeps): ToolCaller {
  const { clock, observe } = deps;
  const startedAt = clock.elapsed();
  const records: CallRecord[] = [];
  const warnings = new Set<string>();
  const occurrences = new Map<string, number>();

  /** The same tool with the same arguments for the n-th time. */
  function keyOf(tool: string, args: JsonObject): string {
    const hash = hashJson(deps.identify?.(args) ?? args, DATA_LIMITS);
    const count = (occurrences.get(`${tool} ${hash}`) ?? 0) + 1;
    occurrences.set(`${tool} ${hash}`, count);
    return codeKey(tool, hash, count);
  }

  async function make(
    tool: FoundTool,
    key: string,
    args: JsonObject,
    signal: AbortSignal,
    trace: TraceContext | undefined,
    permit: Permit | undefined,
    taskRecord: TaskRecord | undefined,
  ): Promise<ToolResult<Json>> {
    const own = { ...(trace !== undefined && { trace }), ...(taskRecord !== undefined && { taskRecord }) };
    const context = { ...(await deps.context(key)), signal, permit, ...own };
    const answer = await deps.callTool(tool.name, args, context);
    if (!answer.success) return answer;
    for (const warning of warningsOf(answer.data)) warnings.add(warning);
    const finding = deps.scanAnswer?.(tool.name, answer.data, context);
    if (finding !== undefined) warnings.add(finding);
    return unwrapAnswer(answer.data);
  }

  function stepOf(index: number, args: JsonObject, signal: AbortSignal): GuardedStep {
    const tool = deps.tools[index]!;
    const key = keyOf(tool.name, args);
    const startsRun = isCapability(tool.name);
    return {
      key,
      tool: tool.name,
      args,
      startsRun,
      isRepeatable: startsRun || isRepeatable(tool.definition),
      isRead: !startsRun && tool.definition.annotations?.readOnlyHint === true,
      check: () => check(deps, tool, deps.functions[index]!, args, signal),
      make: (trace, task, permit) => make(tool, key, args, signal, trace, permit, task),
    };
  }

  return {
    records,
    warnings,
    async call(index, args, signal) {
      const { name } = deps.tools[index]!;
      const callAt = clock.elapsed();
      const at = records.length;
      const begun: CallRecord = { tool: name, success: false, startedMs: callAt - startedAt, elapsedMs: 0 };
      records.push(begun);
      observe?.({ kind: "call_started", tool: name, number: at + 1 });
      const end = await deps.perform(stepOf(index, args, signal), guardedCallOf(deps.tools[index]!, args));
      records[at] = { ...begun, ...recordOf(end), elapsedMs: clock.elapsed() - callAt };
      const { success, skippedBy } = records[at];
      const isSkipped = skippedBy !== undefined;
      observe?.({ kind: "call_ended", tool: name, number: at + 1, success, isSkipped });
      return replyOf(end, name);
    },
  };
}

/** A call of a tool, as the rules see it. */
export function guardedCallOf({ name, definition }: FoundTool, args: JsonObject): GuardedCall {
  const parsed = parseToolName(name);
  const source = parsed.kind === "upstream" ? parsed.server : CAPABILITIES_ID;
  return { kind: "tool", name, source, definition, args };
}

/** A capability keeps a journal of its own: calling it again makes none of its calls twice. */
export function isCapability(tool: string): boolean {
  return tool.startsWith("mcp__");
}

/** By the tool's own word; without one, it is not. */
export function isRepeatable({ annotations }: ToolDefinition): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}

type EndRecord = Pick<CallRecord, "success" | "isReplayed" | "isWaiting" | "skippedBy" | "error">;

export function recordOf({ result, isReplayed, skippedBy, isWaiting }: StepEnd): EndRecord {
  if (isWaiting === true) return { success: false, isWaiting };
  return {
    success: result.success && skippedBy === undefined,
    ...(isReplayed && { isReplayed: true }),
    ...(skippedBy !== undefined && { skippedBy }),
    ...(!result.success && { error: { code: result.error.code, message: result.error.message } }),
  };
}

function replyOf({ result, at, seq }: StepEnd, tool: string): CallReply {
  return result.success
    ? { kind: "returned", value: result.data, at }
    : { kind: "failed", error: { ...guestError(result.error, tool), step: seq }, at };
}

/** A mistake is reported before the call is sent. */
async function check(
  { budget, args: schemas }: ToolCallerDeps,
  tool: FoundTool,
  fn: GuestFunction,
  args: JsonObject,
  signal: AbortSignal,
): Promise<ToolResult<unknown>> {
  if (signal.aborted) return fail("CANCELLED", "The run had ended before this call was made.");
  if (budget.callsLeft <= 0) return callLimit(budget);
  budget.callsLeft--;
  return findProblem(schemas, tool, fn, args);
}

/** The run's own count is kept by the sandbox; this is the one that it shares with what it started. */
export function callLimit({ callsMax }: CallBudget): ToolResult<never> {
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

/** A schema that cannot be compiled is left to the server to check. */
async function findProblem(
  schemas: ArgumentCheck,
  { definition }: FoundTool,
  { namespace, name }: GuestFunction,
  args: JsonObject,
): Promise<ToolResult<unknown>> {
  // With defaults: a server that declares one accepts that it is left out, and fills it in itself.
  const verdict = await schemas.check(definition.inputSchema, args, { fillDefaults: true });
  if (verdict.kind !== "invalid") return succeed(undefined);
  const { inputSchema } = definition;
  const signature = signatureOfTool({
    namespace,
    tool: name!,
    inputSchema,
    outputSchema: answerTypeOf(definition),
  });
  const problems = verdict.problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  const message = `The arguments are not valid: ${problems}${/[?.]$/.test(problems) ? "" : "."} It is ${signature}.`;
  return fail("TOOL_INVALID_INPUT", message, { reason: "invalid_arguments", signature });
}

/** What the guest can catch. */
function guestError(error: ToolError, tool: string): JsonObject {
  const { upstream, mayHaveHappened: _, cause, ...told } = error;
  // However deep it was: the place in this code, which is added where it is thrown, and the innermost one with its
  // cause.
  const message = isCapability(tool) ? (cause ?? `In ${tool}: ${error.message}`) : error.message;
  return {
    ...(told as unknown as JsonObject),
    message,
    tool,
    ...(upstream !== undefined && { details: upstream as unknown as JsonObject }),
  };
}
