import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../core/json.ts";
import { createSchemaValidator } from "./validator.ts";

/** Each problem as one line: path, then message. */
function problemsOf(schema: JsonObject, args: JsonObject): string[] {
  const verdict = createSchemaValidator(schema).validate(args);
  if (verdict.kind !== "invalid") throw new Error(`the arguments are ${verdict.kind}`);
  return verdict.problems.map(({ path, message }) => `${path} ${message}`.trim());
}

function problemsOfValue(schema: JsonObject, value: Json): string[] {
  return problemsOf({ type: "object", properties: { value: schema } }, { value });
}

const object = (properties: JsonObject, ...required: string[]): JsonObject => ({
  type: "object",
  properties,
  required,
});

describe("the words for one keyword", () => {
  test.each<[JsonObject, Json, string]>([
    [{ type: "string" }, 1, "must be a string"],
    [{ type: ["string", "integer", "null"] }, true, "must be a string, an integer or null"],
    [{ enum: ["open", "closed"] }, "opened", 'is not one of "open", "closed"'],
    [{ const: 1 }, 2, "must be 1"],
    [{ minimum: 1 }, 0, "must be at least 1"],
    [{ maximum: 1 }, 2, "must be at most 1"],
    [{ exclusiveMinimum: 0 }, 0, "must be above 0"],
    [{ exclusiveMaximum: 0 }, 0, "must be below 0"],
    [{ multipleOf: 5 }, 7, "must be a multiple of 5"],
    [{ minLength: 1 }, "", "must have at least 1 character"],
    [{ maxLength: 2 }, "abc", "must have at most 2 characters"],
    [{ minItems: 2 }, [], "must have at least 2 items"],
    [{ maxItems: 1 }, [1, 2], "must have at most 1 item"],
    [{ minProperties: 2 }, {}, "must have at least 2 properties"],
    [{ maxProperties: 0 }, { a: 1 }, "must have at most 0 properties"],
    [{ pattern: "^a" }, "b", "does not match the pattern ^a"],
    [{ uniqueItems: true }, [1, 2, 1], "must not hold the same item twice; items 0 and 2 are equal"],
    [{ not: { type: "string" } }, "a", "has a form that the schema excludes"],
    [
      { contains: { type: "string" } },
      [1],
      "must have at least 1 of its items in the form that the schema asks for",
    ],
  ])("%j refuses %j", (schema, value, words) => {
    expect(problemsOfValue(schema, value)).toEqual([`value ${words}`]);
  });

  test("names a property that is missing by its own path", () => {
    const schema = object(
      { labels: { type: "array", items: object({ name: { type: "string" } }, "name") } },
      "title",
    );
    expect(problemsOf(schema, { labels: [{ name: "a" }, {}] })).toEqual([
      "title is missing",
      "labels[1].name is missing",
    ]);
  });

  test("asks whether a missing property was given under another name", () => {
    expect(problemsOf(object({ title: {} }, "title"), { titel: "a" })).toEqual([
      'title is missing; did you give it as "titel"?',
    ]);
  });

  test("names the nearest property for one that is unknown", () => {
    const schema = { ...object({ title: {}, body: {} }), additionalProperties: false };
    expect(problemsOf(schema, { titel: "a", zzz: 1 })).toEqual([
      'unknown property "titel"; did you mean "title"?',
      'unknown property "zzz"',
    ]);
  });

  test("says what a property needs beside it", () => {
    expect(problemsOf({ type: "object", dependentRequired: { a: ["b"] } }, { a: 1 })).toEqual([
      'b is missing; it is needed beside "a"',
    ]);
  });

  test("says why a property's name is not allowed", () => {
    expect(problemsOf({ type: "object", propertyNames: { maxLength: 1 } }, { ab: 1 })).toEqual([
      'the property name "ab" is not allowed: it must have at most 1 character',
    ]);
  });

  test("says what a condition asks for, and not that there is one", () => {
    const schema = JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}') as JsonObject;
    expect(problemsOf(schema, { a: 1 })).toEqual(["b is missing"]);
  });

  test("cuts a long list of values and names the nearest", () => {
    const [problem] = problemsOfValue({ enum: Array.from({ length: 100 }, (_, i) => `city-${i}`) }, "city99");
    expect(problem).toContain('value is not one of 100 values: "city-0", ');
    expect(problem).toMatch(/…; did you mean "city-99"/);
  });

  test("writes names that are no identifiers in brackets", () => {
    const schema = object({ "a b": object({ "c/d~e": { type: "array", items: { type: "number" } } }) });
    expect(problemsOf(schema, { "a b": { "c/d~e": ["x"] } })).toEqual([
      '["a b"]["c/d~e"][0] must be a number',
    ]);
  });

  test("tells at most ten problems", () => {
    const names = Array.from({ length: 30 }, (_, i) => `p${i}`);
    expect(problemsOf(object({}, ...names), {})).toHaveLength(10);
  });
});

describe("the words for anyOf and oneOf", () => {
  const circle = object({ kind: { const: "circle" }, radius: { type: "number" } }, "kind", "radius");
  const square = object({ kind: { const: "square" }, side: { type: "number" } }, "kind", "side");

  test.each<[string, JsonObject, Json, string[]]>([
    ["types", { anyOf: [{ type: "string" }, { type: "null" }] }, 1, ["value must be a string or null"]],
    ["fixed values", { oneOf: [{ const: "a" }, { enum: ["b"] }] }, "c", ['value is not one of "a", "b"']],
    ["both", { anyOf: [{ const: "auto" }, { type: "number" }] }, "x", ['value must be "auto" or a number']],
    [
      "the branch of the value's type",
      { anyOf: [square, { type: "null" }] },
      { kind: "square" },
      ["value.side is missing"],
    ],
    [
      "the branch that a property names",
      { oneOf: [circle, square] },
      { kind: "square" },
      ["value.side is missing"],
    ],
    [
      "what can be named",
      { oneOf: [circle, square] },
      { kind: "line" },
      ['value.kind is not one of "circle", "square"'],
    ],
    [
      "what can be given",
      { anyOf: [{ required: ["url"] }, { required: ["html", "css"] }] },
      {},
      ['value needs "url" or "html" and "css"'],
    ],
    [
      "the nearest branch",
      { anyOf: [object({ y: { type: "string" } }, "x", "w"), object({ y: { type: "number" } }, "z")] },
      { y: true },
      ["value fits none of the 2 allowed forms; for the nearest of them, value.z is missing"],
    ],
    [
      "that several fit",
      { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      { a: 1, b: 1 },
      ["value fits more than one of the allowed forms; give only what belongs to one of them"],
    ],
  ])("tell %s", (_, schema, value, problems) => {
    expect(problemsOfValue(schema, value)).toEqual(problems);
  });

  test("find the branch behind a reference that leads to itself", () => {
    const schema = {
      ...object({ tree: { anyOf: [{ $ref: "#/$defs/leaf" }, { $ref: "#/$defs/node" }] } }),
      $defs: {
        leaf: object({ kind: { const: "leaf" }, next: { $ref: "#/$defs/leaf" } }, "kind", "value"),
        node: object({ kind: { const: "node" }, child: { $ref: "#/$defs/node" } }, "kind", "name"),
      },
    };
    expect(problemsOf(schema, { tree: { kind: "node" } })).toEqual(["tree.name is missing"]);
  });

  test("leave the problems beside them alone", () => {
    const schema = {
      ...object({ a: { type: "string" } }, "b"),
      anyOf: [{ required: ["c"] }, { required: ["d"] }],
    };
    expect(problemsOf(schema, { a: 1 }).toSorted()).toEqual([
      "a must be a string",
      "b is missing",
      'needs "c" or "d"',
    ]);
  });
});
