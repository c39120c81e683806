/**
 * A plan as one self-contained SVG: no script, no font, no link, nothing from elsewhere. It is readable on light and on
 * dark ground, and everything that comes from the workflow is escaped text.
 */
import { partKey, type Arrow } from "./arrows.ts";
import { layOut, type Box, type Layout, type Waypoint, type Way } from "./layout.ts";
import { inputLabel, marksOf } from "./notes.ts";
import type { Plan } from "../plan.ts";
import type { Workflow, WorkflowNode } from "../workflow.ts";
import { cut } from "../../text/cut.ts";
import { escapeUnprintable } from "../../text/printable.ts";

/** How much text a box of this width holds. */
const ID_LENGTH_MAX = 24;
const SMALL_LENGTH_MAX = 31;
/** Between the ends of two arrows at the same side of a box, where there is room. */
const END_GAP = 16;
/** The corners of a box are left out: they are round, and arrows would end in the air beside them. */
const CORNER = 24;

/** Under a class of its own, so that a page that holds the drawing keeps its own looks. */
const STYLE = `
.workflow-graph text{font-family:system-ui,sans-serif;font-size:14px;fill:#1b1f24}
.workflow-graph .small{font-size:11px;fill:#57606a}
.workflow-graph .box{fill:#f6f8fa;stroke:#57606a}
.workflow-graph .pill{fill:#ddf4ff;stroke:#0969da}
.workflow-graph .edge{fill:none;stroke:#57606a;stroke-width:1.5}
.workflow-graph .edge.error{stroke:#cf222e;stroke-dasharray:6 4}
.workflow-graph .head{fill:#57606a}
.workflow-graph .error-head{fill:#cf222e}
@media (prefers-color-scheme:dark){
.workflow-graph text{fill:#e6edf3}
.workflow-graph .small{fill:#9198a1}
.workflow-graph .box{fill:#161b22;stroke:#9198a1}
.workflow-graph .pill{fill:#0c2d4f;stroke:#58a6ff}
.workflow-graph .edge{stroke:#9198a1}
.workflow-graph .edge.error{stroke:#ff7b72}
.workflow-graph .head{fill:#9198a1}
.workflow-graph .error-head{fill:#ff7b72}
}`;

export function drawSvg(workflow: Workflow, plan: Plan): string {
  const layout = layOut(workflow, plan);
  const { width, height, boxes } = layout;
  const label = workflow.description === "" ? "workflow" : workflow.description;
  const content = [
    element("title", {}, escapeXml(label)),
    element("style", {}, STYLE),
    element("defs", {}, marker("workflow-arrow", "head") + marker("workflow-error-arrow", "error-head")),
    ...curvesOf(layout).map(drawCurve),
    ...drawInputs(workflow, boxes),
    ...workflow.nodes.map((node) => drawNode(node, boxes.get(partKey("node", node.id))!)),
    ...drawOutputs(workflow, boxes),
  ];
  const size = { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", class: "workflow-graph" };
  return element("svg", { xmlns: "http://www.w3.org/2000/svg", ...size }, content.join("\n"));
}

function marker(id: string, className: string): string {
  const size = { markerWidth: 8, markerHeight: 8, viewBox: "0 0 8 8", refX: 8, refY: 4 };
  const place = { orient: "auto", markerUnits: "userSpaceOnUse" };
  return element(
    "marker",
    { id, ...size, ...place },
    element("path", { class: className, d: "M0 0L8 4L0 8z" }),
  );
}

function drawCurve({ arrow, path }: Curve): string {
  const isError = arrow.action === "error";
  const end = `url(#${isError ? "workflow-error-arrow" : "workflow-arrow"})`;
  return element("path", { class: isError ? "edge error" : "edge", d: path, "marker-end": end });
}

function drawNode(node: WorkflowNode, box: Box): string {
  const marks = marksOf(node).join(", ");
  const title = [node.id, node.type, marks].filter((line) => line !== "").join(" | ");
  const { x, y, width, height } = box;
  return element(
    "g",
    {},
    element("title", {}, escapeXml(title)) +
      element("rect", { class: "box", x, y, width, height, rx: 8 }) +
      textElement({ x: x + 12, y: y + 22 }, cut(node.id, ID_LENGTH_MAX)) +
      textElement({ class: "small", x: x + 12, y: y + 39 }, cut(node.type, SMALL_LENGTH_MAX)) +
      textElement({ class: "small", x: x + 12, y: y + 55 }, cut(marks, SMALL_LENGTH_MAX)),
  );
}

function drawInputs(workflow: Workflow, boxes: ReadonlyMap<string, Box>): string[] {
  return [...workflow.inputs].map(([name, input]) =>
    drawPill(inputLabel(name, input), `input ${name}`, boxes.get(partKey("input", name))!),
  );
}

function drawOutputs(workflow: Workflow, boxes: ReadonlyMap<string, Box>): string[] {
  return [...workflow.outputs].map(([name, { source }]) =>
    drawPill(name, `output ${name} = ${source}`, boxes.get(partKey("output", name))!),
  );
}

function drawPill(text: string, title: string, { x, y, width, height }: Box): string {
  return element(
    "g",
    {},
    element("title", {}, escapeXml(title)) +
      element("rect", { class: "pill", x, y, width, height, rx: height / 2 }) +
      textElement({ class: "small", x: x + 14, y: y + 18 }, cut(text, SMALL_LENGTH_MAX)),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that is text in an element and in an attribute, without the characters that XML does not allow. */
function escapeXml(text: string): string {
  return escapeUnprintable(text)
    .replace(/[\uFFFE\uFFFF]/g, "\uFFFD")
    .replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

type Attributes = Readonly<Record<string, string | number>>;

/** An element. Its attributes are escaped here; its content must be escaped already. */
function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  return `<${name}${written.join("")}>${content}</${name}>`;
}

function textElement(attributes: Attributes, text: string): string {
  return element("text", attributes, escapeXml(text));
}

interface Curve {
  readonly arrow: Arrow;
  /** The `d` of a path. */
  readonly path: string;
}

/**
 * The lines of arrows. A line moves sideways only between two rows; it passes a row straight down, where a place is
 * free for it. At a box, the lines are side by side in the order in which they come, so that each can be followed.
 */
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
