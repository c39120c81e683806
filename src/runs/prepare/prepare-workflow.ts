/**
 * From the text of a workflow to something that can run: read, every node type looked up, and checked as a whole. One
 * way for draft, save and execute; all problems are told at once, each with its place and what to do.
 */
import type { ToolError } from "../../core/errors.ts";
import { CAPABILITIES_ID } from "../../core/names.ts";
import type { JsonObject } from "../../core/json.ts";
import { nearestTools } from "../../text/tool-spelling.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { answerTypeOf, type CallContext, type NodeType } from "../../core/tool.ts";
import type { ArgumentCheck } from "../../sandbox/schema/argument-check.ts";
import { DEPTH_MAX } from "../../sandbox/runner/limits.ts";
import { CONTROL_NODES } from "../../workflows/control-nodes.ts";
import type { KnownNodeType } from "../../workflows/node-type.ts";
import type { Plan } from "../../workflows/plan.ts";
import type { WorkflowProblem } from "../../workflows/problem.ts";
import { readWorkflow } from "../../workflows/read-workflow.ts";
import { validateWorkflow } from "../../workflows/validate.ts";
import { inputSchemaOf, nodeTypesOf, outputSchemaOf, type Workflow } from "../../workflows/workflow.ts";
import { checkNodes, type CheckNodesDeps } from "./check-nodes.ts";
import type { NodeKind } from "../workflow/node-kind.ts";
import { refuseNul } from "../../text/nul.ts";
import { quote } from "../../text/quote.ts";
import { checkGranted } from "./nested-check.ts";
import type { FoundTool, ToolDirectory } from "./tool-directory.ts";

export interface PreparedWorkflow {
  readonly workflow: Workflow;
  readonly plan: Plan;
  readonly kinds: ReadonlyMap<string, NodeKind>;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** Inputs that templates use. */
  readonly templateInputs: readonly string[];
  /** The tools that the code of its nodes names. */
  readonly codeTools: readonly FoundTool[];
  /** What is doubtful in the code of its nodes. */
  readonly warnings: readonly string[];
  /** Inputs that must not be stored. */
  readonly sensitive: readonly string[];
  /** Parameters of a node type in which nothing is filled in. */
  rawParams(type: string): readonly string[];
  /** The inputs with their defaults, or every one that is missing or wrong. */
  complete(inputs: JsonObject): Promise<ToolResult<JsonObject>>;
}

export interface PrepareWorkflowDeps extends CheckNodesDeps {
  readonly directory: ToolDirectory;
  readonly nodes: readonly NodeType[];
}

/** A workflow that may run, or everything that is wrong with it. */
export type CheckedWorkflow = { readonly ok: true; readonly prepared: PreparedWorkflow } | RefusedWorkflow;

export interface RefusedWorkflow {
  readonly ok: false;
  readonly error: ToolError;
  /** None where the workflow as a whole is refused. */
  readonly problems: readonly WorkflowProblem[];
}

export async function prepareWorkflow(
  deps: PrepareWorkflowDeps,
  text: string,
  path: readonly string[],
  context: CallContext,
): Promise<ToolResult<PreparedWorkflow>> {
  const checked = await checkWorkflow(deps, text, path, context);
  return checked.ok ? succeed(checked.prepared) : { success: false, error: checked.error };
}

export async function checkWorkflow(
  deps: PrepareWorkflowDeps,
  text: string,
  path: readonly string[],
  context: CallContext,
): Promise<CheckedWorkflow> {
  if (path.length > DEPTH_MAX) return refuseWhole(tooDeep(path));
  const granted = refuseNul(text, "The workflow") ?? checkGranted(path, context);
  if (!granted.success) return refuseWhole(granted);
  const read = readWorkflow(text);
  const types = read.kind === "read" ? nodeTypesOf(read.workflow) : [];
  const inside = { ...context, path };
  const found = await lookUp(deps, types, inside);
  const kinds = new Map([...found].flatMap(([type, item]) => (item.success ? [[type, item.data]] : [])));
  const nodes = await checkNodes(deps, read.kind === "read" ? read.workflow.nodes : [], kinds, inside);
  const checked = validateWorkflow(read, knownOf(found), nodes);
  if (!checked.ok) return refuse(checked.problems);
  const { workflow, plan, templateInputs } = checked;
  return {
    ok: true,
    prepared: {
      workflow,
      plan,
      kinds,
      templateInputs,
      codeTools: nodes.tools,
      warnings: nodes.warnings,
      inputSchema: inputSchemaOf(workflow),
      outputSchema: outputSchemaOf(workflow),
      sensitive: [...workflow.inputs].filter(([, input]) => input.isSensitive).map(([name]) => name),
      rawParams: (type) => rawParamsOf(type, deps.nodes),
      complete: (inputs) => completeInputs(deps.args, workflow, inputs),
    },
  };
}

type Found = ReadonlyMap<string, ToolResult<NodeKind>>;

async function lookUp(
  deps: PrepareWorkflowDeps,
  types: readonly string[],
  context: CallContext,
): Promise<Found> {
  const found = types.map(async (type): Promise<[string, ToolResult<NodeKind>]> => [
    type,
    await findKind(deps, type, context),
  ]);
  return new Map(await Promise.all(found));
}

async function findKind(
  { directory, nodes, bound }: PrepareWorkflowDeps,
  type: string,
  context: CallContext,
): Promise<ToolResult<NodeKind>> {
  const control = CONTROL_NODES.find(({ definition }) => definition.name === type);
  if (control !== undefined) return succeed({ kind: "control", definition: control.definition });
  const node = nodes.find(({ definition }) => definition.name === type);
  if (node !== undefined) return succeed({ kind: "built_in", node, definition: node.definition });
  if (!type.includes("__")) return noBuiltIn(type, nodes, await directory.findExposed(type, context));
  const found = await directory.findExposed(type, context, bound);
  if (!found.success) return found;
  return succeed({ kind: "tool", tool: found.data, definition: found.data.definition });
}

/** A built-in node that is misspelt, or a tool in another spelling. */
function noBuiltIn(
  type: string,
  nodes: readonly NodeType[],
  found: ToolResult<FoundTool>,
): ToolResult<never> {
  const known = [...CONTROL_NODES, ...nodes].map(({ definition }) => definition.name);
  const tools = found.success ? [found.data.name] : (found.error.nearest ?? []);
  return fail("TOOL_NOT_FOUND", `There is no node type ${quote(type)}.`, {
    nearest: nearestTools(type, [...known, ...tools]),
    hint: `Built in are ${known.join(", ")}; others are server__tool and ${CAPABILITIES_ID}__namespace__action.`,
  });
}

function knownOf(found: Found): ReadonlyMap<string, KnownNodeType> {
  return new Map(
    [...found].map(([type, result]): [string, KnownNodeType] => {
      if (!result.success) {
        const { code, message, nearest: near = [], reason, hint } = result.error;
        const isDenied = code === "SECURITY_ERROR";
        return [
          type,
          { kind: "missing", message, nearest: near, isDenied, ...(reason === "held" && { hint }) },
        ];
      }
      const { definition } = result.data;
      const { inputSchema } = definition;
      return [
        type,
        {
          kind: "known",
          inputSchema,
          outputSchema: answerTypeOf(definition),
          rawParams: rawOf(result.data),
        },
      ];
    }),
  );
}

function rawOf(kind: NodeKind): readonly string[] {
  if (kind.kind === "tool") return [];
  if (kind.kind === "built_in") return kind.node.rawParams;
  return rawParamsOf(kind.definition.name, []);
}

function rawParamsOf(type: string, nodes: readonly NodeType[]): readonly string[] {
  const own = [...CONTROL_NODES, ...nodes].find(({ definition }) => definition.name === type);
  return own?.rawParams ?? [];
}

function refuseWhole({ error }: { readonly error: ToolError }): RefusedWorkflow {
  return { ok: false, error, problems: [] };
}

function refuse(problems: readonly WorkflowProblem[]): RefusedWorkflow {
  const [first] = problems;
  const denied = problems.find((problem) => problem.denied !== undefined)?.denied;
  const isOf = (reason: string) => problems.every((problem) => problem.reason === reason);
  const { error } = fail(
    denied === undefined ? "TOOL_INVALID_INPUT" : "SECURITY_ERROR",
    problems.map(problemText).join("\n"),
    {
      ...(denied !== undefined && denied !== "" && { tool: denied }),
      reason: ["cycle", "depth_limit"].find(isOf) ?? "validation_error",
      ...(first !== undefined && first.place !== "" && { field: first.place }),
      problems: problems.map(({ denied: _denied, ...problem }) => problem),
      hint: "Nothing has run. Correct the workflow and call again; a draft is read fresh each time.",
    },
  );
  return { ok: false, error, problems };
}

/** Where it is, what is wrong, and what to do. */
export function problemText(problem: WorkflowProblem): string {
  const { place, node, line, column, code_line, code_column, in: source, message, fix } = problem;
  const inText = line === undefined ? [] : [`line ${line}, column ${column}`];
  const inCode = `line ${code_line}, column ${code_column} of its code`;
  const where = [
    `${place}${node === undefined ? "" : ` (node ${node})`}`.trim(),
    ...(code_line === undefined ? inText : [inCode]),
    ...(source === undefined ? [] : [`in ${source}`]),
  ].filter((part) => part !== "");
  return `${where.length === 0 ? "" : `${where.join(", ")}: `}${message} ${fix}`.trim();
}

function tooDeep(path: readonly string[]): { readonly success: false; readonly error: ToolError } {
  const message = `Capabilities may call each other ${DEPTH_MAX} deep; this is deeper: ${path.join(" → ")}.`;
  return fail("TOOL_INVALID_INPUT", message, { reason: "depth_limit" });
}

/** Every missing name at once, with the ones that there are. */
async function completeInputs(
  check: ArgumentCheck,
  workflow: Workflow,
  given: JsonObject,
): Promise<ToolResult<JsonObject>> {
  const missing = [...workflow.inputs].filter(
    ([name, input]) => input.isRequired && !Object.hasOwn(given, name),
  );
  if (missing.length > 0)
    return missingInputs(
      missing.map(([name]) => name),
      Object.keys(given),
      workflow,
    );
  const verdict = await check.check(inputSchemaOf(workflow), given, { fillDefaults: true });
  if (verdict.kind === "valid") return succeed(verdict.args);
  if (verdict.kind === "unchecked") return succeed(given);
  const told = verdict.problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  return fail("TOOL_INVALID_INPUT", `The inputs are not valid: ${told}.`, {
    reason: "invalid_arguments",
    field: verdict.problems[0]?.path ? `inputs.${verdict.problems[0].path}` : "inputs",
  });
}

function missingInputs(
  names: readonly string[],
  given: readonly string[],
  workflow: Workflow,
): ToolResult<never> {
  const told = names.map((name) => `\${${name}}`).join(", ");
  const available = given.length === 0 ? "none were given" : `given: ${given.join(", ")}`;
  return fail("TOOL_INVALID_INPUT", `template_error: ${told} cannot be filled in; ${available}.`, {
    reason: "template_error",
    field: `inputs.${names[0]}`,
    missing: names,
    hint: `The inputs are ${[...workflow.inputs.keys()].join(", ")}. Nothing has run.`,
  });
}
