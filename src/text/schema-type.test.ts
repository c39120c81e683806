import { expect, it } from "vitest";
import type { Json, JsonObject } from "../core/json.ts";
import { requiresSomething, typeText } from "./schema-type.ts";
import { DECLARED_INPUT, DECLARED_OUTPUT, SHOWN } from "./type-style.ts";

const declared = (schema: Json): string => typeText(schema, DECLARED_OUTPUT);
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

it("declares what each keyword means", () => {
  const cases: [schema: Json, type: string][] = [
    [true, "any"],
    [{}, "any"],
    [false, "never"],
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "string", nullable: true }, "string | null"],
    [{ enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
    [{ enum: [{ a: 1 }, "x"] }, "any"],
    [{ const: "x" }, '"x"'],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "string | number"],
    [{ oneOf: [{ type: "string" }, {}] }, "any"],
    [{ allOf: [object({ a: { type: "string" } }), object({ b: {} })] }, "{ a?: string } & { b?: any }"],
    [{ type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
    [{ items: { type: "string" } }, "string[]"],
    [
      { prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 1 },
      "[string, number?]",
    ],
    [{ type: "array", items: [{ type: "string" }], minItems: 1 }, "[string, ...any[]]"],
    [{ type: "object" }, "any"],
    [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    [object({ a: { type: "string" } }, { additionalProperties: false }), "{ a?: string }"],
    [
      object({ a: { type: "string" } }, { additionalProperties: { type: "number" } }),
      "{ a?: string; [key: string]: any }",
    ],
    [object({ a: {} }, { required: ["a", "b"] }), "{ a: any; b: any }"],
    [object({ "x-y": {}, __proto__x: {} }), '{ "x-y"?: any; __proto__x?: any }'],
  ];
  for (const [schema, type] of cases) expect(declared(schema), JSON.stringify(schema)).toBe(type);
});

it("combines a schema's own properties with the branches beside them", () => {
  const schema = object({ a: { type: "string" } }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] });
  expect(declared(schema)).toBe("{ a?: string } & ({ a: any } | { b: any })");
  expect(declared({ type: "object", anyOf: [object({ a: {} }), object({ b: {} })] })).toBe(
    "{ a?: any } | { b?: any }",
  );
});

it("follows references by their pointers and cuts recursion", () => {
  const tree = object(
    { "a/b": { $ref: "#/$defs/a~1b" }, next: { $ref: "#" }, other: { $ref: "https://x.example/s.json" } },
    { $defs: { "a/b": { type: "string" } } },
  );
  expect(declared(tree)).toBe(
    '{ "a/b"?: string; next?: { "a/b"?: string; next?: any; other?: any }; other?: any }',
  );
  expect(declared({ $ref: "#" })).toBe("any");
  expect(declared({ $ref: "#/$defs/0", $defs: [{ type: "null" }] })).toBe("null");
  expect(declared({ $ref: "#/%E0%A4%A", "%E0%A4%A": { type: "null" } })).toBe("null");
});

it("widens what it leaves out, and stays bounded", () => {
  const names = Array.from({ length: 500 }, (_, i) => `v${i}`);
  expect(declared({ enum: names })).toMatch(/^"v0" \| .* \| "v199" \| string$/);
  expect(declared({ enum: ["x".repeat(1000), "y"] })).toBe('string | "y"');
  expect(declared(object(Object.fromEntries(names.map((name) => [name, {}]))))).toMatch(
    /v299\?: any; \[key: string\]: any \}$/,
  );
  expect(declared({ anyOf: names.map((name) => ({ const: name })) })).toBe("any");
  expect(declared(object({ ["x".repeat(300)]: {}, a: {} }))).toBe("{ a?: any; [key: string]: any }");
  const doubling = Object.fromEntries(
    names.map((name, i) => [
      name,
      object({ a: { $ref: `#/$defs/v${i + 1}` }, b: { $ref: `#/$defs/v${i + 1}` } }),
    ]),
  );
  for (const style of [DECLARED_OUTPUT, { ...DECLARED_INPUT, docs: true }, SHOWN]) {
    expect(typeText({ $ref: "#/$defs/v0", $defs: doubling }, style).length).toBeLessThan(150_000);
  }
});

it("lets a required property with a default be left out of what a tool takes", () => {
  const schema = object({ n: { type: "number", default: 5 }, s: {} }, { required: ["n", "s"] });
  expect(typeText(schema, DECLARED_INPUT)).toBe("{ n?: number; s: any }");
  expect(declared(schema)).toBe("{ n: number; s: any }");
});

it("knows whether something is required, also through allOf, anyOf and references", () => {
  const needy: JsonObject = { required: ["a"] };
  for (const schema of [
    needy,
    { allOf: [{}, needy] },
    { anyOf: [needy, needy] },
    { $ref: "#/$defs/x", $defs: { x: needy } },
  ])
    expect(requiresSomething(schema)).toBe(true);
  for (const schema of [
    {},
    { anyOf: [needy, {}] },
    { $ref: "#" },
    object({ a: { default: 1 } }, { required: ["a"] }),
  ])
    expect(requiresSomething(schema)).toBe(false);
});

it("writes descriptions as comments, on as many lines as they have", () => {
  const schema = object({
    a: { type: "string", description: "One\ntwo" },
    b: object({ c: { description: "See" } }),
  });
  expect(typeText(schema, { ...DECLARED_INPUT, docs: true })).toBe(`{
  /**
   * One
   * two
   */
  a?: string;
  b?: {
    /** See */
    c?: any;
  };
}`);
});
