import { describe, expect, it } from "vitest";
import { programOf } from "./program.testkit.ts";

const literalsOf = (code: string) => programOf(code).literals;

/** `gh.list state "open"` */
const formsOf = (code: string) =>
  literalsOf(code).map(
    ({ namespace, tool, path, value }) => `${namespace}.${tool} ${path.join(".")} ${JSON.stringify(value)}`,
  );

describe("a literal in the argument of a tool is found", () => {
  it.each([
    [
      "as text, number or boolean",
      "mcp.gh.list({ state: 'open', n: 5, all: true, x: -1.5 })",
      ['gh.list state "open"', "gh.list n 5", "gh.list all true", "gh.list x -1.5"],
    ],
    ["as a template without substitutions", "mcp.gh.list({ repo: `me/it` })", ['gh.list repo "me/it"']],
    [
      "in nested objects and lists",
      "mcp.gh.list({ q: { label: ['a', { n: 1 }] } })",
      ['gh.list q.label.* "a"', "gh.list q.label.*.n 1"],
    ],
    [
      "under any key that is written out",
      "const k = 'c'; mcp.gh.list({ 'a-b': 1, ['x']: 2, [k]: 3, 4: 5 })",
      ["gh.list a-b 1", "gh.list x 2", "gh.list c 3", "gh.list 4 5"],
    ],
    ["through an alias of the server", "const { gh } = mcp; gh.list({ a: 1 })", ["gh.list a 1"]],
    ["for each tool that a call may mean", "(c ? mcp.a : mcp.b).t({ x: 1 })", ["a.t x 1", "b.t x 1"]],
  ])("%s", (_, code, forms) => {
    expect(formsOf(code)).toEqual(forms);
  });

  it.each([
    ["empty, or longer than two hundred characters", `mcp.gh.list({ a: "", b: "${"x".repeat(201)}" })`],
    ["null, a pattern, a bigint or too large", "mcp.gh.list({ a: null, b: /x/, c: 1n, d: 1e999 })"],
    ["a part of something else", "mcp.gh.list({ a: 'x' + y, b: f('x'), c: `a${x}`, d: !0, e: c ? 1 : 2 })"],
    [
      "under a computed name or as a prototype",
      "mcp.gh.list({ [k]: 1, __proto__: 'x', get a() { return 1 } })",
    ],
    ["not in the object of the first argument", "mcp.gh.list('x', { a: 1 }); f({ a: 1 }); mcp.gh.list(o)"],
  ])("but not when it is %s", (_, code) => {
    expect(literalsOf(code)).toEqual([]);
  });

  it("with its place, in source order", () => {
    expect(literalsOf("const x = 1;\nawait mcp.gh.list({ repo: x,\n  state: 'open', n: 2 })")).toEqual([
      { namespace: "gh", tool: "list", path: ["state"], value: "open", line: 3, column: 10, text: "'open'" },
      { namespace: "gh", tool: "list", path: ["n"], value: 2, line: 3, column: 21, text: "2" },
    ]);
  });

  it("at most fifty times, and eight levels deep", () => {
    expect(literalsOf("mcp.a.b({ x: 1 });".repeat(100))).toHaveLength(50);
    expect(literalsOf(`mcp.a.b(${"{ x: ".repeat(300)}1${" }".repeat(300)})`)).toEqual([]);
  });
});
