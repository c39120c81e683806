import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../core/json.ts";
import { analyseCode } from "../../sandbox/analysis/program.ts";
import { createSchemaValidator } from "../../sandbox/schema/validator.ts";
import { inferInputSchema, inferOutputSchema, type InferenceSource } from "./infer-schema.ts";

const TOOLS: Readonly<Record<string, JsonObject>> = {
  "github.create_issue": {
    type: "object",
    properties: {
      repo: { type: "string", description: "owner/name", pattern: "^[^/]+/[^/]+$" },
      title: { type: "string", description: "Its title.", minLength: 1, default: "Untitled" },
      labels: { type: "array", items: { $ref: "#/$defs/label" }, maxItems: 3 },
      assignee: { $ref: "#/$defs/person", description: "Who does it." },
      milestone: {},
    },
    required: ["repo", "title"],
    additionalProperties: false,
    $defs: {
      label: { type: "string", enum: ["bug", "idea"] },
      person: {
        type: "object",
        description: "A person.",
        properties: {
          name: { type: "string", default: "me" },
          default: { type: "boolean" },
          boss: { $ref: "#/$defs/person" },
        },
        required: ["name"],
      },
    },
  },
  "slack.post": {
    type: "object",
    properties: { channel: { type: "string", format: "channel" }, text: { type: "string" }, title: {} },
    required: ["channel"],
  },
};

const schemaOf = (namespace: string, tool: string): JsonObject | undefined => TOOLS[`${namespace}.${tool}`];

function sourceOf(code: string): InferenceSource {
  const { analysis } = analyseCode(code);
  if (analysis.kind === "refused") throw new Error(`refused: ${JSON.stringify(analysis.problems)}`);
  return analysis.program;
}

const infer = (code: string, given?: JsonObject): JsonObject =>
  inferInputSchema(sourceOf(code), schemaOf, given);
const propertiesOf = (code: string, given?: JsonObject): Json => infer(code, given)["properties"]!;
const verdict = (schema: JsonObject, value: JsonObject): string =>
  createSchemaValidator(schema).validate(value).kind;

describe("the input schema", () => {
  it("of code that reads nothing takes nothing", () => {
    const nothing = { type: "object", properties: {}, additionalProperties: false };
    expect(infer("return 1")).toEqual(nothing);
    expect(infer("return 1", { x: 1 })).toEqual(nothing);
  });

  it("takes over the first sentences of a long description", () => {
    const description = `The text. ${"It may have Markdown. ".repeat(40)}`;
    const post = { type: "object", properties: { text: { type: "string", description } } };
    const source = { inputs: [], hasOpenInputs: false, wholeFlows: [{ namespace: "slack", tool: "post" }] };
    const { properties } = inferInputSchema(source, () => post) as {
      properties: { text: { description: string } };
    };
    expect(properties.text.description).toMatch(/^The text\. (?:It may have Markdown\. ?)+$/);
    expect(properties.text.description.length).toBeLessThanOrEqual(160);
  });

  it("has each input in source order, with the schema of the place that it goes into", () => {
    const schema = infer(`
      const { repo, labels = [] } = args;
      const issue = await mcp.github.create_issue({ repo, title: args.title, labels, assignee: args.who });
      if (args.channel) await mcp.slack.post({ channel: args.channel, text: \`\${issue.url} \${args.note}\` });`);
    expect(schema).toEqual({
      type: "object",
      properties: {
        repo: { type: "string", description: "owner/name", pattern: "^[^/]+/[^/]+$" },
        labels: { type: "array", items: { type: "string", enum: ["bug", "idea"] }, maxItems: 3, default: [] },
        title: { type: "string", description: "Its title.", minLength: 1 },
        who: {
          type: "object",
          description: "Who does it.",
          properties: { name: { type: "string" }, default: { type: "boolean" }, boss: {} },
          required: ["name"],
        },
        channel: { type: "string", format: "channel" },
        note: {},
      },
      required: ["repo", "title", "who", "note"],
      additionalProperties: false,
    });
    expect(Object.keys(schema["properties"] as JsonObject)).toEqual([
      "repo",
      "labels",
      "title",
      "who",
      "channel",
      "note",
    ]);
  });

  it("is never narrower than the tool's, whatever of it is not taken over", () => {
    const tool: JsonObject = {
      properties: {
        p: {
          properties: { a: { not: { type: "string" } } },
          patternProperties: { "^x-": {} },
          additionalProperties: false,
          oneOf: [{ not: {} }, {}],
        },
      },
    };
    const schema = inferInputSchema(sourceOf("mcp.t.u({ p: args.p })"), () => tool);
    expect(schema["properties"]).toEqual({ p: { properties: { a: {} }, anyOf: [{}, {}] } });
  });

  it("takes the first place that says something", () => {
    const code =
      "mcp.slack.post({ title: args.t }); mcp.nobody.knows({ x: args.t }); mcp.github.create_issue({ title: args.t })";
    expect(propertiesOf(code)).toMatchObject({ t: { type: "string", minLength: 1 } });
  });

  it("reaches into lists and persons, and into an argument as a whole", () => {
    expect(
      propertiesOf(
        "mcp.github.create_issue({ labels: [args.l], assignee: { name: args.n, boss: { name: args.b } } })",
      ),
    ).toEqual({
      l: { type: "string", enum: ["bug", "idea"] },
      n: { type: "string" },
      b: { type: "string" },
    });
    expect(propertiesOf("mcp.slack.post(args.message)")).toMatchObject({
      message: { type: "object", required: ["channel"] },
    });
  });

  it("takes the type of what was given where nothing else is known, and then of the default", () => {
    expect(
      propertiesOf("f(args.a, args.b, args.c ?? 5, args.d ?? null)", { a: [{ x: 1 }, { x: 2 }], b: null }),
    ).toEqual({
      a: { type: "array", items: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
      b: {},
      c: { type: "number", default: 5 },
      d: { default: null },
    });
  });

  it("requires what has no fallback and, after a run, what the run had", () => {
    const code = "f(args.a, args.b, args.c ?? 1)";
    expect(infer(code)["required"]).toEqual(["a", "b"]);
    expect(infer(code, { a: 1, c: 2 })["required"]).toEqual(["a"]);
    expect(infer(code, {})).not.toHaveProperty("required");
  });

  it("is open when the code may read more, and shows what else was given", () => {
    expect(infer("f(args.a); return Object.keys(args)", { a: "x", more: [1] })).toEqual({
      type: "object",
      properties: { a: { type: "string" }, more: { type: "array", items: { type: "number" } } },
      required: ["a"],
      additionalProperties: true,
    });
  });

  it("takes over the inputs of a tool that gets all of args", () => {
    expect(infer("f(args.text ?? 'x'); mcp.slack.post(args)")).toEqual({
      type: "object",
      properties: {
        text: { type: "string", default: "x" },
        channel: { type: "string", format: "channel" },
        title: {},
      },
      required: ["channel"],
      additionalProperties: true,
    });
    expect(infer("mcp.slack.post({ ...args, channel: 'general' })")).toEqual({
      type: "object",
      properties: { text: { type: "string" }, title: {} },
      additionalProperties: true,
    });
    expect(infer("mcp.slack.post(args)", { text: "x" })).not.toHaveProperty("required");
  });

  it("takes over nothing when several tools get all of args", () => {
    expect(infer("mcp.slack.post(args); mcp.github.create_issue(args)")).toEqual({
      type: "object",
      properties: {},
      additionalProperties: true,
    });
  });

  it("is safe with the names that every object has", () => {
    const given = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "toString": "t"}') as JsonObject;
    const schema = infer("f(args.__proto__, args.constructor, args.toString)", given);
    expect(Object.keys(schema["properties"] as JsonObject)).toEqual(["__proto__", "constructor", "toString"]);
    expect(verdict(schema, given)).toBe("valid");
    expect(infer("f(args.__proto__, args.constructor)", {})).not.toHaveProperty("required");
  });
});

/** Schemas as servers write them, sound and unsound. */
function schemasOf(depth: number): fc.Arbitrary<JsonObject> {
  const below = depth === 0 ? fc.constant({}) : schemasOf(depth - 1);
  const keywords = {
    type: fc.constantFrom<Json>(
      "string",
      "number",
      "integer",
      "object",
      "array",
      "boolean",
      ["string", "null"],
      "odd",
    ),
    description: fc.string(),
    enum: fc.array(fc.constantFrom<Json>("a", 1, null, true), { maxLength: 3 }),
    minimum: fc.integer({ min: -3, max: 3 }),
    exclusiveMaximum: fc.integer({ min: -3, max: 3 }),
    multipleOf: fc.constantFrom(2, 0.1, 0),
    minLength: fc.nat(3),
    maxLength: fc.nat(3),
    pattern: fc.constantFrom("^a", "("),
    properties: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), below, { maxKeys: 2 }),
    required: fc.constantFrom(["a"], ["b", "c"]),
    additionalProperties: fc.oneof(fc.boolean(), below),
    patternProperties: fc.constant({ "^a": { type: "string" } }),
    items: below,
    uniqueItems: fc.boolean(),
    minItems: fc.nat(2),
    oneOf: fc.array(below, { maxLength: 2 }),
    allOf: fc.array(below, { maxLength: 2 }),
    not: fc.constant({ type: "string" }),
    $ref: fc.constantFrom("#", "#/properties/a", "#/nowhere"),
    default: fc.constantFrom<Json>(null, 1, "x"),
  };
  return fc
    .subarray(Object.keys(keywords) as (keyof typeof keywords)[], { maxLength: 6 })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, keywords[name] as fc.Arbitrary<Json>]))),
    );
}

const jsonArbitrary: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>("a", 1, null, ["a", "a"], { a: "a" }),
);

const namesArbitrary = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
const readArbitrary = fc.constantFrom(
  (n: string) => `f(args[${n}]);`,
  (n: string) => `mcp.t.u({ a: args[${n}] });`,
  (n: string) => `mcp.t.u({ b: args[${n}] ?? "d" });`,
  (n: string) => `const { [${n}]: v = 5 } = args; mcp.t.u({ a: { b: [v] } });`,
  (n: string) => `if (args[${n}]) mcp.t.u(args[${n}]);`,
  () => "mcp.t.u(args);",
  () => "mcp.t.u({ ...args, b: 1 });",
);

describe("for random values", () => {
  it("the inferred input schema is sound and accepts what was given, whatever the code and the tools", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(readArbitrary, namesArbitrary), { maxLength: 5 }),
        fc.dictionary(namesArbitrary, jsonArbitrary),
        fc.oneof(schemasOf(3), fc.record({ properties: fc.record({ a: schemasOf(2), b: schemasOf(2) }) })),
        (reads, inputs, toolSchema) => {
          const source = sourceOf(
            reads.map(([read, name]) => `{ ${read(JSON.stringify(name))} }`).join("\n"),
          );
          const isRead = (name: string): boolean => source.inputs.some((input) => input.name === name);
          const given = Object.fromEntries(
            Object.entries(inputs).filter(([name]) => source.hasOpenInputs || isRead(name)),
          );
          const schema = inferInputSchema(source, () => toolSchema, given);
          expect([schema, verdict(schema, given)]).toEqual([schema, "valid"]);
          expect(
            verdict(
              inferInputSchema(source, () => toolSchema),
              given,
            ),
          ).not.toBe("unchecked");
        },
      ),
      { numRuns: 600 },
    );
  });
});

it("the output schema is that of an object, and there is none for anything else", () => {
  expect(inferOutputSchema({ labelled: 3, issues: [{ n: 1 }, { n: 2 }] })).toEqual({
    type: "object",
    properties: {
      labelled: { type: "number" },
      issues: {
        type: "array",
        items: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      },
    },
  });
  for (const other of [null, 1, "x", true, [{}]]) expect(inferOutputSchema(other)).toBeUndefined();
});
