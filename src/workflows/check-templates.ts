/** What the templates of a workflow refer to: every root must be something, and first names must be declared. */
import { didYouMean } from "../text/nearest.ts";
import { cut } from "../text/cut.ts";
import { quote } from "../text/quote.ts";
import { judgeUndeclared, memberSchema, membersOfSchema } from "./declared-members.ts";
import { BATCH_NAMES, listNames, suggest } from "./declared-name.ts";
import type { KnownNodeType } from "./node-type.ts";
import type { Path } from "./place.ts";
import type { Problems } from "./problem.ts";
import type { WorkflowSource } from "./read-workflow.ts";
import { parseTemplateText, type TemplateReference } from "./template-text.ts";
import { textsIn, type FoundText } from "./template.ts";
import type { Workflow, WorkflowNode } from "./workflow.ts";

const SHOWN_TEMPLATE_LENGTH_MAX = 80;

export interface CheckedTemplates {
  /** The nodes that the templates of each node read. */
  readonly reads: ReadonlyMap<string, ReadonlySet<string>>;
  /** The inputs that templates use, sorted. */
  readonly templateInputs: readonly string[];
}

interface Check {
  readonly workflow: Workflow;
  readonly nodes: ReadonlyMap<string, WorkflowNode>;
  readonly names: ReadonlySet<string>;
  /** `from to` for each edge of action `error`. */
  readonly handled: ReadonlySet<string>;
  readonly types: ReadonlyMap<string, KnownNodeType>;
  readonly problems: Problems;
  readonly inputs: Set<string>;
}

export function checkTemplates(
  workflow: Workflow,
  source: WorkflowSource,
  types: ReadonlyMap<string, KnownNodeType>,
  problems: Problems,
): CheckedTemplates {
  const nodes = new Map(workflow.nodes.map((node) => [node.id, node]));
  const names = new Set(source.names);
  const errors = workflow.edges.filter((edge) => edge.action === "error");
  const handled = new Set(errors.map(({ from, to }) => `${from} ${to}`));
  const check: Check = { workflow, nodes, names, handled, types, problems, inputs: new Set() };
  const reads = new Map<string, ReadonlySet<string>>();
  for (const node of workflow.nodes) {
    const path = ["nodes", source.nodeIndexes.get(node.id)!];
    const read = new Set<string>();
    const reader = { node, read };
    checkTexts(textsOfParams(node, path, types), { ...reader, hasItem: node.batch !== undefined }, check);
    checkTexts(textsAround(node, path), { ...reader, hasItem: false }, check);
    reads.set(node.id, read);
  }
  for (const [name, output] of workflow.outputs) {
    const found = { path: ["outputs", name, "source"], text: output.source };
    checkTexts([found], { read: new Set(), hasItem: false }, check);
  }
  return { reads, templateInputs: [...check.inputs].sort() };
}

function* textsOfParams(
  node: WorkflowNode,
  path: Path,
  types: ReadonlyMap<string, KnownNodeType>,
): Generator<FoundText> {
  const type = types.get(node.type);
  const raw = type?.kind === "known" ? type.rawParams : [];
  for (const [name, value] of Object.entries(node.params)) {
    if (!raw.includes(name)) yield* textsIn(value, [...path, "params", name]);
  }
}

/** What is filled in before there is an item. */
function* textsAround({ batch, approval }: WorkflowNode, path: Path): Generator<FoundText> {
  if (batch !== undefined) yield* textsIn(batch.items, [...path, "batch", "items"]);
  if (approval?.message !== undefined) yield* textsIn(approval.message, [...path, "approval", "message"]);
}

/** Whose templates are looked at, and what they have read so far; without a node, an output's. */
interface Reader {
  readonly node?: WorkflowNode;
  readonly read: Set<string>;
  readonly hasItem: boolean;
}

function checkTexts(texts: Iterable<FoundText>, reader: Reader, check: Check): void {
  for (const { path, text } of texts) {
    for (const piece of parseTemplateText(text)) {
      if (piece.kind === "use") {
        checkReference(
          { ...piece.reference, text: cut(piece.text, SHOWN_TEMPLATE_LENGTH_MAX), at: path },
          reader,
          check,
        );
      } else if (piece.kind === "malformed") {
        const fix = "Write it as ${name.path[0]}, or as $${ for the characters themselves.";
        check.problems.add(path, `${piece.text} is no template.`, fix);
      }
    }
  }
}

interface Use extends TemplateReference {
  readonly text: string;
  readonly at: Path;
}

function checkReference(use: Use, reader: Reader, check: Check): void {
  const { root } = use;
  const node = check.nodes.get(root);
  if (node !== undefined) checkNodeReference(use, node, reader, check);
  else if (check.workflow.inputs.has(root)) check.inputs.add(root);
  else if (BATCH_NAMES.has(root)) checkBatchReference(use, reader, check);
  else if (!check.names.has(root)) {
    const names = [...check.names, ...(reader.hasItem ? BATCH_NAMES : [])];
    const message = `${use.text}: there is no node and no input ${quote(root)}.`;
    const fix = `Name a node or declare the input.${suggest(root, names, check.problems)}`;
    check.problems.add(use.at, message, fix);
  }
}

function checkBatchReference(use: Use, reader: Reader, check: Check): void {
  if (reader.hasItem) return;
  const message = `${use.text}: ${use.root} exists only in the params of a node with a batch.`;
  check.problems.add(use.at, message, 'Add "batch": {"items": …} to the node, or name a node or an input.');
}

function checkNodeReference(use: Use, node: WorkflowNode, reader: Reader, check: Check): void {
  if (reader.node?.id === node.id) {
    const message = `${use.text}: the node refers to itself, and has no result before it has run.`;
    check.problems.add(use.at, message, "Name another node or an input.");
    return;
  }
  reader.read.add(node.id);
  if (!isHandledBy(node, reader, check)) checkFirstName(use, node, check);
}

/** A handler sees what is left of a failure, and no schema says what that is. */
function isHandledBy(node: WorkflowNode, reader: Reader, check: Check): boolean {
  return reader.node !== undefined && check.handled.has(`${node.id} ${reader.node.id}`);
}

/** A batch gives a list of results, which the schema of one result does not describe. */
function checkFirstName(use: Use, node: WorkflowNode, check: Check): void {
  const type = check.types.get(node.type);
  const first = use.path[0];
  if (first === undefined || node.batch !== undefined) return;
  if (type?.kind !== "known" || type.outputSchema === undefined) return;
  const members = membersOfSchema(type.outputSchema);
  const name = String(first);
  if (memberSchema(members, name) !== undefined) return;
  const names = Object.keys(members.properties);
  const { isWrong, near } = judgeUndeclared(name, members.isClosed, names, check.problems);
  if (!isWrong) return;
  const message = `${use.text}: ${node.type} gives no ${quote(name)}.`;
  const meant = didYouMean(near) || ` There is ${listNames(names)}.`;
  check.problems.add(use.at, message, `Name one of its outputs.${meant}`);
}
