import { expect, it } from "vitest";
import type { Arrow } from "./arrows.ts";
import { curvesOf } from "./svg.ts";
import type { Layout, Waypoint } from "./layout.ts";

const box = (x: number, y: number) => ({ x, y, width: 200, height: 60 });

function layoutOf(arrows: readonly [from: string, to: string, waypoints?: readonly Waypoint[]][]): Layout {
  const boxes = new Map([
    ["left", box(0, 0)],
    ["right", box(300, 0)],
    ["below", box(0, 100)],
    ["last", box(0, 200)],
  ]);
  const ways = arrows.map(([from, to, waypoints = []]) => {
    const arrow: Arrow = { from, to, action: "success" };
    return { arrow, waypoints };
  });
  return { width: 500, height: 260, boxes, ways };
}

const pathsOf = (layout: Layout): string[] => curvesOf(layout).map(({ path }) => path);

it("leads from the lower side to the upper side, and is upright at both", () => {
  expect(pathsOf(layoutOf([["left", "below"]]))).toEqual(["M100 60C100 80 100 80 100 100"]);
});

it("passes a row straight down, and moves sideways between rows only", () => {
  const waypoint = { x: 250, top: 100, bottom: 160 };
  expect(pathsOf(layoutOf([["left", "last", [waypoint]]]))).toEqual([
    "M100 60C100 80 250 80 250 100V160C250 180 100 180 100 200",
  ]);
});

it("puts arrows side by side at a box, in the order in which they come", () => {
  const paths = pathsOf(
    layoutOf([
      ["right", "below"],
      ["left", "below"],
    ]),
  );
  expect(paths.map((path) => path.split(" ").slice(-2).join(" "))).toEqual(["108 100", "92 100"]);
});

it("keeps any number of arrows away from the corners", () => {
  const many = Array.from({ length: 100 }, (): [string, string] => ["left", "below"]);
  const starts = pathsOf(layoutOf(many)).map((path) => Number.parseInt(path.slice(1), 10));
  expect([Math.min(...starts), Math.max(...starts)]).toEqual([24, 176]);
});
