/**
 * Where everything of a drawing is: inputs above, a row for each level, outputs below. Dagre decides the order within a
 * row, so that few arrows cross, and keeps a place free in each row that an arrow passes, so that none runs behind a
 * box.
 *
 * Pure: each drawing has a graph of its own, and the same workflow always has the same layout.
 */
import { arrowsOf, partKey, type Arrow } from "./arrows.ts";
import { arrange, type Arrangement, type Point, type Row } from "./dagre-layout.ts";
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
