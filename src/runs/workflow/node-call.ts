/** Performs a node whose parameters are filled in: a tool, a built-in node, or a run of its own. */
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Guard, GuardedCall } from "../../core/guard.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { CAPABILITIES_ID } from "../../core/names.ts";
import type { CallContext, CallTool } from "../../core/tool.ts";
import type { LogLine } from "../../sandbox/sandbox.ts";
import type { NodeKind } from "./node-kind.ts";
import { pathNameOf, type RunReport, type RunRequest, type RunSource } from "../run.ts";
import { guardedCallOf, isRepeatable } from "../tool-caller.ts";
import type { SkippedCall } from "../resume/skipped.ts";
import type { Bound } from "../prepare/tool-directory.ts";
import { unwrapAnswer } from "../unwrap.ts";

export interface NodeCallDeps {
  /** Built-in nodes pass it here; tools pass it on their way. */
  readonly guard: Guard;
  readonly onLogs: (logs: readonly LogLine[]) => void;
  /** What a run below went on without. */
  readonly onSkipped: (calls: readonly SkippedCall[]) => void;
  /** What the workflow was kept with: the code in its nodes was kept with it. */
  readonly uses: Bound | undefined;
  readonly callTool: CallTool;
  readonly execute: (request: RunRequest, context: CallContext) => Promise<RunReport>;
  readonly findSource: (name: string, context: CallContext) => Promise<ToolResult<RunSource>>;
}

/** Whether the node is a run with a journal of its own. */
export function startsRun(kind: NodeKind): boolean {
  if (kind.kind === "built_in") return false;
  return (
    kind.kind === "control" || kind.definition.name.startsWith("mcp__") || kind.tool.name.startsWith("mcp__")
  );
}

export function mayRepeat(kind: NodeKind, params: JsonObject): boolean {
  if (startsRun(kind)) return true;
  return kind.kind === "built_in" ? kind.node.isRepeatable(params) : isRepeatable(kind.definition);
}

/** The call of a node, as the rules see it; undefined for one that only starts a run, whose calls they see. */
function guardedNode(kind: NodeKind, params: JsonObject): GuardedCall | undefined {
  if (kind.kind === "control") return undefined;
  if (kind.kind === "tool") return guardedCallOf(kind.tool, params);
  return { kind: "node", name: kind.node.definition.name, args: params };
}

/** The same, also for a node that starts something saved by its name: that is a call of it. */
export async function guardedCallOfNode(
  { findSource }: Pick<NodeCallDeps, "findSource">,
  kind: NodeKind,
  params: JsonObject,
  context: CallContext,
): Promise<GuardedCall | undefined> {
  if (kind.kind !== "control" || kind.definition.name !== "workflow") return guardedNode(kind, params);
  const { name } = params;
  const found = typeof name === "string" ? await findSource(name, context) : undefined;
  return found?.success === true ? guardedStart(found.data, inputsOf(params)) : undefined;
}

/** Something saved that is started by its name, as the rules see it; a draft is no tool. */
export function guardedStart({ capability }: RunSource, args: JsonObject): GuardedCall | undefined {
  return capability && { kind: "tool", name: capability.tool, source: CAPABILITIES_ID, args };
}

export async function callNode(
  deps: NodeCallDeps,
  kind: NodeKind,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<Json>> {
  switch (kind.kind) {
    case "built_in":
      return deps.guard.pass(guardedNode(kind, params)!, context, (below) => kind.node.call(params, below));
    case "tool": {
      const answer = await deps.callTool(kind.tool.name, params, context);
      return answer.success ? unwrapAnswer(answer.data) : answer;
    }
    case "control":
      return kind.definition.name === "code"
        ? callCode(deps, params, context)
        : callWorkflow(deps, params, context);
  }
}

async function callCode(
  { execute, onLogs, onSkipped, uses }: NodeCallDeps,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<Json>> {
  const source = params["code"] as string;
  const request: RunRequest = { kind: "code", source, inputs: inputsOf(params), uses };
  const { result, logs, skipped = [] } = await execute(request, context);
  onLogs(logs);
  onSkipped(skipped);
  return result;
}

async function callWorkflow(
  { guard, execute, findSource, onSkipped }: NodeCallDeps,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<Json>> {
  const found = await findSource(params["name"] as string, context);
  if (!found.success) return found;
  const tool = pathNameOf(found.data);
  if (tool !== undefined && context.path?.includes(tool) === true) {
    const way = [...context.path.slice(context.path.indexOf(tool)), tool].join(" → ");
    return fail("TOOL_INVALID_INPUT", `A workflow may not call itself: ${way}.`, { reason: "cycle" });
  }
  const run = async (below: CallContext): Promise<ToolResult<Json>> => {
    const report = await execute({ ...found.data, inputs: inputsOf(params) }, below);
    onSkipped(report.skipped ?? []);
    return report.result.success ? succeed(report.result.data) : report.result;
  };
  const call = guardedStart(found.data, inputsOf(params));
  return call === undefined ? run(context) : guard.pass(call, context, run);
}

function inputsOf({ inputs }: JsonObject): JsonObject {
  return (inputs ?? {}) as JsonObject;
}
