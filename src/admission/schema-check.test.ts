import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { findSchemaProblem, SCHEMA_LIMITS, SUBSCHEMA_COUNT_MAX, EXPANSION_MAX } from "./schema-check.ts";

function propertiesOf(count: number, schema: JsonObject = {}): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
}

/** Each a schema of its own, as JSON text would have it. */
function distinctPropertiesOf(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
}

function nestedLists(depth: number): JsonObject {
  let schema: JsonObject = {};
  for (let i = 1; i < depth; i++) schema = { items: schema };
  return schema;
}

describe("limits", () => {
  it("T042: a schema may have 256 KiB", () => {
    const empty = { type: "object", description: "" };
    const sized = (bytes: number) => ({ ...empty, description: "x".repeat(bytes) });
    // Two braces, two keys and their values with quotes, colon and comma.
    const overhead = 2 + "type".length + 3 + "object".length + 3 + "description".length + 3 + 3;
    expect(findSchemaProblem(sized(SCHEMA_LIMITS.bytesMax - overhead))).toBeUndefined();
    expect(findSchemaProblem(sized(SCHEMA_LIMITS.bytesMax - overhead + 1))).toBe(
      "the schema is larger than 262144 bytes",
    );
  });

  it("T042: a schema may nest 32 levels, and one of 5,000 or a circle costs no stack", () => {
    expect(findSchemaProblem(nestedLists(31))).toBeUndefined();
    expect(findSchemaProblem(nestedLists(32))).toBeUndefined();
    expect(findSchemaProblem(nestedLists(33))).toBe("the schema nests deeper than 32 levels");
    expect(findSchemaProblem(nestedLists(5000))).toBe("the schema nests deeper than 32 levels");
    const circle: Record<string, unknown> = {};
    circle["items"] = circle;
    expect(findSchemaProblem(circle as JsonObject)).toBe("the schema nests deeper than 32 levels");
  });

  it("T042: a schema may have 2,000 subschemas", () => {
    const limit = SUBSCHEMA_COUNT_MAX - 1; // the root is one
    expect(findSchemaProblem({ properties: distinctPropertiesOf(limit - 1) })).toBeUndefined();
    expect(findSchemaProblem({ properties: distinctPropertiesOf(limit) })).toBeUndefined();
    expect(findSchemaProblem({ properties: distinctPropertiesOf(limit + 1) })).toBe(
      "the schema has more than 2000 subschemas",
    );
    expect(findSchemaProblem({ properties: propertiesOf(50_000) })).toMatch(/262144 bytes/);
  });

  it("T042: an enum of 30,000 values and 10 MB are refused by their limits", () => {
    expect(findSchemaProblem({ enum: Array.from({ length: 30_000 }, (_, i) => i) })).toBe(
      "the schema has more than 20000 values",
    );
    expect(findSchemaProblem({ description: "x".repeat(10_000_000) })).toMatch(/262144 bytes/);
  });
});

describe("references", () => {
  it.each<[string, JsonObject, RegExp | undefined]>([
    ["a tree", { type: "object", properties: { next: { $ref: "#" } } }, undefined],
    [
      "a definition",
      { $defs: { a: { type: "string" } }, properties: { x: { $ref: "#/$defs/a" } } },
      undefined,
    ],
    ["escaped and encoded parts", { $defs: { "a/b c": {} }, items: { $ref: "#/$defs/a~1b%20c" } }, undefined],
    ["an anchor", { $defs: { a: { $anchor: "it" } }, items: { $ref: "#it" } }, undefined],
    ["a place that is no keyword's", { "x-types": { a: {} }, items: { $ref: "#/x-types/a" } }, undefined],
    ["itself", { $ref: "#" }, /leads back to itself/],
    [
      "itself in two steps",
      { $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } } },
      /itself/,
    ],
    ["another host", { items: { $ref: "https://evil.example/s.json" } }, /leads outside/],
    ["a file", { items: { $ref: "file:///etc/passwd" } }, /leads outside/],
    ["nothing", { items: { $ref: "#/$defs/none" } }, /names nothing/],
    ["the prototype", { items: { $ref: "#/constructor" } }, /names nothing/],
    ["a number", { minLength: 3, items: { $ref: "#/minLength" } }, /names nothing/],
  ])("to %s", (_, schema, problem) => {
    if (problem === undefined) expect(findSchemaProblem(schema)).toBeUndefined();
    else expect(findSchemaProblem(schema)).toMatch(problem);
  });

  it("T040: a ladder of combinations is refused by what it expands to, at once", () => {
    const ladder = (rungs: number): JsonObject => ({
      $ref: "#/$defs/r0",
      $defs: Object.fromEntries(
        Array.from({ length: rungs }, (_, i) => {
          const next = { $ref: `#/$defs/r${i + 1}` };
          return [`r${i}`, i + 1 === rungs ? {} : { anyOf: [next, { ...next }] }] as [string, JsonObject];
        }),
      ),
    });
    expect(findSchemaProblem(ladder(8))).toBeUndefined();
    expect(findSchemaProblem(ladder(200))).toBe(
      `its combined schemas expand to more than ${EXPANSION_MAX} steps for one value`,
    );
  });
});

describe("keywords", () => {
  it.each([
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ])("T043: know %s", ($schema) => {
    expect(findSchemaProblem({ $schema, type: "object" })).toBeUndefined();
  });

  it.each(["https://example.com/schema", "draft-07", "", 7, null, {}])(
    "T043: refuse $schema %j",
    ($schema) => {
      expect(findSchemaProblem({ $schema, type: "object" })).toMatch(/"\$schema" is .*known are draft-04/);
    },
  );

  it.each<[JsonObject, string]>([
    [{ type: "text" }, '"type" must be'],
    [{ type: [] }, '"type" must be'],
    [{ properties: [] }, '"properties" must be'],
    [{ properties: { a: "string" } }, '"properties" must be'],
    [{ required: true }, '"required" must be'],
    [{ required: [1] }, '"required" must be'],
    [{ items: 3 }, '"items" must be'],
    [{ anyOf: {} }, '"anyOf" must be'],
    [{ enum: "a" }, '"enum" must be'],
    [{ minLength: -1 }, '"minLength" must be'],
    [{ pattern: 1 }, '"pattern" must be'],
    [{ dependencies: { a: 1 } }, '"dependencies" must be'],
  ])("of the wrong kind are refused with their place: %j", (schema, problem) => {
    expect(findSchemaProblem({ properties: { deep: { items: schema } } })).toContain(
      `at #/properties/deep/items: ${problem}`,
    );
  });

  it("T046: are read as own properties only", () => {
    const schema = JSON.parse(
      '{"type":"object","required":["toString","__proto__"],"properties":{"__proto__":{"type":"string"},"constructor":{},"length":{}}}',
    ) as JsonObject;
    expect(findSchemaProblem(schema)).toBeUndefined();
    const hidden = JSON.parse('{"properties":{"__proto__":{"type":"text"}}}') as JsonObject;
    expect(findSchemaProblem(hidden)).toContain("#/properties/__proto__");
  });

  it("leave a hostile pattern unread", () => {
    expect(findSchemaProblem({ properties: { a: { type: "string", pattern: "^(a+)+$" } } })).toBeUndefined();
  });
});

describe("x-mcp-header", () => {
  const on = (property: JsonObject): JsonObject => ({ type: "object", properties: { region: property } });
  it.each<[string, JsonObject, RegExp | undefined]>([
    ["a plain property", on({ type: "string", "x-mcp-header": "Region" }), undefined],
    [
      "a property of a property",
      on({ properties: { a: { type: "integer", "x-mcp-header": "A" } } }),
      undefined,
    ],
    ["a line end", on({ type: "string", "x-mcp-header": "A\r\nB: c" }), /not the name of a header/],
    ["letters beyond ASCII", on({ type: "string", "x-mcp-header": "Größe" }), /not the name of a header/],
    ["a number", on({ type: "number", "x-mcp-header": "N" }), /string, integer or boolean/],
    ["an alternative", on({ oneOf: [{ type: "string", "x-mcp-header": "A" }] }), /on properties only/],
    ["a list", on({ items: { type: "string", "x-mcp-header": "A" } }), /on properties only/],
    ["the root", { type: "object", "x-mcp-header": "A" }, /on properties only/],
    ["a secret", { properties: { api_key: { type: "string", "x-mcp-header": "K" } } }, /secret/],
    [
      "one name twice",
      {
        properties: {
          a: { type: "string", "x-mcp-header": "Same" },
          b: { type: "string", "x-mcp-header": "same" },
        },
      },
      /used twice/,
    ],
  ])("T050: on %s", (_, schema, problem) => {
    if (problem === undefined) expect(findSchemaProblem(schema)).toBeUndefined();
    else expect(findSchemaProblem(schema)).toMatch(problem);
  });
});

it("answers for any JSON, and never throws", () => {
  const keyword = fc.constantFrom(
    "properties",
    "items",
    "anyOf",
    "$ref",
    "$defs",
    "type",
    "required",
    "enum",
    "not",
  );
  const schema = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 6 },
      fc.jsonValue(),
      fc.constantFrom("#", "#/$defs/a", "#/properties"),
      tie("object"),
    ),
    object: fc.dictionary(fc.oneof(keyword, fc.string()), tie("any")),
  })).object as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(schema, (value) => ["undefined", "string"].includes(typeof findSchemaProblem(value))),
    { numRuns: 500 },
  );
});
