import { expect, it } from "vitest";
import { FIELD_COUNT_MAX, schemaNodeOf } from "./schema-node.ts";
import { startValueOfNode } from "./start-value.ts";

const object = (properties: Record<string, unknown>, more: object = {}) => ({
  type: "object",
  properties,
  ...more,
});

it("makes a field of each property, and knows which are required", () => {
  const node = schemaNodeOf(
    object({ a: { type: "string" }, b: { type: "integer", minimum: 1 } }, { required: ["a"] }),
  );
  expect(node).toMatchObject({
    kind: "object",
    fields: [
      { name: "a", required: true, node: { kind: "string" } },
      { name: "b", required: false, node: { kind: "number", isInteger: true, min: 1 } },
    ],
  });
});

it.each([
  ["an enum", { enum: ["a", 1, null] }, "choice"],
  ["constants in a union", { oneOf: [{ const: "a" }, { const: "b" }] }, "choice"],
  ["shapes in a union", { anyOf: [{ type: "string" }, object({ x: { type: "number" } })] }, "oneOf"],
  ["several types", { type: ["string", "null"] }, "oneOf"],
  ["a constant", { const: 3 }, "const"],
  ["an array", { type: "array", items: { type: "string" } }, "array"],
  ["anything", {}, "json"],
  ["an object without names", { type: "object" }, "json"],
])("reads %s", (_, schema, kind) => expect(schemaNodeOf(schema)?.kind).toBe(kind));

it("follows references within the schema only", () => {
  const schema = object(
    { a: { $ref: "#/$defs/x" }, b: { $ref: "https://example.com/x" } },
    { $defs: { x: { type: "boolean" } } },
  );
  expect(schemaNodeOf(schema)).toMatchObject({
    fields: [{ node: { kind: "boolean" } }, { node: { kind: "json" } }],
  });
});

it("has no form for a schema that is recursive, deep or large (T150)", () => {
  expect(schemaNodeOf({ $ref: "#" })).toBeUndefined();
  expect(schemaNodeOf(object({ child: { $ref: "#" } }))).toBeUndefined();
  const many = Array.from({ length: FIELD_COUNT_MAX + 1 }, (_, at) => [`f${at}`, { type: "string" }]);
  expect(schemaNodeOf(object(Object.fromEntries(many)))).toBeUndefined();
  const deep = Array.from({ length: 20 }).reduce<object>((inner) => object({ x: inner }), { type: "string" });
  expect(schemaNodeOf(deep)).toBeUndefined();
});

it("does not read a name of Object itself as a part of the schema", () => {
  expect(schemaNodeOf({ $ref: "#/constructor/prototype" })).toEqual({
    kind: "json",
    title: undefined,
    description: undefined,
    fallback: undefined,
  });
});

it("begins with what is required, with defaults and constants", () => {
  const schema = object(
    {
      a: { type: "string" },
      b: { type: "number", default: 4 },
      c: { const: "x" },
      d: { type: "boolean" },
      e: { enum: ["p", "q"] },
    },
    { required: ["a", "c", "d", "e"] },
  );
  expect(startValueOfNode(schemaNodeOf(schema)!)).toEqual({ a: "", b: 4, c: "x", d: false, e: "p" });
});
