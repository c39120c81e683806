/**
 * The order of a workflow: which node waits for which, and what can run at the same time. It comes from the edges and
 * from what the templates read.
 */
import type { Workflow, WorkflowEdge, WorkflowNode } from "./workflow.ts";

export interface PlannedNode {
  readonly node: WorkflowNode;
  /** The nodes whose result its templates use, and the sources of success edges into it. */
  readonly after: readonly string[];
  /** Of those, the ones that its templates read. */
  readonly reads: readonly string[];
  /** The nodes whose failure it handles. */
  readonly handles: readonly string[];
  /** One more than the highest of the nodes that it waits for; 0 for none. */
  readonly level: number;
}

export interface Plan {
  /** Each after those that it waits for; of several that could be next, the first in the text. */
  readonly nodes: readonly PlannedNode[];
  /** Ids by level, in the order of the text. */
  readonly levels: readonly (readonly string[])[];
}

/** A cycle is the way round: `[a, b, a]`. */
export type Planned =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly cycles: readonly (readonly string[])[] };

/** `reads` has the nodes that the templates of each node use; a node is not among its own. */
export function createPlan(workflow: Workflow, reads: ReadonlyMap<string, Iterable<string>>): Planned {
  const waits = waitsOf(workflow, reads);
  const { ordered, rest } = order(waits);
  if (rest.length > 0) return { ok: false, cycles: findCycles(rest) };
  const levels = levelsOf(ordered);
  const nodes = ordered.map(({ node, after, reads: read, handles }) => {
    return { node, after, reads: read, handles, level: levels.get(node.id)! };
  });
  return { ok: true, plan: { nodes, levels: groupByLevel(workflow, levels) } };
}

interface Wait extends Omit<PlannedNode, "level"> {
  /** Everything that must be over. */
  readonly before: ReadonlySet<string>;
}

function waitsOf(workflow: Workflow, reads: ReadonlyMap<string, Iterable<string>>): Wait[] {
  const { nodes, edges } = workflow;
  const ranks = new Map(nodes.map((node, rank) => [node.id, rank]));
  const inOrder = (ids: Iterable<string>): string[] =>
    [...new Set(ids)].sort((a, b) => ranks.get(a)! - ranks.get(b)!);
  const into = Map.groupBy(edges, (edge) => edge.to);
  const sources = (to: string, action: WorkflowEdge["action"]): string[] =>
    (into.get(to) ?? []).filter((edge) => edge.action === action).map((edge) => edge.from);
  return nodes.map((node) => {
    const read = inOrder(reads.get(node.id) ?? []);
    const after = inOrder([...read, ...sources(node.id, "success")]);
    const handles = inOrder(sources(node.id, "error"));
    return { node, after, reads: read, handles, before: new Set([...after, ...handles]) };
  });
}

/** Takes the first in the text that waits for nothing, again and again; what is left waits for a cycle. */
function order(waits: readonly Wait[]): { ordered: Wait[]; rest: Wait[] } {
  const done = new Set<string>();
  const ordered: Wait[] = [];
  let rest = [...waits];
  for (;;) {
    const next = rest.find((wait) => done.isSupersetOf(wait.before));
    if (next === undefined) return { ordered, rest };
    done.add(next.node.id);
    ordered.push(next);
    rest = rest.filter((wait) => wait !== next);
  }
}

function levelsOf(ordered: readonly Wait[]): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  for (const { node, before } of ordered) {
    levels.set(node.id, Math.max(-1, ...[...before].map((id) => levels.get(id)!)) + 1);
  }
  return levels;
}

function groupByLevel(workflow: Workflow, levels: ReadonlyMap<string, number>): string[][] {
  const groups: string[][] = [];
  for (const { id } of workflow.nodes) (groups[levels.get(id)!] ??= []).push(id);
  return groups;
}

// ── cycles ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One way round for each knot; the nodes that only wait for it are no part of it. */
function findCycles(stuck: readonly Wait[]): string[][] {
  const cycles: string[][] = [];
  for (let rest = amongThemselves(stuck); rest.length > 0;) {
    const cycle = findCycle(rest);
    cycles.push(cycle);
    rest = order(amongThemselves(rest.filter((wait) => !cycle.includes(wait.node.id)))).rest;
  }
  return cycles;
}

/** Without what they wait for beside each other. */
function amongThemselves(waits: readonly Wait[]): Wait[] {
  const ids = new Set(waits.map((wait) => wait.node.id));
  return waits.map((wait) => ({ ...wait, before: wait.before.intersection(ids) }));
}

/** Every node here waits for another one here, so going back from any of them ends in a circle. */
function findCycle(stuck: readonly Wait[]): string[] {
  const byId = new Map(stuck.map((wait) => [wait.node.id, wait]));
  const way: string[] = [];
  let id = stuck[0]!.node.id;
  while (!way.includes(id)) {
    way.push(id);
    id = [...byId.get(id)!.before].find((before) => byId.has(before))!;
  }
  const circle = way.slice(way.indexOf(id)).toReversed();
  const first = stuck.find((wait) => circle.includes(wait.node.id))!.node.id;
  const start = circle.indexOf(first);
  return [...circle.slice(start), ...circle.slice(0, start), first];
}
