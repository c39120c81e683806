import { expect, it } from "vitest";
import { outlineWorkflow } from "./outline.ts";

it("has the nodes of a workflow, its edges, and what its templates read, each once", () => {
  const text = JSON.stringify({
    ir_version: "1.0",
    nodes: [
      { id: "a", type: "t__x", params: {} },
      { id: "b", type: "t__y", params: { v: "${a.value} and ${a.other}", own: "${inputs.c}" } },
      { id: "c", type: "t__z", params: {}, batch: { items: "${b.list}" }, on_error: "continue" },
      { id: "d", type: "t__z", params: {} },
    ],
    edges: [
      { from: "a", to: "b" },
      { from: "b", to: "d", action: "error" },
    ],
  });
  expect(outlineWorkflow(text)).toEqual({
    nodes: [
      { id: "a", type: "t__x" },
      { id: "b", type: "t__y" },
      { id: "c", type: "t__z" },
      { id: "d", type: "t__z" },
    ],
    edges: [
      { from: "a", to: "b" },
      { from: "b", to: "d", action: "error" },
      { from: "b", to: "c" },
    ],
  });
});

it("is none for a text that is no workflow", () => {
  expect(outlineWorkflow("return 1")).toBeUndefined();
});
