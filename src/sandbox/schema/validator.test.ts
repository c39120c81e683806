import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { createSchemaValidator, type SchemaVerdict } from "./validator.ts";

const validate = (schema: JsonObject, args: JsonObject, fillDefaults = false): SchemaVerdict =>
  createSchemaValidator(schema).validate(args, fillDefaults);
const kindOf = (schema: JsonObject, args: JsonObject): string => validate(schema, args).kind;
const parse = (text: string): JsonObject => JSON.parse(text) as JsonObject;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

describe("dialects", () => {
  const name = (dialect: string): JsonObject => ({ $schema: dialect });

  test.each([
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ])("T043 %s is checked", (dialect) => {
    const schema = object({ a: { type: "string" } }, { ...name(dialect), required: ["a"] });
    expect([kindOf(schema, { a: "x" }), kindOf(schema, { a: 1 }), kindOf(schema, {})]).toEqual([
      "valid",
      "invalid",
      "invalid",
    ]);
  });

  test.each<[string, JsonObject]>([
    ["unknown", name("https://json-schema.org/draft/2099-01/schema")],
    ["garbage", name("nonsense")],
    ["no text", { $schema: 7 }],
  ])(
    "T043 a dialect that is %s leaves the arguments unchecked, with its name in the reason",
    (_, dialect) => {
      expect(validate(object({ a: { type: "string" } }, dialect), { a: 1 })).toEqual({
        kind: "unchecked",
        reason: expect.stringContaining(JSON.stringify(dialect["$schema"])),
      });
    },
  );

  test("T043 a schema without a dialect is read as 2020-12", () => {
    const schema = object(
      { pair: { prefixItems: [{ type: "string" }], items: false } },
      { dependentRequired: { a: ["b"] } },
    );
    expect(kindOf(schema, { pair: ["a", "b"] })).toBe("invalid");
    expect(kindOf(schema, { a: 1 })).toBe("invalid");
  });

  test("T043 a schema without a dialect may have a tuple in the old form", () => {
    const schema = object({ pair: { items: [{ type: "string" }], additionalItems: false } });
    expect([kindOf(schema, { pair: ["a"] }), kindOf(schema, { pair: ["a", 1] })]).toEqual([
      "valid",
      "invalid",
    ]);
  });

  test("T043 draft-04 has flags for its limits, an id, and none of the later keywords", () => {
    const schema = object(
      { n: { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }, c: { const: 1 } },
      { $schema: "http://json-schema.org/draft-04/schema#", id: "http://example.com/x" },
    );
    expect([kindOf(schema, { n: 0 }), kindOf(schema, { n: 9, c: 2 })]).toEqual(["invalid", "valid"]);
  });

  test("T043 draft-04 with an id below its root is unchecked", () => {
    const schema = object(
      { a: { id: "http://example.com/a" } },
      { $schema: "http://json-schema.org/draft-04/schema#" },
    );
    expect(kindOf(schema, {})).toBe("unchecked");
  });

  test("T043 up to draft-07 the keywords beside a $ref do not count, and later they do", () => {
    const schema = object(
      { a: { $ref: "#/definitions/text", maxLength: 1 } },
      { definitions: { text: { type: "string" } } },
    );
    expect(kindOf({ ...schema, ...name("http://json-schema.org/draft-07/schema#") }, { a: "long" })).toBe(
      "valid",
    );
    expect(kindOf(schema, { a: "long" })).toBe("invalid");
  });
});

describe("own properties", () => {
  test("T046 a required name that every object inherits is missing until it is given", () => {
    const schema = { type: "object", required: ["toString", "constructor", "length", "__proto__"] };
    const verdict = validate(schema, {});
    expect(verdict).toMatchObject({
      kind: "invalid",
      problems: [{ path: "toString" }, {}, {}, { path: "__proto__" }],
    });
    expect(kindOf(schema, parse('{"toString":1,"constructor":1,"length":1,"__proto__":1}'))).toBe("valid");
  });

  test("T046 a property called __proto__ is checked like any other", () => {
    const schema = parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"additionalProperties":false}',
    );
    expect(kindOf(schema, parse('{"__proto__":"a"}'))).toBe("valid");
    expect(validate(schema, parse('{"__proto__":1}'))).toEqual({
      kind: "invalid",
      problems: [{ path: "__proto__", message: "must be a string" }],
    });
    expect(kindOf(object({ a: {} }, { additionalProperties: false }), parse('{"__proto__":1}'))).toBe(
      "invalid",
    );
  });

  test("T046 properties called constructor and length are not taken from the object itself", () => {
    const schema = object({ constructor: { type: "string" }, length: { type: "integer" } });
    expect([
      kindOf(schema, {}),
      kindOf(schema, { constructor: "a", length: 1 }),
      kindOf(schema, { length: "1" }),
    ]).toEqual(["valid", "valid", "invalid"]);
  });
});

describe("values", () => {
  test.each<[JsonObject, JsonObject]>([
    [{ type: "integer" }, { a: "1" }],
    [{ type: "string" }, { a: 1 }],
    [{ type: "boolean" }, { a: "true" }],
    [{ type: "array" }, { a: "x" }],
    [{ type: "string" }, { a: null }],
  ])("T045 %j does not take %j", (schema, args) => {
    expect(kindOf(object({ a: schema }), args)).toBe("invalid");
  });

  test("T048 numbers and lone surrogates are taken as they are", () => {
    const schema = object({ n: { type: "integer" }, s: { type: "string", maxLength: 1 } });
    const args = parse('{"n":1.0,"s":"\\ud800"}');
    expect(kindOf(schema, args)).toBe("valid");
    expect(validate(object({ z: { type: "number", default: 1 } }), { z: -0 }, true)).toEqual({
      kind: "valid",
      filled: { z: -0 },
    });
  });

  test("a price is a multiple of a cent", () => {
    expect(kindOf(object({ price: { multipleOf: 0.01 } }), { price: 19.99 })).toBe("valid");
  });

  test("a format is an annotation", () => {
    expect(kindOf(object({ mail: { type: "string", format: "email" } }), { mail: "no" })).toBe("valid");
  });
});

describe("defaults", () => {
  const schema = object({
    limit: { type: "integer", default: 10 },
    filter: object({ state: { default: "open" } }),
  });

  test("T045 are filled in only when asked for, and never in the arguments that were given", () => {
    const args = { filter: {} };
    expect(validate(schema, args)).toEqual({ kind: "valid" });
    expect(validate(schema, args, true)).toEqual({
      kind: "valid",
      filled: { limit: 10, filter: { state: "open" } },
    });
    expect(args).toEqual({ filter: {} });
  });

  test("satisfy what is required", () => {
    expect(validate({ ...schema, required: ["limit"] }, {}, true)).toEqual({
      kind: "valid",
      filled: { limit: 10 },
    });
  });

  test("of null that the type refuses are no defaults", () => {
    const odd = object({ a: { type: "string", default: null }, b: { default: 1 } });
    expect(validate(odd, {}, true)).toEqual({ kind: "valid", filled: { b: 1 } });
  });

  test("that their own schema refuses are not held against the caller", () => {
    const odd = object({ a: { type: "string", default: 5 }, b: { type: "string" } });
    expect(validate(odd, {}, true)).toEqual({ kind: "valid" });
    expect(validate(odd, { b: 1 }, true)).toEqual({
      kind: "invalid",
      problems: [{ path: "b", message: "must be a string" }],
    });
  });

  test("T046 of inherited names are not filled in", () => {
    const odd = object({ constructor: { type: "string", default: "a" }, length: { default: 1 } });
    expect(validate(odd, {}, true)).toEqual({ kind: "valid", filled: { length: 1 } });
  });
});

describe("patterns that RE2 cannot express", () => {
  const beyond = "^(?!x)";

  test("constrain nothing, and the rest is checked", () => {
    const schema = object({ a: { type: "string", pattern: beyond }, b: { type: "number" } });
    expect(kindOf(schema, { a: "x", b: 1 })).toBe("valid");
    expect(validate(schema, { a: "x", b: "1" })).toMatchObject({ problems: [{ path: "b" }] });
  });

  test("make every property known and none of them wrong", () => {
    const schema = {
      type: "object",
      patternProperties: { [beyond]: { type: "number" } },
      additionalProperties: false,
    };
    expect(kindOf(schema, { a: "text" })).toBe("valid");
  });

  test("leave the arguments unchecked where to take more is to refuse more", () => {
    const schema = object({ a: { oneOf: [{ pattern: beyond }, { pattern: "^y$" }] }, b: { type: "number" } });
    expect(kindOf(schema, { a: "y" })).toBe("unchecked");
  });

  test("are told apart from those that it can", () => {
    const schema = object({ a: { pattern: "^a$" }, b: { pattern: "^b$" } });
    expect(validate(schema, { a: "a", b: "a" })).toMatchObject({ problems: [{ path: "b" }] });
  });
});

describe("schemas that cannot be used", () => {
  test.each<[string, JsonObject]>([
    ["T042 is a reference to itself", { $ref: "#" }],
    [
      "T042 is a circle of references",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    ],
    ["refers to another document", object({ a: { $ref: "https://example.com/x.json" } })],
    ["refers to nothing", object({ a: { $ref: "#/$defs/none" } })],
    ["T044 describes a text", { type: "string" }],
    ["has a type that does not exist", object({ a: { type: "any" } })],
    ["has a text for a schema", object({ a: "string" })],
    ["has an empty choice", object({ a: { anyOf: [] } })],
    ["has an empty enum", object({ a: { enum: [] } })],
    ["requires a number", { type: "object", required: [5] }],
    ["wants multiples of nothing", object({ a: { multipleOf: 0 } })],
  ])("one that %s leaves the arguments unchecked", (_, schema) => {
    expect(validate(schema, { a: 1 })).toEqual({
      kind: "unchecked",
      reason: expect.stringContaining("the schema"),
    });
  });

  test("are not those with keywords that mean nothing", () => {
    const schema = object(
      { a: { type: "string", nullable: false, id: "x", example: 1 }, b: { nullable: true } },
      { $async: true },
    );
    expect([kindOf(schema, { a: "x", b: 1 }), kindOf(schema, { a: 1 })]).toEqual(["valid", "invalid"]);
  });

  test("are not those that share an $id", () => {
    const [one, two] = [{ type: "string" }, { type: "number" }].map((a) => object({ a }, { $id: "args" }));
    expect([kindOf(one!, { a: "x" }), kindOf(two!, { a: 1 })]).toEqual(["valid", "valid"]);
  });
});
