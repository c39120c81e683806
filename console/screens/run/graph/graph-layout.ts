/** Where the nodes of a workflow are drawn: from the left to the right, in the order in which they can run. */
import { Graph, layout } from "@dagrejs/dagre";
import type { Answer } from "../../../api/client.ts";

export type WorkflowGraph = Answer<"getGraph">;

export const NODE_WIDTH = 150;
export const NODE_HEIGHT = 46;
const GAP = 28;
const RANK_GAP = 40;

export interface PlacedNode {
  readonly node: WorkflowGraph["nodes"][number];
  readonly x: number;
  readonly y: number;
}

export function placeNodes({ nodes, edges }: WorkflowGraph): readonly PlacedNode[] {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: GAP, ranksep: RANK_GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  const known = new Set(nodes.map(({ id }) => id));
  for (const { from, to } of edges) if (known.has(from) && known.has(to)) graph.setEdge(from, to);
  layout(graph);
  return nodes.map((node) => {
    const { x = 0, y = 0 } = graph.node(node.id) as { readonly x?: number; readonly y?: number };
    return { node, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
  });
}
