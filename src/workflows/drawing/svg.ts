/**
 * A plan as one self-contained SVG: no script, no font, no link, nothing from elsewhere. It is readable on light and on
 * dark ground, and everything that comes from the workflow is escaped text.
 */
import { partKey } from "./arrows.ts";
import { curvesOf, type Curve } from "./curve.ts";
import { layOut, type Box } from "./layout.ts";
import { inputLabel, marksOf } from "./notes.ts";
import type { Plan } from "../plan.ts";
import type { Workflow, WorkflowNode } from "../workflow.ts";
import { cut } from "../../text/cut.ts";
import { escapeUnprintable } from "../../text/printable.ts";

/** How much text a box of this width holds. */
const ID_LENGTH_MAX = 24;
const SMALL_LENGTH_MAX = 31;

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
