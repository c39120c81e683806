import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { PROBLEM_COUNT_MAX } from "./problem.ts";
import { readWorkflow, validateWorkflow } from "./validate.ts";
import { nodesOf, problemsOf, requireValid, textOf, validateText } from "./workflow.testkit.ts";

const one = (type: string, params: JsonObject, more: JsonObject = {}): JsonObject => ({
  nodes: [{ id: "a", type, params, ...more }],
});
const after = (type: string, template: string, more: JsonObject = {}): JsonObject => ({
  nodes: [
    { id: "a", type, params: type === "fetch" ? { url: "x" } : {}, ...more },
    { id: "b", type: "t", params: { x: [{ y: template }] } },
  ],
});

describe("a workflow", () => {
  it("is valid with its plan and the inputs that its templates use", () => {
    const { plan, templateInputs } = requireValid({
      inputs: { url: { type: "string" }, a1: { type: "any" }, unused: { type: "any" } },
      nodes: [
        { id: "get", type: "fetch", params: { url: "${url}", method: "GET", limit: null } },
        { id: "all", type: "t", batch: { items: "${get.body}" }, params: { x: "${item.id} ${index} ${a1}" } },
      ],
      outputs: { all: { source: "${all}" }, url: { source: "${url}" } },
    });
    expect(plan.levels).toEqual([["get"], ["all"]]);
    expect(templateInputs).toEqual(["a1", "url"]);
  });

  it.each<[string, JsonObject, string, string, string]>([
    [
      "an unknown type",
      one("fetchh", {}),
      "nodes[0].type",
      "there is no such node type.",
      "Did you mean fetch?",
    ],
    [
      "a missing parameter",
      one("fetch", {}),
      "nodes[0].params.url",
      'fetch needs the parameter "url".',
      'Add "url": string to its params.',
    ],
    [
      "a parameter that a closed schema lacks",
      one("fetch", { url: "x", zzz: 1 }),
      "nodes[0].params.zzz",
      'fetch has no parameter "zzz".',
      "fetch takes url, method, limit, verbose.",
    ],
    [
      "a misspelt parameter of an open schema",
      one("open", { chanel: "x" }),
      "nodes[0].params.chanel",
      'open has no parameter "chanel".',
      "Did you mean channel?",
    ],
    [
      "a literal of the wrong type",
      one("fetch", { url: 1 }),
      "nodes[0].params.url",
      "must be of type string, and is a number.",
      "Write a value of type string, or a template that gives one.",
    ],
    [
      "a literal of none of the types",
      one("fetch", { url: "x", limit: 1.5 }),
      "nodes[0].params.limit",
      "must be of type integer, null, and is a number.",
      "a template that gives one.",
    ],
    [
      "a literal that is not allowed",
      one("fetch", { url: "x", method: "GTE" }),
      "nodes[0].params.method",
      "is none of the allowed values.",
      'Write one of "GET", "POST". Did you mean GET?',
    ],
    [
      "neither of two",
      one("wait", {}),
      "nodes[0].params",
      "wait needs one of ms, until.",
      "Add one of ms, until to its params.",
    ],
    [
      "both of two",
      one("wait", { ms: 1, until: "x" }),
      "nodes[0].params",
      "wait takes only one of ms, until.",
      "Keep one of ms, until.",
    ],
    [
      "a malformed template",
      one("t", { x: { y: ["${a..b}"] } }),
      "nodes[0].params.x.y[0]",
      "${a..b} is no template.",
      "Write it as ${name.path[0]}, or as $${ for the characters themselves.",
    ],
    [
      "an unknown root",
      one("t", { x: "hi ${quary}" }),
      "nodes[0].params.x",
      '${quary}: there is no node and no input "quary".',
      "There is a.",
    ],
    [
      "a misspelt root",
      { ...one("t", { x: "${quary}" }), inputs: { query: { type: "any" } } },
      "nodes[0].params.x",
      '${quary}: there is no node and no input "quary".',
      "Did you mean query?",
    ],
    [
      "an unsafe root",
      one("t", { x: "${__proto__.x}" }),
      "nodes[0].params.x",
      '${__proto__.x}: there is no node and no input "__proto__".',
      "There is a.",
    ],
    [
      "an item outside a batch",
      one("t", { x: "${item.x}" }),
      "nodes[0].params.x",
      "${item.x}: item exists only in the params of a node with a batch.",
      'Add "batch"',
    ],
    [
      "an item among the items",
      one("t", {}, { batch: { items: ["${index}"] } }),
      "nodes[0].batch.items[0]",
      "${index}: index exists only in the params of a node with a batch.",
      'Add "batch"',
    ],
    [
      "malformed items",
      one("t", {}, { batch: { items: "${" } }),
      "nodes[0].batch.items",
      "${ is no template.",
      "Write it as",
    ],
    [
      "a malformed message",
      one("t", {}, { approval: { message: "Pay ${}?" } }),
      "nodes[0].approval.message",
      "${} is no template.",
      "Write it as",
    ],
    [
      "a reference to itself",
      one("t", { x: "${a.y}" }),
      "nodes[0].params.x",
      "${a.y}: the node refers to itself, and has no result before it has run.",
      "Name another node or an input.",
    ],
    [
      "an output that a closed schema lacks",
      after("fetch", "${a.zzz.x}"),
      "nodes[1].params.x[0].y",
      '${a.zzz.x}: fetch gives no "zzz".',
      "There is status, body.",
    ],
    [
      "an index into an object",
      after("fetch", "${a[0]}"),
      "nodes[1].params.x[0].y",
      '${a[0]}: fetch gives no "0".',
      "There is status, body.",
    ],
    [
      "a misspelt output of an open schema",
      after("open", "${a.mesage}"),
      "nodes[1].params.x[0].y",
      '${a.mesage}: open gives no "mesage".',
      "Did you mean message?",
    ],
    [
      "an output of nothing",
      { outputs: { x: { source: "${nope.x}" } } },
      "outputs.x.source",
      '${nope.x}: there is no node and no input "nope".',
      "There is a.",
    ],
    [
      "a malformed output",
      { outputs: { x: { source: "${a.}" } } },
      "outputs.x.source",
      "${a.} is no template.",
      "Write it as",
    ],
    [
      "an item as output",
      { outputs: { x: { source: "${item}" } } },
      "outputs.x.source",
      "${item}: item exists only in the params of a node with a batch.",
      'Add "batch"',
    ],
  ])("tells %s at its place, with a fix", (_, parts, place, message, fix) => {
    const problems = problemsOf(parts);
    expect(problems).toMatchObject([{ place, message, line: 1 }]);
    expect(problems[0]!.fix).toContain(fix);
  });

  it.each<[string, JsonObject]>([
    ["a required parameter with a default", one("fetch", { url: "x" })],
    ["a template where another type is expected", one("fetch", { url: "$${x}" })],
    [
      "a value that only a template knows",
      { inputs: { n: { type: "any" } }, ...one("fetch", { url: "x", limit: "${n}" }) },
    ],
    ["an unknown parameter of an open schema", one("open", { thread: 1 })],
    ["a name that contains a declared one", one("open", { channel: "x", channels: 1 })],
    ["an unknown output of an open schema", after("open", "${a.ts}")],
    ["a path into a batch", after("fetch", "${a[0].zzz}", { batch: { items: [1] } })],
    ["what a handler reads of a failure", after("fetch", "${a.error}", { on_error: "b" })],
    ["a template in raw code", one("code", { code: "return `${x} ${a..b} ${`" })],
    [
      "a use of names that every object has",
      { inputs: { toString: { type: "any" } }, ...one("t", { x: "${toString}" }) },
    ],
  ])("may have %s", (_, parts) => {
    expect(problemsOf(parts)).toEqual([]);
  });

  it("does not take names of the prototype for declared ones", () => {
    expect(problemsOf(one("fetch", { url: "x", toString: 1 }))).toMatchObject([
      { place: "nodes[0].params.toString" },
    ]);
    expect(problemsOf(after("fetch", "${a.constructor}"))).toMatchObject([
      { message: '${a.constructor}: fetch gives no "constructor".' },
    ]);
  });

  it("looks at what code is given, though not at the code", () => {
    const params = { code: "return `${x}`", inputs: { y: "${nope}" } };
    expect(problemsOf(one("code", params))).toMatchObject([{ place: "nodes[0].params.inputs.y" }]);
  });

  it("tells all problems at once, in the order of the text, with line and column", () => {
    const text = `{
  "ir_version": "1.0",
  "descripton": "x",
  "nodes": [
    {"id": "get", "type": "fetch", "params": {"method": "PUT"}},
    {"id": "use", "type": "tt", "params": {
      "größe": "\${gte.body}",
      "b": "\${get.bdy}"
    }}
  ],
  "edges": [{"from": "use", "to": "nobody"}],
  "outputs": {"x": {"source": "\${"}}
}`;
    const validated = validateText(text);
    expect(
      validated.ok ? [] : validated.problems.map(({ place, line, column }) => [place, line, column]),
    ).toEqual([
      ["descripton", 3, 3],
      ["nodes[0].params.url", 5, 46],
      ["nodes[0].params.method", 5, 57],
      ["nodes[1].type", 6, 27],
      ['nodes[1].params["größe"]', 7, 16],
      ["nodes[1].params.b", 8, 12],
      ["edges[0].to", 11, 35],
      ["outputs.x.source", 12, 31],
    ]);
  });

  it("keeps the places of the text where a node is left out", () => {
    const nodes: JsonObject[] = [{ type: "t" }, { id: "b", type: "t", params: { x: "${nope}" } }];
    expect(problemsOf({ nodes }).map(({ place }) => place)).toEqual(["nodes[0].id", "nodes[1].params.x"]);
  });

  it("tells a hundred problems and how many more there are", () => {
    const params = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, "${nope}"]));
    const problems = problemsOf(one("t", params));
    expect(problems).toHaveLength(PROBLEM_COUNT_MAX + 1);
    expect(problems.at(-1)).toEqual({
      place: "",
      message: "4900 more problems are not shown",
      fix: "Correct the others first.",
    });
  });

  it("shows no character that could forge or hide text", () => {
    const [problem] = problemsOf({ "a\u202Eb\n": 1 });
    expect(problem).toMatchObject({ place: '["a\\u{202e}b\\n"]' });
    expect(JSON.stringify(problemsOf({ ["x".repeat(10_000)]: 1 })).length).toBeLessThan(1_000);
  });

  it("says what is wrong with a type that nobody looked up", () => {
    expect(validateWorkflow(readWorkflow(textOf({})), new Map())).toMatchObject({
      ok: false,
      problems: [{ place: "nodes[0].type", message: 'the node type "t" is not known.' }],
    });
  });

  it("is the same however often it is validated", () => {
    const read = readWorkflow(textOf({ nodes: nodesOf({ a: { x: "${nope}" } }) }));
    expect(validateWorkflow(read, new Map())).toEqual(validateWorkflow(read, new Map()));
  });
});
