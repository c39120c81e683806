import { afterAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { declareTools, signatureOfTool, type DeclaredTool } from "./declarations.ts";
import { createTypeCheck, type ToolCallPlace, type TypeComplaint, type TypeVerdict } from "./type-check.ts";

const text: JsonObject = { type: "string" };
const at: JsonObject = {
  type: "object",
  properties: { line: { type: "number" }, col: { type: "number" } },
  required: ["line", "col"],
};
const TOOLS: readonly DeclaredTool[] = [
  {
    namespace: "github",
    tool: "create_issue",
    inputSchema: {
      type: "object",
      properties: {
        title: text,
        body: text,
        at,
        state: { enum: ["open", "closed"] },
        marks: { type: "array", items: at },
      },
      required: ["title"],
    },
    outputSchema: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
  },
  {
    namespace: "github",
    tool: "list-issues",
    inputSchema: { type: "object", properties: { page: { type: "integer" } } },
  },
  {
    namespace: "mail",
    tool: "send",
    inputSchema: {
      type: "object",
      properties: { to: text, subject: text, body: text, from: text, reply: text, cc: text },
      required: ["to", "subject", "body", "from", "reply", "cc"],
    },
  },
];
const DECLARATIONS = declareTools(TOOLS);
const CALLEE = /mcp\.\w+(?:\.\w+|\["[^"]*"\])(?=\()|(?<=await )alias(?=\()/g;

/** The calls as static analysis would find them: the callee, and what is between its parentheses. */
function callsIn(checked: string): ToolCallPlace[] {
  return [...checked.matchAll(CALLEE)].map(({ 0: callee, index }) => {
    const calleeEnd = index + callee.length;
    const tool = TOOLS.find(({ tool: name }) => callee.includes(name)) ?? TOOLS[0]!;
    return {
      calleeStart: index,
      calleeEnd,
      argumentsStart: calleeEnd + 1,
      argumentsEnd: closingOf(checked, calleeEnd),
      signature: signatureOfTool(tool),
    };
  });
}
function closingOf(checked: string, open: number): number {
  let depth = 0;
  for (let i = open; ; i++) {
    if (checked[i] === "(") depth++;
    if (checked[i] === ")" && --depth === 0) return i;
  }
}
/** The flood below takes seconds, and far longer beside other work. */
const shared = createTypeCheck({ budgetMs: 120_000 });
afterAll(() => shared.close());
function check(code: string, declarations = DECLARATIONS): Promise<TypeVerdict> {
  const checked = `(async () => {\n${code}\n})();`;
  return shared.check({ checked, declarations, calls: callsIn(checked) });
}

async function complaints(code: string): Promise<readonly TypeComplaint[]> {
  const verdict = await check(code);
  if (verdict.kind === "unchecked") throw new Error(verdict.reason);
  return verdict.complaints;
}
const brief = async (code: string): Promise<string[]> =>
  (await complaints(code)).map(({ severity, code: number, text: what }) => `${severity} ${number} ${what}`);

describe("a required argument that is surely missing is an error", () => {
  it.each([
    ["no arguments", "await mcp.github.create_issue()", ["error 2554 create_issue"]],
    [
      "no arguments, in brackets",
      'await mcp.github["create_issue"]()',
      ['error 2554 mcp.github["create_issue"]'],
    ],
    [
      "no arguments, by another name",
      "const alias = mcp.github.create_issue; await alias()",
      ["error 2554 alias"],
    ],
    ["one property", "await mcp.github.create_issue({ body: 'x' })", ["error 2741 { body: 'x' }"]],
    [
      "some properties",
      "await mcp.mail.send({ to: 'x', body: '', from: '', cc: '' })",
      ["error 2739 { to: 'x', body: '', from: '', cc: '' }"],
    ],
    ["many properties", "await mcp.mail.send({})", ["error 2740 {}"]],
    [
      "a nested property",
      "await mcp.github.create_issue({ title: 'x', at: { line: 1 } })",
      ["error 2741 at"],
    ],
    [
      "a property in a list",
      "await mcp.github.create_issue({ title: 'x', marks: [{ line: 1 }] })",
      ["error 2741 { line: 1 }"],
    ],
    ["a variable", "const a = { body: 'x' }; await mcp.github.create_issue(a)", ["error 2741 a"]],
    [
      "a nested property of a variable",
      "const a = { title: 'x', at: { line: 1 } }; await mcp.github.create_issue(a)",
      ["error 2345 a"],
    ],
    [
      "in a call inside another's arguments",
      "await mcp.github.create_issue({ title: String((await mcp.github.create_issue({})).number) })",
      ["error 2741 {}"],
    ],
  ])("%s", async (_, code, expected) => {
    expect(await brief(code)).toEqual(expected);
  });
});

describe("what may be right at run time is a warning", () => {
  it.each([
    ["a wrong type", "await mcp.github.create_issue({ title: 1 })", ["warning 2322 title"]],
    [
      "a value that is not in the enum",
      "await mcp.github.create_issue({ title: 'x', state: 'opne' })",
      ["warning 2322 state"],
    ],
    ["an unknown property", "await mcp.github.create_issue({ title: 'x', bdy: 1 })", ["warning 2561 bdy"]],
    ["too many arguments", "await mcp.github.create_issue({ title: 'x' }, 2)", ["warning 2554 2"]],
    ["an argument of another kind", "await mcp.github.create_issue('x')", ["warning 2345 'x'"]],
    ["a record", "const r: Record<string, any> = {}; await mcp.github.create_issue(r)", ["warning 2741 r"]],
    [
      "a spread record",
      "const r: Record<string, any> = {}; await mcp.github.create_issue({ ...r })",
      ["warning 2741 { ...r }"],
    ],
    [
      "a computed key",
      "const k: string = 'title'; await mcp.github.create_issue({ [k]: 'x' })",
      ["warning 2741 { [k]: 'x' }"],
    ],
    [
      "an object that is filled later",
      "const o = {}; o.title = 'x'; await mcp.github.create_issue(o)",
      ["warning 2741 o"],
    ],
    [
      "a property that the guest's own function misses",
      "const f = (x: { a: string }) => x.a; await mcp.github.create_issue({ title: f({}) })",
      ["warning 2741 {}"],
    ],
    ["a property missing outside of calls", "const x: { a: string } = {}; return x", ["warning 2741 x"]],
    ["an unknown tool", "await mcp.github.nope({})", ["warning 2339 nope"]],
    ["an unknown namespace", "await mcp.gitlab.create_issue({})", ["warning 2339 gitlab"]],
    [
      "an unknown field of an answer",
      "return (await mcp.github.create_issue({ title: 'x' })).nubmer",
      ["warning 2551 nubmer"],
    ],
    [
      "a name that the guest has not",
      "setTimeout(() => {}, 1); fetch('x')",
      ["warning 2304 setTimeout", "warning 2304 fetch"],
    ],
    ["an error of syntax", "let x = ;", ["warning 1109 ;"]],
  ])("%s", async (_, code, expected) => {
    expect(await brief(code)).toEqual(expected);
  });
});

it("says nothing about ordinary code", async () => {
  const code = `
    const found = []; let best = null; const out = {}; const counts = {};
    for (const page of [1, 2]) found.push(...(await mcp.github["list-issues"]({ page })).items);
    for (const item of found) { counts[item.state] = (counts[item.state] ?? 0) + 1; if (!best || item.n > best.n) best = item; }
    out.total = found.length; out.first = found.at(0)?.title; console.log(out.total, out);
    function pick(item, keys) { return keys ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item; }
    try { pick(best); await mcp.github.list_issues(); } catch (error) { return { failed: error.message }; }
    const age = (new Date() - new Date(best.at)) / 1000;
    const made = await Promise.all(args.titles.map((title) => mcp.github.create_issue({ title, ...args.more })));
    const groups = Object.groupBy(found, (item) => item.state); const names = new Set(found.map((f) => f.name)).union(new Set());
    const matched = "x".match(/(x)/)[1]; const map = new Map(); map.get("a").push(age, matched, names, groups);
    await mcp.github.create_issue(args); await mcp.mail.send(JSON.parse(args.mail));
    return made.map((issue) => issue.number);
    console.log("never");`;
  expect(await complaints(code)).toEqual([]);
});

it("says where, what and how it is called", async () => {
  const code =
    'const é = "😀\\u2028"; // 😀\n  const n = 1;\n  await mcp.github.create_issue({ body: "x" });';
  const [complaint] = await complaints(code);
  expect(complaint).toEqual({
    severity: "error",
    code: 2741,
    line: 3,
    column: 33,
    text: '{ body: "x" }',
    message: expect.stringContaining("Property 'title' is missing in type '{ body: string; }'"),
    signature: signatureOfTool(TOOLS[0]!),
  });
  expect(await complaints("return process.env")).toEqual([
    {
      severity: "warning",
      code: 2591,
      line: 1,
      column: 8,
      text: "process",
      message: "Cannot find name 'process'. Code sees args, mcp, console and standard JavaScript.",
    },
  ]);
  const [nested] = await complaints(
    "const a = { title: 'x', at: { line: 1 } };\nawait mcp.github.create_issue(a)",
  );
  expect(nested!.message).toMatch(
    /^Argument of type .*\n  Types of property 'at' are incompatible\.\n    Property 'col' is missing/,
  );
});

it("gives at most 20 complaints, errors first", async () => {
  const code = `${"nope();\n".repeat(40)}await mcp.mail.send({});`;
  const all = await complaints(code);
  expect([all.length, all[0]!.severity, all[1]!.severity]).toEqual([20, "error", "warning"]);
  const flood = "nope(); ".repeat(30_000);
  expect(await complaints(flood)).toHaveLength(20);
});

it("checks three tools together, and each check by its own declarations", async () => {
  const code = `const { number } = await mcp.github.create_issue({ title: "x" });
    const open = await mcp.github["list-issues"]();
    await mcp.mail.send({ to: "a", subject: number, body: open, from: "", reply: "", cc: "" });`;
  expect(await brief(code)).toEqual(["warning 2322 subject"]);
  const verdicts = await Promise.all([
    check("return mcp.a.b()", declareTools([{ namespace: "a", tool: "b", inputSchema: {} }])),
    check("return mcp.a.b()", declareTools([{ namespace: "a", tool: "c", inputSchema: {} }])),
  ]);
  expect(verdicts.map((verdict) => verdict.kind === "checked" && verdict.complaints.length)).toEqual([0, 1]);
});

it("shows code no file of the machine", async () => {
  for (const code of [
    'const x = await import("/etc/hostname");',
    `const x: typeof import("${process.cwd()}/package.json") = 1;`,
    `/// <reference path="${process.cwd()}/src/index.ts" />`,
  ]) {
    // A complaint may quote the code, and so the path; what the file says is in none.
    expect(JSON.stringify(await complaints(code))).not.toMatch(/keywords|description|devDependencies/);
  }
});
