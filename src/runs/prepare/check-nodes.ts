/**
 * The nodes of a workflow, each checked for what its run would refuse for certain: the code in it, what it starts by
 * name and everything below that, parameters that are written out, and what the config forbids a built-in node.
 */
import type { ToolError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { CallContext } from "../../core/tool.ts";
import type { ArgumentCheck } from "../../sandbox/schema/argument-check.ts";
import type { NodeFinding, NodeFindings } from "../../workflows/node-finding.ts";
import { fillTemplates } from "../../workflows/template.ts";
import type { WorkflowNode } from "../../workflows/workflow.ts";
import type { NodeKind } from "../workflow/node-kind.ts";
import { cycleError, isCapability, type NestedProblem } from "./nested-check.ts";
import { checkCode, type CodeFault, type PrepareCodeDeps } from "./prepare-code.ts";
import type { FoundTool } from "./tool-directory.ts";

export interface CheckNodesDeps extends PrepareCodeDeps {
  readonly args: ArgumentCheck;
}

export interface CheckedNodes extends NodeFindings {
  /** The tools that the code of the nodes names. */
  readonly tools: readonly FoundTool[];
  readonly warnings: readonly string[];
}

/** What was found in one node. */
interface CheckedNode {
  readonly findings: readonly NodeFinding[];
  readonly tools?: readonly FoundTool[];
  readonly warnings?: readonly string[];
  readonly workflowInputs?: { readonly name: string; readonly inputSchema: JsonObject };
}

const NOTHING: CheckedNode = { findings: [] };

/**
 * One node after the other: `below` finds cycles by the path that is being checked. `context.path` is that of the
 * workflow.
 */
export async function checkNodes(
  deps: CheckNodesDeps,
  nodes: readonly WorkflowNode[],
  kinds: ReadonlyMap<string, NodeKind>,
  context: CallContext,
): Promise<CheckedNodes> {
  const checked: [string, CheckedNode][] = [];
  for (const node of nodes) {
    const kind = kinds.get(node.type);
    if (kind !== undefined) checked.push([node.id, await checkNode(deps, node, kind, context)]);
  }
  return {
    findings: new Map(checked.map(([id, { findings }]) => [id, findings])),
    workflowInputs: new Map(
      checked.flatMap(([id, { workflowInputs: inner }]) => (inner === undefined ? [] : [[id, inner]])),
    ),
    tools: checked.flatMap(([, { tools = [] }]) => tools),
    warnings: checked.flatMap(([id, { warnings = [] }]) => warnings.map((text) => `Node ${id}: ${text}`)),
  };
}

async function checkNode(
  deps: CheckNodesDeps,
  node: WorkflowNode,
  kind: NodeKind,
  context: CallContext,
): Promise<CheckedNode> {
  const inside = await checkInside(deps, node, kind, context);
  const bySchema = await checkSchema(deps.args, node, kind);
  return { ...inside, findings: [...inside.findings, ...bySchema] };
}

async function checkInside(
  deps: CheckNodesDeps,
  node: WorkflowNode,
  kind: NodeKind,
  context: CallContext,
): Promise<CheckedNode> {
  switch (kind.kind) {
    case "tool":
      return checkCapability(deps, node, kind.tool, context);
    case "built_in":
      return checkBuiltIn(node, kind);
    case "control":
      if (node.type === "code") return checkCodeNode(deps, node, context);
      return node.type === "workflow" ? checkWorkflowNode(deps, node, context) : NOTHING;
  }
}

/** The text and the path with which the run of the node would prepare it. */
async function checkCodeNode(
  deps: CheckNodesDeps,
  { params }: WorkflowNode,
  context: CallContext,
): Promise<CheckedNode> {
  const code = params["code"];
  if (typeof code !== "string") return NOTHING;
  const checked = await checkCode(deps, code, context.path ?? [], context);
  if (!checked.ok) return { findings: checked.faults.map(ofFault) };
  const { tools, warnings } = checked.prepared;
  return { findings: [], tools: tools.filter((tool) => tool !== undefined), warnings };
}

/** A name with a template in it is known only when the node runs. */
async function checkWorkflowNode(
  { nested }: CheckNodesDeps,
  { id, params }: WorkflowNode,
  context: CallContext,
): Promise<CheckedNode> {
  const name = literalOf(params["name"] ?? null);
  if (nested === undefined || typeof name !== "string" || nested.isDone(id)) return NOTHING;
  const { problems, inputSchema } = await nested.checkNamed(name, context.path ?? [], context);
  return {
    findings: problems.map((problem) => ofBelow(problem, ["params", "name"])),
    workflowInputs: inputSchema && { name, inputSchema },
  };
}

async function checkCapability(
  { nested }: CheckNodesDeps,
  { id }: WorkflowNode,
  { name }: FoundTool,
  context: CallContext,
): Promise<CheckedNode> {
  const { path = [] } = context;
  if (path.includes(name)) return { findings: [ofBelow({ error: cycleError(path, name) }, ["type"])] };
  if (nested === undefined || !isCapability(name) || nested.isDone(id)) return NOTHING;
  const { problems } = await nested.checkTool(name, path, context);
  return { findings: problems.map((problem) => ofBelow(problem, ["type"])) };
}

async function checkBuiltIn(
  { params }: WorkflowNode,
  { node }: Extract<NodeKind, { kind: "built_in" }>,
): Promise<CheckedNode> {
  if (node.precheck === undefined) return NOTHING;
  const literals = Object.entries(params).flatMap(([name, value]): [string, Json][] => {
    const literal = node.rawParams.includes(name) ? value : literalOf(value);
    return literal === undefined ? [] : [[name, literal]];
  });
  const checked = await node.precheck(Object.fromEntries(literals));
  if (checked.success) return NOTHING;
  const { field, message, hint } = checked.error;
  const path = field === undefined ? ["type"] : ["params", field];
  return {
    findings: [{ path, message, fix: hint ?? "Correct the parameters.", details: detailsOf(checked.error) }],
  };
}

/** The check that each call makes, where all parameters are written out; of others the validator checks what it can. */
async function checkSchema(
  args: ArgumentCheck,
  node: WorkflowNode,
  kind: NodeKind,
): Promise<readonly NodeFinding[]> {
  const params = literalParams(node, kind);
  if (params === undefined) return [];
  const verdict = await args.check(kind.definition.inputSchema, params, { fillDefaults: true });
  if (verdict.kind !== "invalid") return [];
  return verdict.problems.map(({ path, message }) => ({
    path: ["params"],
    message: `the parameters of ${node.type} are not valid: ${`${path} ${message}`.trim()}.`,
    fix: "Correct the value.",
    isBySchema: true,
  }));
}

function literalParams({ params }: WorkflowNode, kind: NodeKind): JsonObject | undefined {
  const raw =
    kind.kind === "built_in" ? kind.node.rawParams : kind.definition.name === "code" ? ["code"] : [];
  const entries = Object.entries(params).map(([name, value]): [string, Json | undefined] => [
    name,
    raw.includes(name) ? value : literalOf(value),
  ]);
  if (entries.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(entries) as JsonObject;
}

/** The value that the node is given; undefined where it has templates. */
function literalOf(value: Json): Json | undefined {
  const filled = fillTemplates(value, "", new Map());
  return filled.ok ? filled.value : undefined;
}

function ofFault({ error, place, in: source }: CodeFault): NodeFinding {
  const inCode = place && { code_line: place.line, code_column: place.column };
  const text = place === undefined || place.text === "" ? "" : ` [${place.text}]`;
  return {
    path: ["params", "code"],
    message: `${error.message}${text}`,
    fix: fixOf(error, source),
    details: { ...inCode, ...(source !== undefined && { in: source }), ...detailsOf(error) },
  };
}

function ofBelow({ error, in: source }: NestedProblem, path: readonly string[]): NodeFinding {
  return {
    path,
    message: error.message,
    fix: fixOf(error, source),
    details: { ...(source !== undefined && { in: source }), ...detailsOf(error) },
  };
}

function fixOf({ hint, signature }: ToolError, source: string | undefined): string {
  if (source !== undefined) return `Correct ${source}.`;
  return signature === undefined ? (hint ?? "Correct it.") : "Write the call as its signature says.";
}

function detailsOf({ code, reason, tool = "" }: ToolError): NodeFinding["details"] & object {
  return {
    ...(reason !== undefined && { reason }),
    ...(code === "SECURITY_ERROR" && { denied: tool }),
  };
}
