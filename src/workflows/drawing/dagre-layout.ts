/** Dagre, as far as a drawing needs it: rows that are given become places from left to right, with few crossings. */
import * as dagre from "@dagrejs/dagre";
import type { Arrow } from "./arrows.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Boxes side by side, all of one size. */
export interface Row {
  /** At least one. */
  readonly keys: readonly string[];
  readonly width: number;
  readonly height: number;
}

export interface Spaces {
  readonly betweenParts: number;
  /** Between two arrows that pass the same row. */
  readonly betweenArrows: number;
  readonly betweenRows: number;
}

export interface Arrangement {
  /** The middle of a part. */
  partAt(key: string): Point;
  /** What an arrow passes between its ends, from top to bottom: rows, and the spaces between them. */
  pointsOf(arrow: Arrow): readonly Point[];
}

/**
 * What is used of dagre's graph. Its own declarations import files without their endings, which Node's rules do not
 * find.
 */
interface Graph {
  setGraph(options: object): void;
  setNode(key: string, size: object): void;
  setEdge(from: string, to: string, options: object, name: string): void;
  node(key: string): Point;
  /** The first and the last point are those at the boxes. */
  edge(from: string, to: string, name: string): { readonly points: readonly Point[] } | undefined;
}

const { Graph, layout } = dagre as unknown as {
  readonly Graph: new (options: { readonly multigraph: boolean }) => Graph;
  readonly layout: (graph: Graph) => void;
};

/** Every arrow goes from a row to one below. */
export function arrange(rows: readonly Row[], arrows: Iterable<Arrow>, spaces: Spaces): Arrangement {
  const graph = graphOf(rows, arrows, spaces);
  layout(graph);
  const side = isMirrored(rows, graph) ? -1 : 1;
  const turn = ({ x, y }: Point): Point => ({ x: side * x, y });
  return {
    partAt: (key) => turn(graph.node(key)),
    pointsOf: ({ from, to, action }) => graph.edge(from, to, action)?.points.slice(1, -1).map(turn) ?? [],
  };
}

function graphOf(rows: readonly Row[], arrows: Iterable<Arrow>, spaces: Spaces): Graph {
  const { betweenParts: nodesep, betweenArrows: edgesep, betweenRows: ranksep } = spaces;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", ranker: "none", nodesep, edgesep, ranksep });
  for (const [row, { keys, width, height }] of rows.entries()) {
    // Dagre wants a rank between two rows, for the labels of edges.
    for (const key of keys) graph.setNode(key, { width, height, rank: 2 * row });
  }
  for (const { from, to, action } of arrows) graph.setEdge(from, to, {}, action);
  return graph;
}

/** Of two orders with as many crossings dagre may take the one from right to left; people write from left to right. */
function isMirrored(rows: readonly Row[], graph: Graph): boolean {
  const turns = rows.flatMap(({ keys }) =>
    keys.slice(1).map((key, index) => Math.sign(graph.node(key).x - graph.node(keys[index]!).x)),
  );
  return turns.reduce((sum, turn) => sum + turn, 0) < 0;
}
