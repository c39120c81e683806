/**
 * The body of a run of one call: a client called a tool, and a rule asks a person first. As a run the call can wait, and
 * is made once. Its result is the whole answer of the tool, so that the client gets what it would have got at once.
 */
import type { Clock } from "../core/clock.ts";
import { DATA_LIMITS, hashJson, type Json } from "../core/json.ts";
import type { Permit } from "../core/rule.ts";
import type { ToolResult } from "../core/result.ts";
import type { CallTool, TaskRecord } from "../core/tool.ts";
import type { TraceContext } from "../core/trace-context.ts";
import { clearCall, type GuardedCallDeps } from "./guarded-call.ts";
import type { StepEnd } from "./journal/journal.ts";
import type { FoundTool } from "./prepare/tool-directory.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEnd } from "./run.ts";
import { guardedCallOf, isCapability, isRepeatable, recordOf } from "./tool-caller.ts";
import { codeKey } from "./workflow/labels.ts";

export interface CallRunDeps extends GuardedCallDeps {
  readonly callTool: CallTool;
  readonly clock: Clock;
}

export async function runCall(deps: CallRunDeps, tool: FoundTool, runContext: RunContext): Promise<RunEnd> {
  const { seal, request, journal } = runContext;
  const startedAt = deps.clock.elapsed();
  const { inputs: args } = request;
  const key = codeKey(tool.name, hashJson(seal.identify(args), DATA_LIMITS), 1);
  const isDone = journal.recorded(key) !== undefined;
  const cleared = isDone ? undefined : await clearCall(deps, runContext, key, guardedCallOf(tool, args));
  if (cleared?.kind === "stopped") return { result: cleared.result, calls: [], logs: [], warnings: [] };
  const end = await journal.perform({
    key,
    tool: tool.name,
    args,
    startsRun: isCapability(tool.name),
    isRepeatable: isCapability(tool.name) || isRepeatable(tool.definition),
    make: (trace, task) => make(deps, tool, runContext, key, { trace, permit: cleared?.permit, task }),
  });
  return endOf(tool, end, deps.clock.elapsed() - startedAt);
}

/** What belongs to this very call. */
interface ThisCall {
  readonly trace: TraceContext | undefined;
  readonly permit: Permit | undefined;
  readonly task: TaskRecord | undefined;
}

async function make(
  { callTool }: CallRunDeps,
  { name }: FoundTool,
  runContext: RunContext,
  key: string,
  { trace, permit, task }: ThisCall,
): Promise<ToolResult<Json>> {
  const { request, signal } = runContext;
  const below = await runContext.contextFor(key);
  const own = { ...(trace !== undefined && { trace }), ...(task !== undefined && { taskRecord: task }) };
  const context = { ...below, signal, permit, ...own };
  return (await callTool(name, request.inputs, context)) as ToolResult<Json>;
}

function endOf({ name }: FoundTool, end: StepEnd, elapsedMs: number): RunEnd {
  const call = { tool: name, startedMs: 0, elapsedMs, ...recordOf(end) };
  return {
    result: end.result,
    calls: [call],
    logs: [],
    warnings: [],
    failedSeq: end.result.success ? undefined : end.seq,
  };
}
