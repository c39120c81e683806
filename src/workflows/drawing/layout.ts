/**
 * Where everything of a drawing is: inputs above, a row for each level, outputs below. Dagre decides the order within a
 * row, so that few arrows cross, and keeps a place free in each row that an arrow passes, so that none runs behind a
 * box.
 *
 * Pure: each drawing has a graph of its own, and the same workflow always has the same layout.
 */
import * as dagre from "@dagrejs/dagre";
import { arrowsOf, partKey, type Arrow } from "./arrows.ts";
import type { Plan } from "../plan.ts";
import type { Workflow } from "../workflow.ts";

const WIDTH = 200;
const BOX_HEIGHT = 64;
const PILL_HEIGHT = 28;
const SPACES = { betweenParts: 32, betweenArrows: 16, betweenRows: 64 };
const MARGIN = 24;
/**
 * How many steps from row to row are laid out. The time grows faster than their number; this many take about a second
 * at worst. Of a drawing with more, the longest arrows go straight to their end, behind boxes.
 */
const STEP_COUNT_MAX = 1_500;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where an arrow passes a row that it neither starts nor ends in. */
export interface Waypoint {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** An arrow and the rows that it passes, from top to bottom. */
export interface Way {
  readonly arrow: Arrow;
  readonly waypoints: readonly Waypoint[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** By the keys of parts. */
  readonly boxes: ReadonlyMap<string, Box>;
  readonly ways: readonly Way[];
}

export function layOut(workflow: Workflow, plan: Plan): Layout {
  const rows = rowsOf(workflow, plan);
  const arrows = arrowsOf(workflow, plan);
  const arrangement = arrange(rows, arrowsToLayOut(arrows, rows), SPACES);
  const boxes = boxesOf(rows, arrangement);
  const bands = rows.map(({ keys }) => boxes.get(keys[0]!)!);
  const ways = arrows.map((arrow) => ({ arrow, waypoints: waypointsOf(arrangement.pointsOf(arrow), bands) }));
  return frame(boxes, ways);
}

function rowsOf(workflow: Workflow, plan: Plan): Row[] {
  const pills = (kind: "input" | "output"): Row => {
    const names = kind === "input" ? workflow.inputs.keys() : workflow.outputs.keys();
    return { keys: [...names].map((name) => partKey(kind, name)), width: WIDTH, height: PILL_HEIGHT };
  };
  const levels = plan.levels.map((ids): Row => {
    return { keys: ids.map((id) => partKey("node", id)), width: WIDTH, height: BOX_HEIGHT };
  });
  return [pills("input"), ...levels, pills("output")].filter(({ keys }) => keys.length > 0);
}

/** The shortest, as many as there is time for. */
function arrowsToLayOut(arrows: readonly Arrow[], rows: readonly Row[]): Set<Arrow> {
  const ranks = new Map(rows.flatMap(({ keys }, rank) => keys.map((key) => [key, rank] as const)));
  const steps = ({ from, to }: Arrow): number => ranks.get(to)! - ranks.get(from)!;
  let stepsLeft = STEP_COUNT_MAX;
  const shortestFirst = arrows.toSorted((a, b) => steps(a) - steps(b));
  return new Set(shortestFirst.filter((arrow) => (stepsLeft -= steps(arrow)) >= 0));
}

function boxesOf(rows: readonly Row[], arrangement: Arrangement): Map<string, Box> {
  const boxOf = (key: string, { width, height }: Row): Box => {
    const { x, y } = arrangement.partAt(key);
    return { x: Math.round(x - width / 2), y: Math.round(y - height / 2), width, height };
  };
  return new Map(rows.flatMap((row) => row.keys.map((key) => [key, boxOf(key, row)] as const)));
}

/** Points between two rows are left out: a curve finds its way there. */
function waypointsOf(points: readonly Point[], bands: readonly Box[]): Waypoint[] {
  return points.flatMap(({ x, y }) => {
    const band = bands.find((row) => row.y <= y && y <= row.y + row.height);
    return band === undefined ? [] : [{ x: Math.round(x), top: band.y, bottom: band.y + band.height }];
  });
}

/** Moved so that there is the same margin on all sides; dagre does not count arrows that pass outside of all boxes. */
function frame(boxes: ReadonlyMap<string, Box>, ways: readonly Way[]): Layout {
  const placed = [...boxes.values()];
  const xs = ways.flatMap(({ waypoints }) => waypoints.map(({ x }) => x));
  const left = MARGIN - lowest([...xs, ...placed.map(({ x }) => x)]);
  const right = -lowest([...xs, ...placed.map(({ x, width }) => x + width)].map((x) => -x));
  const top = MARGIN - lowest(placed.map(({ y }) => y));
  const bottom = -lowest(placed.map(({ y, height }) => -y - height));
  return {
    width: right + left + MARGIN,
    height: bottom + top + MARGIN,
    boxes: new Map([...boxes].map(([key, box]) => [key, { ...box, x: box.x + left, y: box.y + top }])),
    ways: ways.map(({ arrow, waypoints }) => ({ arrow, waypoints: waypoints.map(moveWaypoint(left, top)) })),
  };
}

function moveWaypoint(right: number, down: number): (waypoint: Waypoint) => Waypoint {
  return ({ x, top, bottom }) => ({ x: x + right, top: top + down, bottom: bottom + down });
}

function lowest(numbers: readonly number[]): number {
  return numbers.reduce((low, number) => Math.min(low, number));
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Boxes side by side, all of one size. */
interface Row {
  /** At least one. */
  readonly keys: readonly string[];
  readonly width: number;
  readonly height: number;
}

interface Spaces {
  readonly betweenParts: number;
  /** Between two arrows that pass the same row. */
  readonly betweenArrows: number;
  readonly betweenRows: number;
}

interface Arrangement {
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
/** Dagre, as far as a drawing needs it: rows that are given become places from left to right, with few crossings. */
function arrange(rows: readonly Row[], arrows: Iterable<Arrow>, spaces: Spaces): Arrangement {
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
