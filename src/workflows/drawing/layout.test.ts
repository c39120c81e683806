import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { layOut, type Box, type Layout } from "./layout.ts";
import { NODE_COUNT_MAX } from "../workflow.ts";
import { nodesOf, requireValid } from "../workflow.testkit.ts";

/** With names that every object has. */
const SKIPPING = {
  inputs: { toString: { type: "string" }, late: { type: "string" }, unused: { type: "any" } },
  nodes: nodesOf({
    a: { x: "${toString}" },
    valueOf: { x: "${a}" },
    c: { x: "${valueOf}" },
    d: { x: ["${c}", "${a}", "${late}"] },
  }),
  outputs: { toString: { source: "${toString}" }, d: { source: "${d}" }, early: { source: "${a}" } },
};

function layoutOf(parts: JsonObject): Layout {
  const { workflow, plan } = requireValid(parts);
  return layOut(workflow, plan);
}

/** Each node reads every node before it: no arrangement has room for so many arrows. */
function tangle(): JsonObject {
  const ids = Array.from({ length: NODE_COUNT_MAX }, (_, index) => `n${index}`);
  const params = ids.map((id, index): [string, JsonObject] => [
    id,
    { x: ids.slice(0, index).map((before) => `\${${before}}`) },
  ]);
  return { nodes: nodesOf(Object.fromEntries(params)) };
}

const rowOf = ({ boxes }: Layout, key: string): number => boxes.get(key)!.y;
const isBeside = (x: number, box: Box): boolean => x < box.x || x > box.x + box.width;

it("has inputs in the first row, a row for each level and outputs in the last", () => {
  const layout = layoutOf(SKIPPING);
  const rows = Map.groupBy(layout.boxes.keys(), (key) => rowOf(layout, key));
  expect([...rows].toSorted(([a], [b]) => a - b).map(([, keys]) => keys)).toEqual([
    ["input toString", "input late", "input unused"],
    ["node a"],
    ["node valueOf"],
    ["node c"],
    ["node d"],
    ["output toString", "output d", "output early"],
  ]);
});

it("leads every arrow past the boxes of the rows between its ends", () => {
  const layout = layoutOf(SKIPPING);
  const passed = layout.ways.map(({ arrow, waypoints }) => [`${arrow.from} → ${arrow.to}`, waypoints.length]);
  expect(Object.fromEntries(passed)).toMatchObject({
    "node a → node valueOf": 0,
    "node a → node d": 2,
    "input late → node d": 3,
    "input toString → output toString": 4,
  });
  for (const { x, top, bottom } of layout.ways.flatMap(({ waypoints }) => waypoints)) {
    const row = [...layout.boxes.values()].filter((box) => box.y === top);
    expect(row.length).toBeGreaterThan(0);
    for (const box of row) expect(isBeside(x, box) && box.y + box.height === bottom).toBe(true);
  }
});

it("lets no two boxes touch, and everything stand inside the margins", () => {
  const { boxes, ways, width, height } = layoutOf(SKIPPING);
  const placed = [...boxes.values()];
  for (const [index, box] of placed.entries()) {
    expect([box.x >= 24, box.y >= 24, box.x + box.width <= width - 24]).toEqual([true, true, true]);
    expect(box.y + box.height).toBeLessThanOrEqual(height - 24);
    for (const other of placed.slice(index + 1)) {
      expect(box.y !== other.y || Math.abs(box.x - other.x) > box.width).toBe(true);
    }
  }
  for (const { x } of ways.flatMap(({ waypoints }) => waypoints))
    expect(x >= 24 && x <= width - 24).toBe(true);
});

it("keeps the order of the text from left to right where no crossing speaks against it", () => {
  const ids = Array.from({ length: 30 }, (_, index) => `n${index}`);
  const middle = Object.fromEntries(ids.map((id) => [id, { x: "${start}" }]));
  const end = { x: ids.map((id) => `\${${id}}`) };
  const { boxes } = layoutOf({ nodes: nodesOf({ start: {}, ...middle, end }) });
  const lefts = ids.map((id) => boxes.get(`node ${id}`)!.x);
  expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
});

it("is the same each time, whatever was laid out before", () => {
  const first = layoutOf(SKIPPING);
  layoutOf({ nodes: nodesOf({ a: {}, b: { x: "${a}" } }) });
  expect(layoutOf(SKIPPING)).toEqual(first);
});

it("draws the longest arrows straight where there are too many to lay out", () => {
  const { ways, boxes } = layoutOf(tangle());
  expect(boxes.size).toBe(NODE_COUNT_MAX);
  expect(ways).toHaveLength((NODE_COUNT_MAX * (NODE_COUNT_MAX - 1)) / 2);
  const passed = ways.reduce((sum, { waypoints }) => sum + waypoints.length, 0);
  expect(passed).toBeGreaterThan(0);
  expect(passed).toBeLessThan(1_500);
});

it("is one box for one node", () => {
  const { boxes, width, height } = layoutOf({ nodes: nodesOf({ a: {} }) });
  expect([...boxes.values()]).toEqual([{ x: 24, y: 24, width: 200, height: 64 }]);
  expect([width, height]).toEqual([248, 112]);
});
