import { expect, it } from "vitest";
import { parseCallExpression } from "./call-expression.ts";

const parse = async (text: string) => {
  const parsed = await parseCallExpression(text);
  return parsed?.success === true ? parsed.data : parsed?.error.message;
};

it.each([
  ["names and values", 'a.b(key: "x", n: 3, list: [1, 2])', "a.b", { key: "x", n: 3, list: [1, 2] }],
  [
    "an object",
    "a.b({ key: 'x', deep: { yes: true, none: null } })",
    "a.b",
    { key: "x", deep: { yes: true, none: null } },
  ],
  ["code that was copied", 'await mcp.a.b({ "k-1": -1.5e3, });', "mcp.a.b", { "k-1": -1500 }],
  [
    "names that are no identifiers",
    `mcp["my-server"]['odd "tool" (x)'](n: 1)`,
    'mcp.my-server.odd "tool" (x)',
    { n: 1 },
  ],
  ["no arguments", "a.b()", "a.b", {}],
  ["a template without holes", "a.b(text: `two\nlines`)", "a.b", { text: "two\nlines" }],
  ["parentheses and signs in texts", `a.b(q: "x) = (y", r: "=")`, "a.b", { q: "x) = (y", r: "=" }],
  ["unicode", 'my_server.tool-x(text: "é\\u{1F600} 漢字")', "my_server.tool-x", { text: "é😀 漢字" }],
])("C5: a call as in code is read: %s", async (_, text, tool, args) => {
  expect(await parse(text)).toEqual({ tool, args });
});

it.each([
  ["a call", "a.b(x: process.exit())"],
  ["a name", "a.b(x: y)"],
  ["a sum", "a.b(x: 1 + 1)"],
  ["a hole in a template", "a.b(x: `${y}`)"],
  ["a spread", "a.b(...x)"],
  ["a computed key", "a.b([x]: 1)"],
  ["a shorthand", "a.b({ x })"],
  ["a function", "a.b(x: () => 1)"],
  ["a method", "a.b({ x() {} })"],
  ["a regular expression", "a.b(x: /y/)"],
  ["a number that JSON has not", "a.b(x: 1e999)"],
  ["a big integer", "a.b(x: 1n)"],
  ["a key that is given twice", "a.b(x: 1, x: 2)"],
  ["two arguments", "a.b({}, {})"],
  ["a way out of the object", "a.b(x: 1}); process.exit(); ({y: 2)"],
  ["no end", 'a.b(x: "y)'],
  ["a parenthesis that is left open", "a.b(x: 1"],
  ["a bare value", 'a.b("x")'],
])("C5: only literals are taken, and nothing runs: %s", async (_, text) => {
  expect(await parse(text)).toMatch(/^The arguments in .* cannot be read: /s);
});

it("C5: no name reaches a prototype", async () => {
  const parsed = await parse('a.b(__proto__: { polluted: true }, "constructor": 1)');
  expect(Object.keys((parsed as { args: object }).args)).toEqual(["__proto__", "constructor"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

it.each(["files.read", "files__read", "math:sum", ""])("C5: %s is no call", async (word) => {
  expect(await parseCallExpression(word)).toBeUndefined();
});
