/**
 * Runs code against answers that were recorded, offline: no server is asked, nothing is stored. A call is answered by
 * what was recorded for the same tool with the same arguments, in the order in which it was; a call that was not
 * recorded fails.
 */
import { systemClock } from "../../core/clock.ts";
import { canonicalJson, type Json, type JsonObject } from "../../core/json.ts";
import { codeNameOf } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CapabilityExample, ToolUse } from "../../core/store.ts";
import type { CallContext, ToolAnswer } from "../../core/tool.ts";
import { memberName } from "../../sandbox/types/declarations.ts";
import type { StepEnd, StepRequest } from "./journal.ts";
import { prepareCode } from "../prepare/prepare-code.ts";
import { resultOf } from "../run-error.ts";
import { createToolCaller } from "../tool-caller.ts";
import type { RunLimits, RunsDeps } from "../run-deps.ts";
import type { ToolDirectory } from "../prepare/tool-directory.ts";

export interface ReplayRequest {
  readonly code: string;
  /** The exposed name of what is replayed. */
  readonly tool: string;
  readonly toolsUsed: readonly ToolUse[];
  readonly example: CapabilityExample;
  readonly seed: string;
  readonly clockAt: number;
  /** What was done to the example's values before they were kept, done to those that are compared with them. */
  readonly redact: (value: Json) => Json;
}

export interface ReplayReport {
  readonly result: ToolResult<Json>;
  /** Calls that were made and not recorded. */
  readonly unexpected: readonly string[];
  /** Recorded calls that were not made. */
  readonly missing: readonly string[];
}

type Deps = Pick<RunsDeps, "sandbox" | "analysis" | "types" | "args"> & {
  readonly limits: () => RunLimits;
};

export async function replayCode(
  deps: Deps,
  request: ReplayRequest,
  context: CallContext,
): Promise<ReplayReport> {
  const directory = directoryOf(request.toolsUsed);
  const prepared = await prepareCode(
    { ...deps, directory, warmNext: () => {} },
    request.code,
    [...(context.path ?? []), request.tool],
    context,
  );
  const records = createRecords(request);
  if (!prepared.success) return { result: prepared, unexpected: [], missing: records.left() };
  const limits = deps.limits();
  const caller = createToolCaller({
    ...prepared.data,
    args: deps.args,
    clock: systemClock,
    budget: { callsMax: limits.callsMax, callsLeft: limits.callsMax },
    context: () => Promise.resolve(context),
    perform: performUnrecorded,
    callTool: (tool, args) => Promise.resolve(records.answer(tool, args)),
  });
  const { example, seed, clockAt } = request;
  const outcome = await deps.sandbox.run({
    ...limits,
    script: prepared.data.program.script,
    args: example.inputs,
    functions: prepared.data.functions,
    call: (index, args, signal) => caller.call(index, args, signal),
    seed,
    clockAt,
    signal: context.signal,
    level: 0,
    owner: "replay",
  });
  const result = resultOf(outcome, { ...limits, program: prepared.data.program });
  return { result, unexpected: records.unexpected, missing: records.left() };
}

async function performUnrecorded({ check, make }: StepRequest): Promise<StepEnd> {
  const checked = await check?.();
  const result = checked?.success === false ? checked : await make();
  return { result, seq: 0, at: systemClock.now(), isReplayed: false };
}

/** Only what the code was written against: its definitions are kept with it. */
function directoryOf(used: readonly ToolUse[]): ToolDirectory {
  const tools = used.map(({ tool, definition }) => ({ tool, definition, ...codeNameIn(tool) }));
  const isNamed = (name: string, written: string) => name === written || memberName(name) === written;
  return {
    find(namespace, tool) {
      const found = tools.find((item) => isNamed(item.namespace, namespace) && isNamed(item.action, tool));
      if (found === undefined) return Promise.resolve(notKept(`${namespace}.${tool}`));
      const inputSchema = (found.definition?.["inputSchema"] ?? { type: "object" }) as JsonObject;
      return Promise.resolve(
        succeed({ name: found.tool, definition: { ...found.definition, name: found.tool, inputSchema } }),
      );
    },
    findExposed: (name) => Promise.resolve(notKept(name)),
    findCalled: (name) => Promise.resolve(notKept(name)),
    findNamespace(namespace) {
      const isKnown = tools.some((item) => isNamed(item.namespace, namespace));
      return Promise.resolve(isKnown ? succeed(undefined) : notKept(namespace));
    },
    respell: () => Promise.resolve([]),
  };
}

function codeNameIn(exposed: string): { readonly namespace: string; readonly action: string } {
  const { namespace, tool } = codeNameOf(exposed);
  return { namespace, action: tool };
}

function notKept(name: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `mcp.${name} is not among the tools that were kept with this version.`);
}

function createRecords({ example, redact }: ReplayRequest) {
  const keyOf = (tool: string, args: Json): string => `${tool} ${canonicalJson(redact(args))}`;
  const waiting = new Map<string, CapabilityExample["calls"][number][]>();
  for (const call of example.calls) {
    const key = keyOf(call.tool, call.args);
    waiting.set(key, [...(waiting.get(key) ?? []), call]);
  }
  const unexpected: string[] = [];
  return {
    unexpected,
    left: () => [...waiting].flatMap(([key, calls]) => calls.map(() => key)),
    answer(tool: string, args: JsonObject): ToolResult<ToolAnswer> {
      const key = keyOf(tool, args);
      const call = waiting.get(key)?.shift();
      if (call === undefined) {
        unexpected.push(key);
        return fail("TOOL_NOT_FOUND", `This call is not in the example: ${key}`);
      }
      return answerOf(call);
    },
  };
}

function answerOf({ result, error }: CapabilityExample["calls"][number]): ToolResult<ToolAnswer> {
  if (error !== undefined) {
    const message = typeof error["message"] === "string" ? error["message"] : "The tool failed.";
    return fail("TOOL_EXECUTION_FAILED", message);
  }
  return succeed({ content: [{ type: "text", text: JSON.stringify(result ?? null) }] });
}
