/**
 * The first half of the validator: text → workflow. What is wrong is told with its place in the text and left out, so
 * that the rest can still be checked. The node types are looked up between the halves.
 */
import { findNodeAtLocation, getNodePath, parseTree, type Node } from "jsonc-parser";
import { idsUnder, readNodes } from "./read-nodes.ts";
import { readEdges } from "./read-edges.ts";
import { namesUnder, readInputs, readOutputs } from "./read-fields.ts";
import { fieldOf, openObject, textField, type ObjectReader } from "./object-reader.ts";
import {
  createProblems,
  describe,
  PROBLEM_COUNT_MAX,
  type Locate,
  type WorkflowProblem,
  type Position,
} from "./problem.ts";
import {
  IR_VERSION,
  TEXT_BYTES_MAX,
  type Workflow,
  type WorkflowEdge,
  type WorkflowNode,
} from "./workflow.ts";
import { quote } from "../text/quote.ts";
import { DATA_LIMITS, parseJson, type Json } from "../core/json.ts";
import type { Path } from "./place.ts";

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

type ParsedText =
  | {
      readonly ok: true;
      readonly value: Json;
      readonly locate: Locate;
      /** Duplicate keys in one object: a reader sees both, JSON takes the last. */
      readonly repeatedKeys: readonly Path[];
    }
  | { readonly ok: false; readonly problem: WorkflowProblem };

/** The JSON text of a workflow: its value, and where everything in it is. */
function parseWorkflowText(written: string): ParsedText {
  // A byte order mark is no JSON; a space is, and keeps every place where it was.
  const text = written.startsWith("\uFEFF") ? ` ${written.slice(1)}` : written;
  const positionAt = createPositions(text);
  const parsed = parseJson(text, { ...DATA_LIMITS, bytesMax: TEXT_BYTES_MAX });
  if (!parsed.ok) {
    const isSyntax = parsed.position !== undefined;
    const fix = isSyntax
      ? "Correct the JSON at this place."
      : "Move large data out of the workflow, into an input or a file that a node reads.";
    const problem = describe("", `${parsed.message}.`, fix);
    return { ok: false, problem: { ...problem, ...(isSyntax ? positionAt(parsed.position!) : {}) } };
  }
  const root = parseTree(text)!;
  const locate: Locate = (path, at) => positionAt(offsetOf(root, path, at));
  return { ok: true, value: parsed.value, locate, repeatedKeys: findRepeatedKeys(root) };
}

function findRepeatedKeys(node: Node, found: Path[] = []): Path[] {
  const children = node.children ?? [];
  if (node.type === "object") {
    const seen = new Set<unknown>();
    for (const property of children) {
      const key = property.children![0]!;
      // Finding a node costs as much as the lists around it are long, and more are not reported.
      if (seen.has(key.value) && found.length < PROBLEM_COUNT_MAX) found.push(getNodePath(key));
      seen.add(key.value);
    }
  }
  for (const child of children) if (child.children !== undefined) findRepeatedKeys(child, found);
  return found;
}

/** What is not in the text is told at the nearest thing around it that is. */
function offsetOf(root: Node, path: Path, at: "key" | "value"): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node === undefined) continue;
    return at === "key" && node.parent?.type === "property" ? node.parent.offset : node.offset;
  }
  return root.offset;
}

function createPositions(text: string): (offset: number) => Position {
  let lineStarts: number[] | undefined;
  return (offset) => {
    lineStarts ??= findLineStarts(text);
    const after = lineStarts.findIndex((start) => start > offset);
    const line = after === -1 ? lineStarts.length : after;
    return { line, column: offset - lineStarts[line - 1]! + 1 };
  };
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}
