import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { diffSchemas } from "./schema-diff.ts";

function fields(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: "object", properties, required };
}

/** The lines for one property `x` that changed. */
function change(before: JsonObject, after: JsonObject): string[] {
  return diffSchemas(fields({ x: before }), fields({ x: after }));
}

describe("what changed in a schema", () => {
  it("is told one change a line, by path", () => {
    const before = fields(
      {
        title: { type: "string" },
        state: { enum: ["open", "closed"] },
        body: { type: "string" },
        limit: { type: "integer", minimum: 1 },
      },
      ["state"],
    );
    const after = fields(
      {
        title: { type: "string", description: "What it is called" },
        state: { type: "string" },
        labels: { type: "array", items: { type: "string" } },
        limit: { type: "integer", minimum: 5 },
        owner: { type: "string" },
      },
      ["title", "owner"],
    );
    expect(diffSchemas(before, after)).toEqual([
      "body was removed",
      "labels was added (optional)",
      "limit: minimum 1 became 5",
      "owner was added (required)",
      "state is optional now",
      'state: "open" | "closed" became string',
      "title is required now",
      "description of title changed",
    ]);
  });

  it("is nothing for equal schemas, whatever the order of their keys", () => {
    const one = { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a", "b"] };
    const other = { required: ["b", "a"], properties: { b: {}, a: { type: "string" } }, type: "object" };
    expect(diffSchemas(one, other)).toEqual([]);
    expect(diffSchemas(undefined, undefined)).toEqual([]);
  });

  it("a schema comes and goes as a whole", () => {
    const schema = fields({ sum: { type: "number" } }, ["sum"]);
    expect(diffSchemas(undefined, schema)).toEqual(["a schema was added: { sum: number }"]);
    expect(diffSchemas(schema, undefined)).toEqual(["the schema was removed: it was { sum: number }"]);
  });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    [
      "a type that becomes nullable",
      { type: "string" },
      { type: ["string", "null"] },
      ["x: string became string | null"],
    ],
    [
      "integers that become numbers",
      { type: "integer" },
      { type: "number" },
      ['x: type "integer" became "number"'],
    ],
    [
      "a limit that comes",
      { type: "string" },
      { type: "string", maxLength: 9 },
      ["x: maxLength 9 was added"],
    ],
    [
      "a limit that goes",
      { type: "string", format: "uri" },
      { type: "string" },
      ['x: format "uri" was removed'],
    ],
    ["a default", { default: "a" }, { default: "b" }, ['x: default "a" became "b"']],
    [
      "items",
      { type: "array", items: { type: "string" } },
      { type: "array", items: { type: "number" } },
      ["x[]: string became number"],
    ],
    [
      "a property of items",
      { type: "array", items: fields({ a: {} }) },
      { type: "array", items: fields({}) },
      ["x[].a was removed"],
    ],
    [
      "a nullable object",
      { type: ["object", "null"], properties: { a: {} } },
      { type: ["null", "object"], properties: {} },
      ["x.a was removed"],
    ],
    [
      "the values of a map",
      { type: "object", additionalProperties: { type: "string" } },
      { type: "object", additionalProperties: { type: "number" } },
      ["x[*]: string became number"],
    ],
    [
      "closing an object",
      { type: "object" },
      { type: "object", additionalProperties: false },
      ["x: additionalProperties false was added"],
    ],
    [
      "an object that becomes text",
      fields({ a: {} }),
      { type: "string" },
      ["x: { a?: unknown } became string"],
    ],
    [
      "what has no words",
      { type: "string", contentEncoding: "a" },
      { type: "string", contentEncoding: "b" },
      ["x: details changed (contentEncoding)"],
    ],
    [
      "a detail of an alternative",
      { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] },
      { anyOf: [{ type: "string" }, { type: "null" }] },
      ["x: details changed (anyOf)"],
    ],
  ])("names %s", (_, before, after, lines) => {
    expect(change(before, after)).toEqual(lines);
  });

  it("names the members of an enum that is too long to be written out", () => {
    const values = Array.from({ length: 20 }, (_, i) => `v${i}`);
    expect(change({ enum: values }, { enum: [...values.slice(0, -1), "new"] })).toEqual([
      'x: "new" may be given now',
      'x: "v19" may not be given any more',
    ]);
  });

  it("speaks of the schema itself at the top", () => {
    expect(diffSchemas({ type: "object", description: "a" }, { type: "array", description: "b" })).toEqual([
      "description of the schema changed",
      "the schema: object became unknown[]",
    ]);
  });
});

describe("references", () => {
  const withDefs = (defs: JsonObject, properties: JsonObject): JsonObject => ({
    ...fields(properties),
    $defs: defs,
  });
  const user = { $ref: "#/$defs/User" };

  it("are followed, and what two places share is told once", () => {
    const before = withDefs({ User: fields({ name: { type: "string" } }) }, { author: user, owner: user });
    const after = withDefs({ User: fields({ name: { type: "number" } }) }, { author: user, owner: user });
    expect(diffSchemas(before, after)).toEqual(["author.name: string became number"]);
  });

  it("a definition that is written in place is a change of the definitions alone", () => {
    const User = fields({ name: { type: "string" } });
    expect(diffSchemas(withDefs({ User }, { author: user }), fields({ author: User }))).toEqual([
      "the schema: details changed ($defs)",
    ]);
  });

  it("keywords beside a reference belong to its place", () => {
    const defs = { User: { type: "string" } };
    const before = withDefs(defs, { a: user, b: { ...user, default: "x" } });
    const after = withDefs(defs, { a: user, b: { ...user, default: "y", description: "new" } });
    expect(diffSchemas(before, after)).toEqual(['b: default "x" became "y"', "description of b changed"]);
  });

  it("a change that only an alternative refers to is not lost", () => {
    const schema = (minimum: number): JsonObject =>
      withDefs(
        { Size: { type: "number", minimum } },
        { x: { anyOf: [{ $ref: "#/$defs/Size" }, { type: "null" }] } },
      );
    expect(diffSchemas(schema(1), schema(2))).toEqual(["the schema: details changed ($defs)"]);
  });

  it("that lead in a circle or nowhere end", () => {
    const tree = (type: string): JsonObject =>
      withDefs(
        { Tree: fields({ value: { type }, left: { $ref: "#/$defs/Tree" } }) },
        { root: { $ref: "#/$defs/Tree" } },
      );
    expect(diffSchemas(tree("string"), tree("number"))).toEqual(["root.value: string became number"]);
    const loop = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } };
    expect(diffSchemas(loop, { ...loop, description: "x" })).toEqual(["description of the schema changed"]);
    expect(diffSchemas({ $ref: "#/nowhere" }, { $ref: "#/nowhere" })).toEqual([]);
  });
});

describe("bounds", () => {
  it("shows 40 changes and counts the rest", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, {}]));
    const lines = diffSchemas(fields({}), fields(many));
    expect(lines).toHaveLength(41);
    expect(lines.at(-1)).toBe("… and 10 more");
  });

  it("a chain of references deeper than the stack is cut, and says so", () => {
    const chain = (length: number, end: string): JsonObject => ({
      $ref: "#/$defs/n0",
      $defs: Object.fromEntries(
        Array.from({ length }, (_, i) => [
          `n${i}`,
          i === length - 1 ? { type: end } : fields({ next: { $ref: `#/$defs/n${i + 1}` } }),
        ]),
      ),
    });
    expect(diffSchemas(chain(9_000, "string"), chain(9_000, "number"))[0]).toBe(
      "the schemas are too large to be compared in full",
    );
  });

  it("names and values of strangers forge no line and are cut", () => {
    const evil = "a\nbody was removed\u202e";
    expect(diffSchemas(fields({}), fields({ [evil]: {} }))).toEqual([
      String.raw`["a\nbody was removed\u{202e}"] was added (optional)`,
    ]);
    const lines = change({ default: evil.repeat(1000) }, { default: "b", ["k".repeat(1_000)]: 1 });
    for (const line of lines) expect(line.length).toBeLessThan(200);
  });

  it("any JSON in the place of a schema is compared without a throw, and with itself is equal", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "items",
      "required",
      "enum",
      "anyOf",
      "$ref",
      "minimum",
      "$defs",
      "x",
      "__proto__",
    );
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false, 1, "object", "array", "string", "#/properties/x", "#", "x"),
        fc.array(tie("schema"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("schema"), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    const root = fc.dictionary(keyword, schema, { noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(root, root, (before, after) => {
        expect(diffSchemas(before, structuredClone(before))).toEqual([]);
        expect(diffSchemas(before, after).length).toBeLessThanOrEqual(41);
      }),
      { numRuns: 500 },
    );
  });
});
