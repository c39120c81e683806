import { expect, it } from "vitest";
import { drawText } from "./text-drawing.ts";
import { nodesOf, requireValid } from "../workflow.testkit.ts";

it("draws levels, what each node waits for, and its marks", () => {
  const { workflow, plan } = requireValid({
    description: "Reads pages\nand sends a summary.",
    inputs: { urls: { type: "array" }, token: { type: "string", sensitive: true, required: false } },
    nodes: [
      {
        id: "get",
        type: "fetch",
        batch: { items: "${urls}", on_error: "continue" },
        params: { url: "${item}" },
        retry: { max: 3 },
      },
      { id: "sum", type: "t", params: { pages: "${get}" }, on_error: "tell" },
      { id: "send", type: "t", params: { text: "${sum.text}" }, approval: true, on_error: "continue" },
      { id: "tell", type: "t" },
    ],
    outputs: { text: { source: "${sum.text}" } },
  });
  expect(drawText(workflow, plan)).toBe(`Reads pages and sends a summary.

inputs
  urls: array
  token: string, optional, sensitive

level 0
  get  fetch  [batch, 4 at a time; failed items are passed over; retry 3]

level 1
  sum  t  [after get; on failure → tell]

level 2
  send  t  [after sum; approval; goes on after a failure]
  tell  t  [only if one fails: sum]

outputs
  text = \${sum.text}
`);
});

it("is never wider than eighty columns and prints no control characters", () => {
  const ids = Array.from({ length: 60 }, (_, i) => `${"n".repeat(60)}${i}`);
  const nodes = ids.map((id) => ({ id, type: "t" }));
  const { workflow, plan } = requireValid({
    description: `${"word ".repeat(50)}${"x".repeat(200)}\u001b[31m`,
    inputs: { ["i".repeat(64)]: { type: "any" } },
    nodes: [...nodes, { id: "end", type: "t", params: { all: ids.map((id) => `\${${id}}`) } }],
    outputs: { o: { source: `\${end${".x".repeat(100)}}` } },
  });
  const text = drawText({ ...workflow, nodes: workflow.nodes }, plan);
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(text).toContain("and 48 more");
  expect(text).not.toContain("\u001b");
});

it("has a line for each of two hundred nodes", () => {
  const ids = Array.from({ length: 200 }, (_, i) => `n${i}`);
  const { workflow, plan } = requireValid({ nodes: nodesOf(Object.fromEntries(ids.map((id) => [id, {}]))) });
  expect(drawText(workflow, plan).split("\n")).toHaveLength(202);
});
