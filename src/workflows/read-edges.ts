/** The edges of a workflow's text, and those that `on_error` means. */
import type { Json } from "../core/json.ts";
import { quote } from "../text/quote.ts";
import { suggest } from "./declared-name.ts";
import {
  choiceField,
  fieldOf,
  kindOf,
  openObject,
  requiredTextField,
  type ObjectReader,
} from "./object-reader.ts";
import type { Path } from "./place.ts";
import type { ReadNodes } from "./read-nodes.ts";
import { EDGE_COUNT_MAX, type WorkflowEdge } from "./workflow.ts";

interface PlacedEdge {
  readonly edge: WorkflowEdge;
  readonly path: Path;
}

/** `ids` are all in the text: an edge to a wrong node is left out without a problem of its own. */
export function readEdges(
  top: ObjectReader,
  read: ReadNodes,
  ids: readonly string[],
): readonly WorkflowEdge[] {
  const known = new Set(ids);
  const nodes = new Set(read.nodes.map((node) => node.id));
  const isKnown = (id: string, path: Path): boolean => {
    if (!known.has(id)) {
      const fix = `Name a node of this workflow.${suggest(id, ids, top.problems)}`;
      top.problems.add(path, `there is no node ${quote(id)}.`, fix);
    }
    return nodes.has(id);
  };
  const placed = [
    ...listOfEdges(top).flatMap((value, index) => readEdge(value, index, top, isKnown)),
    ...read.routes.flatMap(({ index, ...ends }): PlacedEdge[] => {
      const path = ["nodes", index, "on_error"];
      return isKnown(ends.to, path) ? [{ edge: { ...ends, action: "error" }, path }] : [];
    }),
  ];
  return withoutRepeats(placed, top);
}

function listOfEdges(top: ObjectReader): readonly Json[] {
  const value = fieldOf(top, "edges") ?? [];
  if (!Array.isArray(value)) {
    const message = `"edges" must be a list, and is ${kindOf(value)}.`;
    top.problems.add(["edges"], message, 'Write "edges": [{"from": …, "to": …}].');
    return [];
  }
  if (value.length > EDGE_COUNT_MAX) {
    const message = `there are ${value.length} edges; the limit is ${EDGE_COUNT_MAX}.`;
    top.problems.add(["edges"], message, "Remove edges that templates already imply.");
  }
  return (value as readonly Json[]).slice(0, EDGE_COUNT_MAX);
}

function readEdge(
  value: Json,
  index: number,
  top: ObjectReader,
  isKnown: (id: string, path: Path) => boolean,
): PlacedEdge[] {
  const path = ["edges", index];
  const object = openObject(value, path, ["from", "to", "action"], top.problems);
  if (object === undefined) return [];
  const from = requiredTextField(object, "from", "the id of a node");
  const to = requiredTextField(object, "to", "the id of a node");
  const action = choiceField(object, "action", ["success", "error"]) ?? "success";
  const leads = from !== undefined && isKnown(from, [...path, "from"]);
  const arrives = to !== undefined && isKnown(to, [...path, "to"]);
  if (!leads || !arrives) return [];
  if (from !== to) return [{ edge: { from, to, action }, path }];
  top.problems.add(path, `the edge leads from ${from} to itself.`, "Remove it, or name another node.");
  return [];
}

/**
 * The same edge twice is one edge. One for success and one for failure between the same nodes can never both be true.
 */
function withoutRepeats(placed: readonly PlacedEdge[], top: ObjectReader): WorkflowEdge[] {
  const actions = new Map<string, WorkflowEdge["action"]>();
  return placed.flatMap(({ edge, path }) => {
    const key = `${edge.from} ${edge.to}`;
    const before = actions.get(key);
    if (before === undefined) actions.set(key, edge.action);
    else if (before !== edge.action) {
      const message = `${edge.to} waits for both the success and the failure of ${edge.from}, so it can never run.`;
      top.problems.add(path, message, "Keep one of the two, or use two nodes.");
    }
    return before === undefined ? [edge] : [];
  });
}
