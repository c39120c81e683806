/**
 * The first half of the validator: text → workflow. What is wrong is told with its place in the text and left out, so
 * that the rest can still be checked. The node types are looked up between the halves.
 */
import { idsUnder, readNodes } from "./read-nodes.ts";
import { readEdges } from "./read-edges.ts";
import { namesUnder, readInputs, readOutputs } from "./read-fields.ts";
import { fieldOf, openObject, textField, type ObjectReader } from "./object-reader.ts";
import { createProblems, type Locate, type WorkflowProblem } from "./problem.ts";
import { parseWorkflowText } from "./workflow-text.ts";
import { IR_VERSION, type Workflow, type WorkflowEdge, type WorkflowNode } from "./workflow.ts";
import { quote } from "../text/quote.ts";

const TOP_KEYS = ["ir_version", "description", "inputs", "outputs", "nodes", "edges"];

export type ReadWorkflow =
  | {
      readonly kind: "read";
      /** Without the parts that are wrong. */
      readonly workflow: Workflow;
      /** Of shape, so far. */
      readonly problems: readonly WorkflowProblem[];
      readonly source: WorkflowSource;
    }
  | { readonly kind: "unreadable"; readonly problems: readonly WorkflowProblem[] };

/** What the second half needs of the text. */
export interface WorkflowSource {
  readonly locate: Locate;
  readonly nodeIndexes: ReadonlyMap<string, number>;
  /** Every id and input in the text, also the wrong ones. */
  readonly names: readonly string[];
}

/** Reads a workflow. It never throws; a wrong part is left out where the rest can still be checked. */
export function readWorkflow(text: string): ReadWorkflow {
  const parsed = parseWorkflowText(text);
  if (!parsed.ok) return { kind: "unreadable", problems: [parsed.problem] };
  const problems = createProblems(parsed.locate);
  for (const path of parsed.repeatedKeys) {
    const name = quote(String(path.at(-1)));
    problems.add(path, `duplicate key ${name}.`, "Keep one of them.", "key");
  }
  const top = openObject(parsed.value, [], TOP_KEYS, problems);
  if (top === undefined) return { kind: "unreadable", problems: problems.list() };
  const { workflow, ...where } = readTop(top);
  return { kind: "read", workflow, problems: problems.list(), source: { locate: parsed.locate, ...where } };
}

function readTop(top: ObjectReader): { workflow: Workflow } & Omit<WorkflowSource, "locate"> {
  checkVersion(top);
  const inputNames = namesUnder(top, "inputs");
  const ids = idsUnder(top);
  const inputs = readInputs(top);
  const read = readNodes(top, new Set(inputNames));
  const edges = readEdges(top, read, ids);
  const workflow: Workflow = {
    irVersion: IR_VERSION,
    description: textField(top, "description") ?? "",
    inputs,
    outputs: readOutputs(top),
    nodes: withRoutes(read.nodes, edges),
    edges,
  };
  return { workflow, nodeIndexes: read.indexes, names: [...ids, ...inputNames] };
}

/** An edge of action error says the same as `on_error`. */
function withRoutes(nodes: readonly WorkflowNode[], edges: readonly WorkflowEdge[]): readonly WorkflowNode[] {
  const routed = new Set(edges.filter(({ action }) => action === "error").map(({ from }) => from));
  return nodes.map((node) =>
    node.onError === "fail" && routed.has(node.id) ? { ...node, onError: "route" } : node,
  );
}

function checkVersion(top: ObjectReader): void {
  const version = fieldOf(top, "ir_version");
  if (version === IR_VERSION) return;
  const message =
    version === undefined ? '"ir_version" is missing.' : "this version of the workflow format is not known.";
  top.problems.add(["ir_version"], message, `Write "ir_version": "${IR_VERSION}".`);
}
