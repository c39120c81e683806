import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { arrowsOf } from "./arrows.ts";
import { requireValid } from "../workflow.testkit.ts";

const INPUTS = {
  a: { type: "string" },
  b: { type: "array" },
  c: { type: "string" },
  unused: { type: "any" },
};

function arrowTexts(parts: JsonObject): string[] {
  const { workflow, plan } = requireValid(parts);
  return arrowsOf(workflow, plan).map(({ from, to, action }) => `${from} → ${to} (${action})`);
}

it("leads from an input to each node that uses it in params, batch items or the approval message, once", () => {
  const node = {
    id: "n",
    type: "t",
    params: { x: { deep: ["${a} and ${a.b}", "$${c}", "${item}"] } },
    batch: { items: "${b}" },
    approval: { message: "Really ${c}?" },
  };
  const also = { id: "m", type: "t", params: { x: "${a}" } };
  expect(arrowTexts({ inputs: INPUTS, nodes: [node, also] })).toEqual([
    "input a → node n (success)",
    "input b → node n (success)",
    "input c → node n (success)",
    "input a → node m (success)",
  ]);
});

it("leads from no input to text that is taken as it is written", () => {
  const code = { id: "n", type: "code", params: { code: "return `${a}`", inputs: { x: "${c}" } } };
  const { workflow, plan } = requireValid({ inputs: INPUTS, nodes: [code] });
  expect(arrowsOf(workflow, plan)).toHaveLength(1);
  const shell = {
    ...workflow.nodes[0]!,
    type: "shell",
    params: { command: "echo ${a}", env: { B: "${b}" } },
  };
  expect(arrowsOf({ ...workflow, nodes: [shell] }, plan).map(({ from }) => from)).toEqual(["input b"]);
  const tool = { ...shell, type: "server__tool" };
  expect(arrowsOf({ ...workflow, nodes: [tool] }, plan).map(({ from }) => from)).toEqual([
    "input a",
    "input b",
  ]);
});

it("leads from node to node by success and by error, and to each output from what it shows", () => {
  const nodes: JsonObject[] = [
    { id: "n", type: "t", on_error: "m" },
    { id: "m", type: "t" },
    { id: "o", type: "t", params: { x: "${n}" } },
  ];
  const outputs = { n: { source: "${o.x}" }, a: { source: "${a}" } };
  expect(arrowTexts({ inputs: INPUTS, nodes, edges: [{ from: "m", to: "o" }], outputs })).toEqual([
    "node n → node m (error)",
    "node n → node o (success)",
    "node m → node o (success)",
    "node o → output n (success)",
    "input a → output a (success)",
  ]);
});
