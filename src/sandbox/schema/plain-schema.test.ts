import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { createArgumentCheck } from "./argument-check.ts";
import { plainCheckOf } from "./plain-schema.ts";

const issue: JsonObject = {
  type: "object",
  description: "An issue.",
  properties: {
    title: { type: "string", description: "What it is called." },
    count: { type: "integer" },
    isOpen: { type: "boolean" },
    anything: {},
  },
  required: ["title"],
  additionalProperties: false,
};

it("knows that arguments fit a schema of single values", () => {
  const fits = plainCheckOf(issue)!;
  expect(fits({ title: "a" })).toBe(true);
  expect(fits({ title: "a", count: 2, isOpen: true, anything: [1] })).toBe(true);
});

it.each([
  {},
  { title: 1 },
  { title: "a", count: 1.5 },
  { title: "a", isOpen: "yes" },
  { title: "a", other: 1 },
  JSON.parse('{"title":"a","__proto__":{"count":1}}') as JsonObject,
])("does not say so of %j", (args) => {
  expect(plainCheckOf(issue)!(args)).toBe(false);
});

it.each<[string, JsonObject]>([
  ["a default", { properties: { n: { type: "number", default: 1 } } }],
  ["a bound", { properties: { n: { type: "number", minimum: 1 } } }],
  ["a nested schema", { properties: { o: { type: "object", properties: {} } } }],
  ["several types", { properties: { n: { type: ["number", "null"] } } }],
  ["a keyword of the whole", { anyOf: [{ required: ["a"] }] }],
  ["an unknown dialect", { $schema: "https://example.com/mine" }],
])("leaves a schema with %s to the thread", (_what, schema) => {
  expect(plainCheckOf(schema)).toBeUndefined();
});

it("never takes for fitting what the thread refuses", async () => {
  const check = createArgumentCheck({ budgetMs: 10_000 });
  const type = fc.constantFrom("string", "number", "integer", "boolean");
  const names = fc.constantFrom("a", "b", "c", "__proto__");
  const schemas = fc.record({
    properties: fc.dictionary(names, fc.record({ type })),
    required: fc.uniqueArray(names),
    additionalProperties: fc.boolean(),
  });
  const args = fc.dictionary(
    names,
    fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
  );
  try {
    await fc.assert(
      fc.asyncProperty(schemas, args, async (schema, given) => {
        const plain = JSON.parse(JSON.stringify(schema)) as JsonObject;
        const values = JSON.parse(JSON.stringify(given)) as JsonObject;
        if (plainCheckOf(plain)?.(values) !== true) return;
        // A keyword that changes nothing sends it to the thread.
        const { kind } = await check.check({ ...plain, minProperties: 0 }, values);
        expect(kind).toBe("valid");
      }),
    );
  } finally {
    await check.close();
  }
});
