/** Where everything of a drawing stands: inputs above, a row for each level, outputs below. */
import type { Plan } from "./plan.ts";
import type { Workflow } from "./workflow.ts";

const BOX_WIDTH = 200;
const BOX_HEIGHT = 64;
const PILL_HEIGHT = 28;
const GAP_X = 32;
const GAP_Y = 64;
const MARGIN = 24;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly inputs: ReadonlyMap<string, Box>;
  readonly nodes: ReadonlyMap<string, Box>;
  readonly outputs: ReadonlyMap<string, Box>;
}

export function layOut(workflow: Workflow, plan: Plan): Layout {
  const rows = [
    { names: [...workflow.inputs.keys()], height: PILL_HEIGHT },
    ...plan.levels.map((names) => ({ names, height: BOX_HEIGHT })),
    { names: [...workflow.outputs.keys()], height: PILL_HEIGHT },
  ];
  const widest = Math.max(1, ...rows.map((row) => row.names.length));
  const width = 2 * MARGIN + widest * (BOX_WIDTH + GAP_X) - GAP_X;
  let y = MARGIN;
  const placed = rows.map(({ names, height }) => {
    const boxes = placeRow(names, width, y, height);
    if (names.length > 0) y += height + GAP_Y;
    return boxes;
  });
  const nodes = new Map(placed.slice(1, -1).flatMap((row) => [...row]));
  return { width, height: y - GAP_Y + MARGIN, inputs: placed[0]!, nodes, outputs: placed.at(-1)! };
}

function placeRow(names: readonly string[], width: number, y: number, height: number): Map<string, Box> {
  const start = (width - names.length * (BOX_WIDTH + GAP_X) + GAP_X) / 2;
  return new Map(
    names.map((name, index) => [
      name,
      { x: start + index * (BOX_WIDTH + GAP_X), y, width: BOX_WIDTH, height },
    ]),
  );
}
