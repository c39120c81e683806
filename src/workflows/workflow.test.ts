import { expect, it } from "vitest";
import { inputSchemaOf, nodeTypesOf, outputSchemaOf } from "./workflow.ts";
import { requireValid } from "./workflow.testkit.ts";

const { workflow } = requireValid({
  inputs: {
    url: { type: "string", description: "Where." },
    limit: { type: "integer", default: 0 },
    token: { type: "string", sensitive: true },
    extra: { type: "any", required: false },
  },
  outputs: { title: { source: "${a.title}", description: "Its title." }, all: { source: "${a}" } },
  nodes: [
    { id: "a", type: "t" },
    { id: "b", type: "code", params: { code: "return 1" } },
    { id: "c", type: "t" },
  ],
});

it("has the schema of what it takes", () => {
  expect(inputSchemaOf(workflow)).toEqual({
    type: "object",
    properties: {
      url: { type: "string", description: "Where." },
      limit: { type: "integer", default: 0 },
      token: { type: "string", writeOnly: true },
      extra: {},
    },
    required: ["url", "token"],
    additionalProperties: false,
  });
});

it("has the schema of what it gives", () => {
  expect(outputSchemaOf(workflow)).toEqual({
    type: "object",
    properties: { title: { description: "Its title." }, all: {} },
  });
});

it("names each node type once", () => {
  expect(nodeTypesOf(workflow)).toEqual(["t", "code"]);
});

it("requires nothing where nothing is required", () => {
  expect(inputSchemaOf(requireValid({}).workflow)).toEqual({
    type: "object",
    properties: {},
    additionalProperties: false,
  });
});
