import { describe, expect, it } from "vitest";
import { callAround, placeAt } from "./code-place.ts";

/** The place at the mark. */
const at = (marked: string) => placeAt(marked.slice(0, marked.indexOf("¦")));
const around = (marked: string) => callAround(marked.slice(0, marked.indexOf("¦")));

describe("the place of the cursor in code", () => {
  it("is a namespace after mcp and a dot", () => {
    expect(at("await mcp.¦")).toEqual({ kind: "namespace", from: 10, dotAt: 9 });
    expect(at("await mcp.gi¦")).toMatchObject({ kind: "namespace", from: 10 });
    expect(at("await mcp?.gi¦")).toMatchObject({ kind: "namespace" });
    expect(at("await other.mcp.¦")).toBeUndefined();
  });

  it("is a tool after a namespace, written with a dot or with brackets", () => {
    expect(at("mcp.github.cr¦")).toMatchObject({ kind: "tool", namespace: "github", from: 11, dotAt: 10 });
    expect(at('mcp["git-hub"].¦')).toMatchObject({ kind: "tool", namespace: "git-hub" });
    expect(at("mcp.github.create.¦")).toBeUndefined();
  });

  it("is an argument in the object of a call, and knows those that are given", () => {
    expect(at("mcp.a.b({ ¦")).toMatchObject({ kind: "key", namespace: "a", tool: "b", path: [], given: [] });
    expect(at('mcp.a.b({ x: 1, "y-z": "t", ti¦')).toMatchObject({
      kind: "key",
      given: ["x", "y-z"],
      from: 28,
    });
    expect(at('mcp.a["b-c"]({ "ti¦')).toMatchObject({ kind: "key", tool: "b-c", from: 16 });
    expect(at("mcp.a.b({ x: f(1, { y: 2 }), ¦")).toMatchObject({ kind: "key", given: ["x"] });
  });

  it("is the same after a comment on the line before", () => {
    expect(at("mcp.a.b({ // x\n  ¦")).toMatchObject({ kind: "key" });
    expect(at("mcp.a.b({ x: 1, /* y */ ¦")).toMatchObject({ kind: "key" });
  });

  it("follows literals into objects and lists", () => {
    expect(at("mcp.a.b({ deep: { ¦")).toMatchObject({ kind: "key", path: ["deep"], given: [] });
    expect(at("mcp.a.b({ list: [{ p: 1 }, { ¦")).toMatchObject({
      kind: "key",
      path: ["list", "[]"],
      given: [],
    });
  });

  it("is a value after a colon, with or without a quote", () => {
    expect(at('mcp.a.b({ state: "op¦')).toMatchObject({
      kind: "value",
      path: ["state"],
      from: 18,
      isQuoted: true,
    });
    expect(at("mcp.a.b({ state: ¦")).toMatchObject({ kind: "value", path: ["state"], isQuoted: false });
    expect(at('mcp.a.b({ tags: ["x", "¦')).toMatchObject({
      kind: "value",
      path: ["tags", "[]"],
      isQuoted: true,
    });
  });

  it("is nothing where something else is written: an expression, a function, a comment, another text", () => {
    expect(at("mcp.a.b({ x: y + ¦")).toBeUndefined();
    expect(at('mcp.a.b({ x: y + "¦')).toBeUndefined();
    expect(at("mcp.a.b({ x: f({ ¦")).toBeUndefined();
    expect(at("// mcp.¦")).toBeUndefined();
    expect(at('"mcp.¦')).toBeUndefined();
    expect(at("`mcp.¦")).toBeUndefined();
    expect(at("mcp.a.b({ x: 1 }); { ¦")).toBeUndefined();
    expect(at("¦")).toBeUndefined();
  });

  it("is found inside of functions and of the expressions of templates", () => {
    expect(at("list.map(async (x) => { await mcp.a.b({ x, ¦")).toMatchObject({ kind: "key", given: ["x"] });
    expect(at("`${await mcp.¦")).toMatchObject({ kind: "namespace" });
    expect(at("f(`${a}`, mcp.¦")).toMatchObject({ kind: "namespace" });
  });

  it("is a member of an answer after the name that holds it", () => {
    const code = "const found = await mcp.github.search({ q: 1 });\n";
    expect(at(`${code}found.¦`)).toMatchObject({
      kind: "answer",
      namespace: "github",
      tool: "search",
      path: [],
    });
    expect(at(`${code}return found.items[0].na¦`)).toMatchObject({ kind: "answer", path: ["items", "[]"] });
    expect(at(`${code}other.¦`)).toBeUndefined();
  });

  it("names the call in whose arguments the cursor is", () => {
    expect(around("mcp.a.b({ x: f(¦")).toEqual({ namespace: "a", tool: "b" });
    expect(around("mcp.a.b({ x: 1 }); ¦")).toBeUndefined();
  });
});
