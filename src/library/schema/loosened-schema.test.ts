import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../core/json.ts";
import { createSchemaValidator } from "../../sandbox/schema/validator.ts";
import { inferInputSchema } from "./infer-schema.ts";

const verdict = (schema: JsonObject, value: JsonObject): string =>
  createSchemaValidator(schema).validate(value).kind;

describe("what a run was given is accepted", () => {
  const property = (schema: Json, value: Json, path = ["p"]): JsonObject => {
    const source = {
      inputs: [{ name: "p", isOptional: false, flows: [{ namespace: "a", tool: "b", path }] }],
      hasOpenInputs: false,
      wholeFlows: [],
    };
    const inferred = inferInputSchema(source, () => ({ type: "object", properties: { p: schema } }), {
      p: value,
    });
    expect(verdict(inferred, { p: value })).toBe("valid");
    return (inferred["properties"] as JsonObject)["p"] as JsonObject;
  };

  it.each<[string, Json, Json, JsonObject]>([
    ["another type is added", { type: "string" }, 5, { type: ["string", "number"] }],
    ["null is added", { type: "integer", minimum: 1 }, null, { type: ["integer", "null"], minimum: 1 }],
    ["an enum that has it not is left out", { type: "string", enum: ["a"] }, "b", { type: "string" }],
    [
      "a limit that is passed is left out",
      { type: "number", maximum: 3, minimum: 1 },
      4,
      { type: "number", minimum: 1 },
    ],
    [
      "a pattern is not decided",
      { type: "string", pattern: "^(a+)+$", maxLength: 9 },
      "aaa",
      { type: "string", maxLength: 9 },
    ],
    [
      "unknown names are allowed",
      { type: "object", properties: {}, additionalProperties: false },
      { x: 1 },
      { type: "object", properties: {} },
    ],
    [
      "only what it has is required",
      { type: "object", required: ["x", "y"] },
      { x: 1 },
      { type: "object", required: ["x"] },
    ],
    [
      "items are loosened together",
      { type: "array", items: { type: "string" } },
      ["a", 1, null],
      { type: "array", items: { type: ["string", "number", "null"] } },
    ],
    [
      "a choice is added",
      { anyOf: [{ type: "string" }, { type: "number" }] },
      null,
      { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
    ],
    [
      "a choice that fits stays",
      { oneOf: [{ type: "string" }, { type: "number" }] },
      1,
      { anyOf: [{ type: "string" }, { type: "number" }] },
    ],
    ["nullable is a type", { type: "string", nullable: true }, null, { type: ["string", "null"] }],
    [
      "an old tuple is a new one",
      { items: [{ type: "string" }] },
      ["a"],
      { prefixItems: [{ type: "string" }] },
    ],
    [
      "an old exclusive limit is a new one",
      { minimum: 0, exclusiveMinimum: true },
      1,
      { exclusiveMinimum: 0 },
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(property(schema, value)).toEqual(expected);
  });

  it("whatever nonsense the tool's schema is", () => {
    const nonsense = {
      type: "strange",
      enum: [],
      required: "x",
      properties: null,
      minLength: -1,
      multipleOf: 0,
      pattern: 5,
      anyOf: {},
      items: 7,
      $id: "x",
      not: {},
      if: {},
    };
    for (const schema of [nonsense, null, true, false, 5, "x", []])
      expect(property(schema, "x")).toEqual({ type: "string" });
  });

  it("and references around a circle, to nowhere and without end come to an end", () => {
    expect(property({ $ref: "#/properties/p" }, 1)).toEqual({ type: "number" });
    expect(property({ $ref: "https://example.com/x" }, 1)).toEqual({ type: "number" });
    const wide = Array.from({ length: 10 }, () => ({ $ref: "#/properties/p" }));
    expect(property({ anyOf: wide, allOf: wide }, 1, ["p", "deep", "er"])).toEqual({ type: "number" });
    const doubling = {
      properties: Object.fromEntries(
        Array.from({ length: 50 }, (_, n) => [`x${n}`, { $ref: "#/properties/p/properties/y" }]),
      ),
    };
    const big = {
      properties: { ...doubling.properties, y: { description: "d".repeat(10_000), ...doubling } },
    };
    expect(JSON.stringify(property(big, {})).length).toBeLessThan(1_000_000);
  });
});
