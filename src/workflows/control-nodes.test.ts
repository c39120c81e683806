import { expect, it } from "vitest";
import { CONTROL_NODES, WAIT_MS_MAX } from "./control-nodes.ts";
import { problemsOf } from "./workflow.testkit.ts";

const params = {
  code: { code: "return args.x", inputs: { x: 1 } },
  workflow: { name: "other", inputs: {} },
  wait: { ms: WAIT_MS_MAX },
  approve: { message: "Go on?", details: [1] },
};

it("are these four, and only code is raw", () => {
  expect(CONTROL_NODES.map(({ definition, rawParams }) => [definition.name, rawParams])).toEqual([
    ["code", ["code"]],
    ["workflow", []],
    ["wait", []],
    ["approve", []],
  ]);
});

it("are described, take nothing undeclared and have hints", () => {
  for (const { definition } of CONTROL_NODES) {
    expect(definition.description!.length).toBeGreaterThan(40);
    expect(definition.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(definition.annotations).toBeDefined();
  }
});

it.each(Object.entries(params))("%s is valid with its parameters", (type, given) => {
  expect(problemsOf({ nodes: [{ id: "a", type, params: given }] })).toEqual([]);
});

it("wait takes either a duration or a time", () => {
  expect(
    problemsOf({ nodes: [{ id: "a", type: "wait", params: { until: "2030-01-31T08:00:00Z" } }] }),
  ).toEqual([]);
  expect(problemsOf({ nodes: [{ id: "a", type: "wait", params: { until: 5 } }] })).toMatchObject([
    { place: "nodes[0].params.until" },
  ]);
});

it("the result of approve has a name, a time and nothing else", () => {
  const nodes = (template: string): object[] => [
    { id: "a", type: "approve", params: { message: "?" } },
    { id: "b", type: "t", params: { x: template } },
  ];
  expect(problemsOf(JSON.parse(JSON.stringify({ nodes: nodes("${a.by} ${a.at} ${a.approved}") })))).toEqual(
    [],
  );
  expect(problemsOf(JSON.parse(JSON.stringify({ nodes: nodes("${a.note}") })))).toHaveLength(1);
});
