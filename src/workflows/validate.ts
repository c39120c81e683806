/**
 * The one validator, for draft, save and execute; it tells all problems at once.
 *
 * It has two halves, because looking up node types is asynchronous and someone else's: `readWorkflow` makes a workflow
 * of the text, and `validateWorkflow` checks it against what was found of its types. Both are pure and never throw.
 */
import { isJsonObject } from "../core/json.ts";
import { didYouMean } from "../text/nearest.ts";
import { quote } from "../text/quote.ts";
import { checkParams } from "./check-params.ts";
import { checkTemplates } from "./check-templates.ts";
import { NO_FINDINGS, type NodeFindings } from "./node-finding.ts";
import type { KnownNodeType } from "./node-type.ts";
import { createPlan, type Plan } from "./plan.ts";
import { arrangeProblems, createProblems, type Problems, type WorkflowProblem } from "./problem.ts";
import type { ReadWorkflow, WorkflowSource } from "./read-workflow.ts";
import type { Workflow, WorkflowNode } from "./workflow.ts";

export type { KnownNodeType } from "./node-type.ts";
export type { WorkflowProblem } from "./problem.ts";
export { readWorkflow, type ReadWorkflow } from "./read-workflow.ts";
export { nodeTypesOf } from "./workflow.ts";

/** More would not be read. */
const SHOWN_CYCLE_LENGTH_MAX = 20;

export type ValidatedWorkflow =
  | {
      readonly ok: true;
      readonly workflow: Workflow;
      readonly plan: Plan;
      /** The inputs that templates use, sorted. */
      readonly templateInputs: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly WorkflowProblem[] };

/**
 * Checks what was read against what is known of the node types that it names, and tells what was found in its nodes
 * with it.
 */
export function validateWorkflow(
  read: ReadWorkflow,
  types: ReadonlyMap<string, KnownNodeType>,
  inNodes: NodeFindings = NO_FINDINGS,
): ValidatedWorkflow {
  if (read.kind === "unreadable") return { ok: false, problems: read.problems };
  const { workflow, source } = read;
  const problems = createProblems(source.locate);
  for (const node of workflow.nodes) {
    const countBefore = problems.count();
    checkNode(node, types.get(node.type), source, problems);
    addFindings(node, inNodes, source, problems, problems.count() > countBefore);
  }
  const { reads, templateInputs } = checkTemplates(workflow, source, types, problems);
  const planned = createPlan(workflow, reads);
  if (!planned.ok) for (const cycle of planned.cycles) addCycle(cycle, source, problems);
  const found = arrangeProblems([...read.problems, ...problems.list()]);
  if (found.length > 0 || !planned.ok) return { ok: false, problems: found };
  return { ok: true, workflow, plan: planned.plan, templateInputs };
}

function checkNode(
  node: WorkflowNode,
  type: KnownNodeType | undefined,
  source: WorkflowSource,
  problems: Problems,
): void {
  const path = ["nodes", source.nodeIndexes.get(node.id)!];
  if (type?.kind === "known") {
    checkParams(node, type, [...path, "params"], problems);
    return;
  }
  const message = type?.message ?? `the node type ${quote(node.type)} is not known.`;
  const fix = `Name a tool, a capability or a built-in node type.${didYouMean(type?.nearest ?? [])}`;
  problems.add(
    [...path, "type"],
    message,
    fix,
    "value",
    type?.isDenied === true ? { denied: node.type } : {},
  );
}

/** A parameter that is told to be wrong already is not told again in the words of the schema. */
function addFindings(
  node: WorkflowNode,
  { findings, workflowInputs }: NodeFindings,
  source: WorkflowSource,
  problems: Problems,
  isTold: boolean,
): void {
  const path = ["nodes", source.nodeIndexes.get(node.id)!];
  for (const finding of findings.get(node.id) ?? []) {
    if (isTold && finding.isBySchema === true) continue;
    const { message, fix, details } = finding;
    problems.add([...path, ...finding.path], message, fix, "value", { node: node.id, ...details });
  }
  const inner = workflowInputs.get(node.id);
  const given = node.params["inputs"] ?? {};
  if (inner === undefined || !isJsonObject(given)) return;
  const type = { kind: "known" as const, inputSchema: inner.inputSchema, rawParams: [] };
  checkParams({ ...node, type: inner.name, params: given }, type, [...path, "params", "inputs"], problems);
}

function addCycle(cycle: readonly string[], source: WorkflowSource, problems: Problems): void {
  const shown =
    cycle.length <= SHOWN_CYCLE_LENGTH_MAX
      ? cycle
      : [...cycle.slice(0, SHOWN_CYCLE_LENGTH_MAX - 2), "…", cycle.at(-1)!];
  const message = `these nodes wait for each other: ${shown.join(" → ")}.`;
  const fix = `Remove the edge or the template by which ${cycle[0]} waits for ${cycle.at(-2)}.`;
  problems.add(["nodes", source.nodeIndexes.get(cycle[0]!)!], message, fix);
}
