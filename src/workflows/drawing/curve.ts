/**
 * The lines of arrows. A line moves sideways only between two rows; it passes a row straight down, where a place is
 * free for it. At a box, the lines are side by side in the order in which they come, so that each can be followed.
 */
import type { Arrow } from "./arrows.ts";
import type { Box, Layout, Waypoint, Way } from "./layout.ts";

/** Between the ends of two arrows at the same side of a box, where there is room. */
const END_GAP = 16;
/** The corners of a box are left out: they are round, and arrows would end in the air beside them. */
const CORNER = 24;

export interface Curve {
  readonly arrow: Arrow;
  /** The `d` of a path. */
  readonly path: string;
}

export function curvesOf({ boxes, ways }: Layout): Curve[] {
  const middle = (key: string): number => middleOf(boxes.get(key)!);
  const starts = spread(ways, boxes, ({ arrow, waypoints }) => {
    return { key: arrow.from, toward: waypoints[0]?.x ?? middle(arrow.to) };
  });
  const ends = spread(ways, boxes, ({ arrow, waypoints }) => {
    return { key: arrow.to, toward: waypoints.at(-1)?.x ?? middle(arrow.from) };
  });
  return ways.map((way) => {
    const stops = [
      stopAt(boxes.get(way.arrow.from)!, starts.get(way)!),
      ...way.waypoints,
      stopAt(boxes.get(way.arrow.to)!, ends.get(way)!),
    ];
    return { arrow: way.arrow, path: pathThrough(stops) };
  });
}

function stopAt({ y, height }: Box, x: number): Waypoint {
  return { x, top: y, bottom: y + height };
}

/** From below the first to above the last. */
function pathThrough(stops: readonly Waypoint[]): string {
  const pieces = stops.slice(1).map(({ x, top }, index) => {
    const last = stops[index]!;
    const half = (last.bottom + top) / 2;
    const down = index === 0 ? `M${last.x} ${last.bottom}` : `V${last.bottom}`;
    return `${down}C${last.x} ${half} ${x} ${half} ${x} ${top}`;
  });
  return pieces.join("");
}

/** The place of each arrow on a side of its box, by the direction that it comes from or leaves in. */
function spread(
  ways: readonly Way[],
  boxes: ReadonlyMap<string, Box>,
  sideOf: (way: Way) => { readonly key: string; readonly toward: number },
): Map<Way, number> {
  const sides = Map.groupBy(ways, (way) => sideOf(way).key);
  return new Map(
    [...sides].flatMap(([key, group]) => {
      const box = boxes.get(key)!;
      const gap = Math.min(END_GAP, (box.width - 2 * CORNER) / Math.max(1, group.length - 1));
      const start = middleOf(box) - (gap * (group.length - 1)) / 2;
      const sorted = group.toSorted((a, b) => sideOf(a).toward - sideOf(b).toward);
      return sorted.map((way, index) => [way, Math.round(start + index * gap)] as const);
    }),
  );
}

function middleOf({ x, width }: Box): number {
  return x + width / 2;
}
