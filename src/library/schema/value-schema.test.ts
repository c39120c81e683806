import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../core/json.ts";
import { createSchemaValidator } from "../../sandbox/schema/validator.ts";
import { schemaOfValue } from "./value-schema.ts";

const verdict = (schema: JsonObject, value: JsonObject): string =>
  createSchemaValidator(schema).validate(value).kind;

const jsonArbitrary: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>("a", 1, null, ["a", "a"], { a: "a" }),
);

describe("for random values", () => {
  it("the schema of a value accepts it", () => {
    fc.assert(
      fc.property(jsonArbitrary, (value) => {
        const schema: JsonObject = { type: "object", properties: { value: schemaOfValue(value) } };
        expect(verdict(schema, { value })).toBe("valid");
      }),
      { numRuns: 200 },
    );
  });

  it("the schema of a list accepts each of its items alone", () => {
    fc.assert(
      fc.property(fc.array(jsonArbitrary, { minLength: 1 }), (items) => {
        const schema: JsonObject = { type: "object", properties: { value: schemaOfValue(items) } };
        for (const item of items) expect(verdict(schema, { value: [item] })).toBe("valid");
      }),
      { numRuns: 200 },
    );
  });
});

describe("the schema of a value", () => {
  it.each<[string, Json, JsonObject]>([
    ["names the type", "x", { type: "string" }],
    ["takes every number for a number", 5, { type: "number" }],
    ["says nothing of null alone", null, {}],
    [
      "has the properties of an object, none required",
      { a: 1, b: { c: null } },
      { type: "object", properties: { a: { type: "number" }, b: { type: "object", properties: { c: {} } } } },
    ],
    [
      "merges the items of a list and requires what all have",
      [
        { id: 1, tag: "a" },
        { id: 2, by: null },
        { id: 3, by: "me" },
      ],
      {
        type: "array",
        items: {
          type: "object",
          properties: { id: { type: "number" }, tag: { type: "string" }, by: { type: ["null", "string"] } },
          required: ["id"],
        },
      },
    ],
    [
      "requires nothing of a single item",
      [{ id: 1 }],
      { type: "array", items: { type: "object", properties: { id: { type: "number" } } } },
    ],
    ["says nothing of the items of an empty list", [], { type: "array" }],
    [
      "joins items of several types",
      [1, "a", [true]],
      { type: "array", items: { type: ["number", "string", "array"], items: { type: "boolean" } } },
    ],
  ])("%s", (_, value, schema) => {
    expect(schemaOfValue(value)).toEqual(schema);
  });

  it("is bounded in depth and width", () => {
    const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) as Json;
    expect(JSON.stringify(schemaOfValue(deep)).length).toBeLessThan(300);
    const map = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, n]));
    expect(schemaOfValue(map)).toEqual({ type: "object" });
    expect(schemaOfValue(Object.entries(map).map(([name, n]) => ({ [name]: n })))).toEqual({
      type: "array",
      items: { type: "object" },
    });
  });
});
