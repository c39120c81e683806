import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../core/json.ts";
import { readWorkflow } from "./read-workflow.ts";
import { nodesOf, problemsOf, requireValid, textOf, validateText } from "./workflow.testkit.ts";

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const named = (count: number, value: Json): JsonObject =>
  Object.fromEntries(many(count, (i): [string, Json] => [`n${i}`, value]));

describe("a workflow that is right", () => {
  it("has every default filled in", () => {
    const { workflow } = requireValid({
      inputs: { q: { type: "string" }, n: { type: "integer", default: 3, required: true } },
      outputs: { x: { source: "${a.x}" } },
      nodes: [
        { id: "a", type: "t", on_error: "h" },
        {
          id: "b",
          type: "t",
          params: { q: "${q}" },
          batch: { items: [1] },
          retry: { max: 2 },
          approval: true,
        },
        { id: "h", type: "t", on_error: "continue", approval: { message: "Go on?" } },
      ],
      edges: [
        { from: "a", to: "b" },
        { from: "a", to: "b", action: "success" },
        { from: "a", to: "h", action: "error" },
      ],
    });
    expect(workflow).toEqual({
      irVersion: "1.0",
      description: "",
      inputs: new Map([
        ["q", { type: "string", isRequired: true, description: "", isSensitive: false }],
        ["n", { type: "integer", isRequired: false, default: 3, description: "", isSensitive: false }],
      ]),
      outputs: new Map([["x", { source: "${a.x}", description: "" }]]),
      nodes: [
        { id: "a", type: "t", params: {}, onError: "route" },
        {
          id: "b",
          type: "t",
          params: { q: "${q}" },
          batch: { items: [1], concurrency: 4, onError: "fail" },
          retry: { max: 2, delayMs: 1_000, maxDelayMs: 30_000 },
          onError: "fail",
          approval: {},
        },
        { id: "h", type: "t", params: {}, onError: "continue", approval: { message: "Go on?" } },
      ],
      edges: [
        { from: "a", to: "b", action: "success" },
        { from: "a", to: "h", action: "error" },
      ],
    });
  });

  it("may begin with a byte order mark and end its lines as on Windows", () => {
    const text = `\uFEFF${JSON.stringify(JSON.parse(textOf({ oops: 1 })), null, 2).replaceAll("\n", "\r\n")}`;
    expect(validateText(text.replace(/,\r\n\s+"oops": 1/, ""))).toMatchObject({ ok: true });
    expect(validateText(text)).toMatchObject({
      ok: false,
      problems: [{ place: "oops", line: 9, column: 3 }],
    });
  });

  it("may have an input default of any JSON, with keys of any name", () => {
    const given = JSON.parse('{"__proto__": {"x": "${no template}"}, "any key": 1}') as Json;
    const { workflow } = requireValid({ inputs: { o: { type: "object", default: given } } });
    expect(JSON.stringify(workflow.inputs.get("o")!.default)).toBe(JSON.stringify(given));
  });
});

describe("a text that cannot be read", () => {
  it.each([
    ["", "Not valid JSON: value expected.", { line: 1, column: 1 }],
    ['{\r\n  "a": 1,\r\n  b\r\n}', "Not valid JSON: invalid symbol.", { line: 3, column: 3 }],
    ["[".repeat(65), "JSON nests deeper than 64 levels.", { line: 1, column: 65 }],
    ["[]", "must be an object, and is a list.", { line: 1, column: 1 }],
    ["null", "must be an object, and is null.", { line: 1, column: 1 }],
  ])("%j is told with its position", (text, message, position) => {
    const read = readWorkflow(text);
    expect(read).toMatchObject({ kind: "unreadable", problems: [{ place: "", message, ...position }] });
    expect(read.problems[0]!.fix).not.toBe("");
  });

  it("is one of more than 256 KiB", () => {
    const around = textOf({ description: "" }).length;
    const sized = (bytes: number): string => textOf({ description: "x".repeat(bytes - around) });
    expect(readWorkflow(sized(256 * 1024))).toMatchObject({ kind: "read", problems: [] });
    expect(readWorkflow(sized(256 * 1024 + 1))).toMatchObject({
      kind: "unreadable",
      problems: [{ message: "JSON is 262145 bytes; the limit is 262144." }],
    });
  });
});

const node = (more: JsonObject): JsonObject => ({ nodes: [{ id: "a", type: "t", ...more }] });
const SENSITIVE = "a sensitive input must be of type string, and is of type number.";

describe("a wrong part", () => {
  it.each<[string, JsonObject, string, string]>([
    [
      "an unknown version",
      { ir_version: "2.0" },
      "ir_version",
      "this version of the workflow format is not known.",
    ],
    ["an unknown key", { node: [] }, "node", 'the key "node" is not known here.'],
    ["a description that is no text", { description: 1 }, "description", "must be a text, and is a number."],
    ["inputs that are a list", { inputs: [] }, "inputs", '"inputs" must be an object, and is a list.'],
    [
      "an input that is no object",
      { inputs: { x: "string" } },
      "inputs.x",
      "must be an object, and is a text.",
    ],
    ["an input without type", { inputs: { x: {} } }, "inputs.x.type", '"type" is missing.'],
    [
      "an input of unknown type",
      { inputs: { x: { type: "text" } } },
      "inputs.x.type",
      "is none of the allowed values.",
    ],
    [
      "an unsafe input",
      { inputs: { constructor: { type: "any" } } },
      "inputs.constructor",
      "the name constructor is reserved.",
    ],
    [
      "an input with a bad name",
      { inputs: { "a b": { type: "any" } } },
      'inputs["a b"]',
      '"a b" cannot be a name.',
    ],
    [
      "an input called item",
      { inputs: { item: { type: "any" } } },
      "inputs.item",
      "the name item is reserved: in a batch, templates use it for the item at hand.",
    ],
    [
      "a default of another type",
      { inputs: { x: { type: "integer", default: 1.5 } } },
      "inputs.x.default",
      "the default must be of type integer, and is a number.",
    ],
    [
      "a sensitive number",
      { inputs: { x: { type: "number", sensitive: true } } },
      "inputs.x.sensitive",
      SENSITIVE,
    ],
    [
      "a sensitive default",
      { inputs: { x: { type: "string", sensitive: true, default: "" } } },
      "inputs.x.sensitive",
      "a sensitive input cannot have a default.",
    ],
    [
      "a required that is no flag",
      { inputs: { x: { type: "any", required: "no" } } },
      "inputs.x.required",
      "must be true or false, and is a text.",
    ],
    ["an output without source", { outputs: { x: {} } }, "outputs.x.source", '"source" is missing.'],
    [
      "an output that is text",
      { outputs: { x: { source: "a ${a}" } } },
      "outputs.x.source",
      "the source must be one template and nothing else.",
    ],
    [
      "an unsafe output",
      { outputs: { prototype: { source: "${a}" } } },
      "outputs.prototype",
      "the name prototype is reserved.",
    ],
    ["no nodes", { nodes: [] }, "nodes", '"nodes" must be a list with at least one node, and is empty.'],
    [
      "nodes that are no list",
      { nodes: {} },
      "nodes",
      '"nodes" must be a list with at least one node, and is an object.',
    ],
    [
      "a node that is no object",
      { nodes: [1, { id: "a", type: "t" }] },
      "nodes[0]",
      "must be an object, and is a number.",
    ],
    ["a node without id", { nodes: [{ type: "t" }] }, "nodes[0].id", '"id" is missing.'],
    ["a node without type", { nodes: [{ id: "a" }] }, "nodes[0].type", '"type" is missing.'],
    [
      "an id that is taken",
      { nodes: nodesOf({ a: {} }).concat(nodesOf({ a: {} })) },
      "nodes[1].id",
      "the id a is taken by nodes[0].",
    ],
    [
      "an id that is an input",
      { inputs: { a: { type: "any" } } },
      "nodes[0].id",
      "a is the name of an input, so a template could not tell the two apart.",
    ],
    ["a bad id", node({ id: "1" }), "nodes[0].id", '"1" cannot be a name.'],
    ["an unsafe id", node({ id: "__proto__" }), "nodes[0].id", "the name __proto__ is reserved."],
    [
      "an id called index",
      node({ id: "index" }),
      "nodes[0].id",
      "the name index is reserved: in a batch, templates use it for the item at hand.",
    ],
    [
      "an id of 65 characters",
      node({ id: "x".repeat(65) }),
      "nodes[0].id",
      `"${"x".repeat(65)}" cannot be a name.`,
    ],
    [
      "params that are a list",
      node({ params: [] }),
      "nodes[0].params",
      '"params" must be an object, and is a list.',
    ],
    ["an unknown key of a node", node({ parms: {} }), "nodes[0].parms", 'the key "parms" is not known here.'],
    [
      "a batch without items",
      node({ batch: {} }),
      "nodes[0].batch.items",
      '"items" must be a list or one template that gives a list, and is missing.',
    ],
    [
      "a batch of a text",
      node({ batch: { items: "a,b" } }),
      "nodes[0].batch.items",
      '"items" must be a list or one template that gives a list, and is another text.',
    ],
    [
      "17 at a time",
      node({ batch: { items: [], concurrency: 17 } }),
      "nodes[0].batch.concurrency",
      "must be a whole number from 1 to 16, and is 17.",
    ],
    [
      "1,001 items",
      node({ batch: { items: many(1_001, () => 0) } }),
      "nodes[0].batch.items",
      "there are 1001 items; the limit is 1000.",
    ],
    [
      "a batch that routes",
      node({ batch: { items: [], on_error: "a" } }),
      "nodes[0].batch.on_error",
      "is none of the allowed values.",
    ],
    ["a retry without max", node({ retry: {} }), "nodes[0].retry.max", '"max" is missing.'],
    [
      "11 retries",
      node({ retry: { max: 11 } }),
      "nodes[0].retry.max",
      "must be a whole number from 1 to 10, and is 11.",
    ],
    [
      "no retries",
      node({ retry: { max: 0 } }),
      "nodes[0].retry.max",
      "must be a whole number from 1 to 10, and is 0.",
    ],
    [
      "a delay that is too long",
      node({ retry: { max: 1, delay_ms: 60_001 } }),
      "nodes[0].retry.delay_ms",
      "must be a whole number from 0 to 60000, and is 60001.",
    ],
    [
      "a longest delay that is too long",
      node({ retry: { max: 1, max_delay_ms: 300_001 } }),
      "nodes[0].retry.max_delay_ms",
      "must be a whole number from 0 to 300000, and is 300001.",
    ],
    [
      "an approval of false",
      node({ approval: false }),
      "nodes[0].approval",
      "must be true or an object, and is false.",
    ],
    [
      "an approval with a number",
      node({ approval: { message: 1 } }),
      "nodes[0].approval.message",
      "must be a text, and is a number.",
    ],
    [
      "an on_error to nobody",
      node({ on_error: "handle" }),
      "nodes[0].on_error",
      'there is no node "handle".',
    ],
    [
      "an on_error to itself",
      node({ on_error: "a" }),
      "nodes[0].on_error",
      "a node cannot handle its own failure.",
    ],
    [
      "an on_error that is no text",
      node({ on_error: 1 }),
      "nodes[0].on_error",
      "must be a text, and is a number.",
    ],
    ["edges that are no list", { edges: {} }, "edges", '"edges" must be a list, and is an object.'],
    ["an edge to nobody", { edges: [{ from: "a", to: "b" }] }, "edges[0].to", 'there is no node "b".'],
    [
      "an edge from nobody",
      { edges: [{ from: "toString", to: "a" }] },
      "edges[0].from",
      'there is no node "toString".',
    ],
    ["an edge without end", { edges: [{ from: "a" }] }, "edges[0].to", '"to" is missing.'],
    [
      "an edge to itself",
      { edges: [{ from: "a", to: "a" }] },
      "edges[0]",
      "the edge leads from a to itself.",
    ],
    [
      "an edge of another action",
      { nodes: nodesOf({ a: {}, b: {} }), edges: [{ from: "a", to: "b", action: "done" }] },
      "edges[0].action",
      "is none of the allowed values.",
    ],
    [
      "an edge for both outcomes",
      {
        nodes: nodesOf({ a: {}, b: {} }),
        edges: [
          { from: "a", to: "b" },
          { from: "a", to: "b", action: "error" },
        ],
      },
      "edges[1]",
      "b waits for both the success and the failure of a, so it can never run.",
    ],
  ])("is told once, at its place, with a fix: %s", (_, parts, place, message) => {
    const problems = problemsOf(parts);
    expect(problems).toMatchObject([{ place, message, line: 1 }]);
    expect(problems[0]!.fix).toMatch(/^[A-Z].*[.?]$/);
  });

  it("is told with the name that was probably meant", () => {
    expect(problemsOf({ edgs: [] })[0]!.fix).toContain("Did you mean edges?");
    expect(problemsOf({ inputs: { x: { type: "strng" } } })[0]!.fix).toContain("Did you mean string?");
    expect(
      problemsOf({ nodes: nodesOf({ fetch_page: {} }), edges: [{ from: "fetch_pag", to: "fetch_page" }] })[0]!
        .fix,
    ).toBe("Name a node of this workflow. Did you mean fetch_page?");
  });

  it("is a key that stands twice", () => {
    expect(
      validateText('{"ir_version":"1.0","nodes":[{"id":"a","type":"t","params":{"x":1,"x":2}}]}'),
    ).toMatchObject({
      problems: [{ place: "nodes[0].params.x", message: 'duplicate key "x".' }],
    });
  });

  it("does not make what refers to it wrong", () => {
    const parts: JsonObject = {
      inputs: { q: { type: "text" } },
      nodes: [{ id: "a" }, { id: "b", type: "t", params: { x: "${a.y} ${q}" }, on_error: "a" }],
      edges: [{ from: "a", to: "b" }],
      outputs: { x: { source: "${a}" } },
    };
    expect(problemsOf(parts).map(({ place }) => place)).toEqual(["nodes[0].type", "inputs.q.type"]);
  });
});

describe("a limit", () => {
  it.each<[string, number, (count: number) => JsonObject, string]>([
    [
      "nodes",
      200,
      (count) => ({ nodes: nodesOf(named(count, {}) as Record<string, JsonObject>) }),
      "there are 201 nodes; the limit is 200.",
    ],
    [
      "inputs",
      64,
      (count) => ({ inputs: named(count, { type: "any" }) }),
      "there are 65 inputs; the limit is 64.",
    ],
    [
      "outputs",
      64,
      (count) => ({ outputs: named(count, { source: "${a}" }) }),
      "there are 65 outputs; the limit is 64.",
    ],
    [
      "edges",
      1_000,
      (count) => ({ nodes: nodesOf({ a: {}, b: {} }), edges: many(count, () => ({ from: "a", to: "b" })) }),
      "there are 1001 edges; the limit is 1000.",
    ],
  ])("of %s holds at %i and not above", (place, limit, parts, message) => {
    expect(problemsOf(parts(limit))).toEqual([]);
    expect(problemsOf(parts(limit + 1))).toMatchObject([{ place, message }]);
  });

  it("of a batch holds at a thousand items", () => {
    expect(problemsOf(node({ batch: { items: many(1_000, () => 0), concurrency: 16 } }))).toEqual([]);
    expect(problemsOf(node({ retry: { max: 10, delay_ms: 60_000, max_delay_ms: 300_000 } }))).toEqual([]);
    expect(problemsOf(node({ id: "x".repeat(64) }))).toEqual([]);
  });
});

describe("reading", () => {
  it("never throws, whatever the text", () => {
    fc.assert(fc.property(fc.string(), (text) => void validateText(text)));
    fc.assert(fc.property(fc.json(), (text) => void validateText(text)));
    fc.assert(
      fc.property(workflowLike(), (parts) => {
        const validated = validateText(JSON.stringify(parts));
        if (validated.ok) return;
        expect(validated.problems.length).toBeGreaterThan(0);
        for (const { message, fix } of validated.problems) expect(message && fix).toBeTruthy();
      }),
    );
  });
});

/** Objects that have the right keys and anything under them. */
function workflowLike(): fc.Arbitrary<unknown> {
  const name = fc.constantFrom("a", "b", "__proto__", "constructor", "item", "x y", "");
  const template = fc.constantFrom("${a}", "${b.x[0]}", "${", "$${a}", "${item}", "${__proto__.x}", "x");
  const wild = fc.oneof(fc.jsonValue({ maxDepth: 2 }), name, template);
  const sparse = (keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
    fc.record(keys, { requiredKeys: [] });
  const fields = fc.dictionary(
    name,
    fc.oneof(wild, sparse({ type: wild, default: wild, source: template, sensitive: wild })),
  );
  const options = {
    params: fc.dictionary(name, wild),
    batch: sparse({ items: wild }),
    retry: wild,
    on_error: wild,
    approval: wild,
  };
  const types = fc.constantFrom("t", "fetch", "open", "wait", "nope");
  const nodes = fc.array(fc.oneof(wild, sparse({ id: name, type: types, ...options })), { maxLength: 6 });
  const edges = fc.array(fc.oneof(wild, sparse({ from: name, to: name, action: wild })), { maxLength: 6 });
  return sparse({
    ir_version: fc.constant("1.0"),
    inputs: fields,
    outputs: fields,
    nodes,
    edges,
    more: wild,
  });
}
