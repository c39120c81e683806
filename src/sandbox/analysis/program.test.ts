import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeInSource } from "./place.ts";
import { analyseCode } from "./program.ts";
import { problemsOf, programOf } from "./program.testkit.ts";

async function run(code: string): Promise<unknown> {
  const main = runInNewContext(programOf(code).script, { args: { x: 2 } }) as () => Promise<unknown>;
  return await main();
}

describe("the script", () => {
  it.each([
    ["returns at the top level", "return args.x * 21", 42],
    ["awaits at the top level", "return await Promise.resolve(1)", 1],
    [
      "loses its types",
      "interface A { n: number }\nconst a: A = { n: 3 } satisfies A;\nreturn (a as A).n!",
      3,
    ],
    ["keeps an enum", "enum Color { Red = 7 }\nreturn Color.Red", 7],
    ["keeps a namespace", "namespace N { export const n = 8 }\nreturn N.n", 8],
    [
      "keeps parameter properties",
      "class P { constructor(private n: number) {}\nget() { return this.n } }\nreturn new P(9).get()",
      9,
    ],
    ["casts with angle brackets", "return <number>args.x", 2],
    ["may be empty", "", undefined],
    ["may be a comment without an end of line", "// nothing", undefined],
    ["may end in a comment", "return 4 // four", 4],
    ["may start with a hashbang", "#!/usr/bin/env node\nreturn 5", 5],
    ["may start with a byte order mark", "\uFEFFreturn 6", 6],
    ["may start with both", "\uFEFF#!/usr/bin/env node\nreturn 5", 5],
    ["may have CRLF line ends", "const a: number = 1;\r\nreturn a + 1;\r\n", 2],
  ])("%s", async (_, code, result) => {
    expect(await run(code)).toBe(result);
  });

  it("has the guest's line n as its line n + 1, column for column", () => {
    const { script, checked } = programOf("const a: string = 'é😀';\n  type B = '日本';\nreturn a");
    expect(script.split("\n")[3]).toBe("return a");
    expect(script).toHaveLength(checked.length - "();".length);
  });

  it("goes to the type checker with its types", () => {
    expect(programOf("const a: number = 1").checked).toBe("(async () => {\nconst a: number = 1\n})();");
  });

  it("may be 256 KiB of ordinary code", () => {
    const part =
      "{\n  const issues: Issue[] = await mcp.github.list_issues({ repo: args.repo });\n  for (const issue of issues) console.log(`${issue.title as string}`);\n}\n";
    const count = Math.floor((256 * 1024) / part.length);
    expect(programOf(part.repeat(count)).uses).toHaveLength(count);
  });

  it("never runs any of the code by being evaluated, whatever the code closes", () => {
    const pieces = [
      "}",
      "{",
      "(",
      ")",
      ";",
      ",",
      "evil()",
      "async () =>",
      "=>",
      "`",
      "${",
      "/*",
      "*/",
      "//",
      "<!--",
      "-->",
      "\n",
      "'",
      "x",
      "/",
      "[",
      "]",
      "enum E {A}",
      " as ",
      ":",
      "<",
      ">",
      "function",
    ];
    const code = fc.oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((list) => list.join("")),
      fc
        .array(fc.constantFrom(...pieces), { maxLength: 6 })
        .map((list) => `})${list.join("")}(async () => {`),
    );
    fc.assert(
      fc.property(code, (text) => {
        const { analysis } = analyseCode(text);
        if (analysis.kind === "refused") return;
        const evil = { count: 0 };
        const main: unknown = runInNewContext(analysis.program.script, { evil: () => evil.count++ });
        expect(typeof main).toBe("function");
        expect(evil.count).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("code that closes its wrapper", () => {
  it.each([
    "}); evil(); (async () => {",
    "}, async () => {",
    "})(async () => {",
    "}) || (async () => {",
    "enum A { B } }); evil(); (async () => {",
  ])("is refused: %s", (code) => {
    expect(problemsOf(code)).toMatchObject([{ reason: "syntax_error", line: 1, text: code }]);
  });

  it("is shown the brace that closes too much", () => {
    expect(problemsOf("const a = { b: `${1}` };\n  }); evil(); (async () => {")).toMatchObject([
      { line: 2, column: 3 },
    ]);
  });
});

describe("a syntax error", () => {
  it.each([
    ["found with the types", "const a = 1;\n  let x = ;", 2, 11, "let x = ;"],
    ["found with the types, behind tabs", "\t\tlet x\t= ;", 1, 11, "let x = ;"],
    ["found without them", "let a;\nlet a", 2, 5, "let a"],
    ["in a regular expression", "return /(/", 1, 9, "return /(/"],
    ["in code that is rewritten", "enum A { B }\nlet a;\n   let a", 3, 8, "let a"],
    ["in CRLF lines", "const a = 1;\r\nlet b = ;\r\n", 2, 9, "let b = ;"],
    ["of a string that is not closed", "const a = 'x\n'", 1, 11, "const a = 'x"],
    ["of a bracket that is never closed", "if (args.x) {\n  call(\n\n", 2, 8, "call("],
    ["of a brace too many", "return 1 }", 1, 11, "return 1 }"],
    ["of a comment that is not closed", "return 1 /*", 1, 12, "return 1 /*"],
  ])("%s has its place in the guest's lines", (_, code, line, column, text) => {
    expect(problemsOf(code)).toMatchObject([{ reason: "syntax_error", line, column, text }]);
  });

  it("in a very long line shows the text around it", () => {
    const [problem] = problemsOf(`let text = "${"y".repeat(5_000)}" 3; more("${"z".repeat(5_000)}")`);
    expect(problem).toMatchObject({ line: 1, column: 5_015 });
    expect(problem!.text).toContain('" 3; more(');
    expect(problem!.text.length).toBeLessThanOrEqual(120);
  });

  it("has a message of bounded length", () => {
    const name = "n".repeat(10_000);
    const [problem] = problemsOf(`let ${name};\nlet ${name}`);
    expect(problem).toMatchObject({ reason: "syntax_error", line: 2 });
    expect(problem!.message.length).toBeLessThanOrEqual(300);
  });

  it("is what half of a surrogate pair is, because the text would change unseen", () => {
    expect(problemsOf("return '\ud83d'")).toMatchObject([{ reason: "syntax_error" }]);
  });
});

describe("modules", () => {
  it.each([
    ["import fs from 'fs'", 1],
    ["import 'fs'", 1],
    ["import fs = require('fs')", 1],
    ["const a: string = 'b';\n\timport { x } from 'y';", 2],
    ["export { a } from 'b'", 1],
    ["export type { A } from 'b'", 1],
    ["import { type A } from 'b'", 1],
    ["export * from 'a'", 1],
    ["const fs = await import('fs')", 1],
    ["return 1;\nreturn import.meta.url", 2],
    ["enum A { B }\nawait import('fs')", 2],
  ])("are not available: %s", (code, line) => {
    expect(problemsOf(code)).toMatchObject([
      { reason: "not_available", line, hint: expect.stringContaining("mcp.<server>.<tool>") },
    ]);
  });

  it("leave what only sounds like them alone", () => {
    expect(
      problemsOf(
        "const exported = { import: 1, export: 2 };\nexported.import; require('a'); fetch('b'); process.exit",
      ),
    ).toEqual([]);
  });
});

describe("D2: what the writer meant", () => {
  it.each([
    ["an expression at the end is the result", "const a = args.x;\na + 1", 3],
    ["an expression behind a statement without a semicolon", "const a = args.x\na", 2],
    ["an object in parentheses", "({ a: args.x })", { a: 2 }],
    ["a text alone", '"hello"', "hello"],
    ["a cast", "const a: unknown = 5;\n<number>a", 5],
    ["an assignment", "let a;\na = 7;", 7],
    ["a template", "`${args.x}`", "2"],
    ["an await", "await Promise.resolve(4);", 4],
    ["the call of an async function is awaited", "const f = async () => 8;\nf()", 8],
    ["a function that calls itself at once", "(async () => {\n  return 9;\n})();", 9],
    ["an expression with a comment behind it", "args.x // two", 2],
    ["an expression before the functions that it calls", "f();\nfunction f() { return 10 }", 10],
    ["an expression in code with an enum", "enum E { A = 6 }\nE.A", 6],
    ["main is called with args", "async function main(args) { return args.x }", 2],
    ["main as an arrow function", "const main = async ({ x }: { x: number }) => x * 2;", 4],
    ["main behind output", "const main = () => 3;\nconsole.log('defined');", 3],
    ["main that calls itself", "function main(a, n = 0) { return n > 2 ? n : main(a, n + 1) }", 3],
    ["run", "async function run() { return 12 }", 12],
    ["main that is called at the end", "async function main() { return 13 }\nmain();", 13],
    ["main with a handler behind it", "async function main() { return 14 }\nmain().catch(console.error)", 14],
    ["a default export", "export default async function work(input) { return input.x }", 2],
    ["a default export without a name", "export default async function (input) { return input.x + 1 }", 3],
    ["a default export that is an arrow function", "export default async ({ x }) => x + 2", 4],
    ["a default export that is declared above", "const f = (a) => a.x;\nexport default f;", 2],
    ["a default export that is a value", "export default { a: args.x }", { a: 2 }],
    ["a function alone", "async () => {\n  return args.x;\n}", 2],
    ["a function alone in parentheses", "(async ({ x }) => x);", 2],
    [
      "exports are left out",
      "export const a: number = 1;\nexport function f() { return a }\nexport { f };\nf()",
      1,
    ],
    [
      "imports of types are left out",
      "import type { A } from 'a';\nimport type B from \"b\";\nreturn 1 as A",
      1,
    ],
    [
      "AG2: an exported type is left out",
      "export type A = number;\nexport type B<T> = T[];\nreturn 1 as A",
      1,
    ],
    ["a fence is taken off", "```ts\nreturn args.x\n```", 2],
    ["a fence with CRLF and a gap", "\n```typescript\r\nreturn args.x\r\n```\r\n", 2],
    ["a fence of tildes", "~~~js\nargs.x\n~~~", 2],
    ["text around one fence", "Here is the code:\n\n```js\nreturn args.x\n```\nIt returns x.", 2],
    ["a fence that was cut off", "```ts\nreturn args.x", 2],
    ["a fence in a comment is a comment", "/*\n```ts\nreturn 1\n```\n*/\nreturn 2", 2],
    ["tildes in a template literal are text", "return `\n~~~\na\n~~~\n`", "\n~~~\na\n~~~\n"],
    ["a fence in a template literal is text", "return `\\`\\`\\`\na\n\\`\\`\\``", "```\na\n```"],
  ])("%s", async (_, code, result) => {
    expect(await run(code)).toEqual(result);
  });

  it.each([
    ["output at the end", "args.x;\nconsole.log(args.x);"],
    ["a return that was not reached", "if (args.x > 5) return 1;\nargs.x;"],
    ["a return of nothing", "args.x;\nreturn;"],
    ["a loop at the end", "for (const a of [1]) { a }"],
    ["a declaration at the end", "const a = 1;"],
    ["strictness alone", "'use strict'"],
    ["a function of another name", "function helper() { return 1 }"],
  ])("%s is no result", async (_, code) => {
    const main = runInNewContext(programOf(code).script, {
      args: { x: 2 },
      console: { log() {} },
    }) as () => unknown;
    expect(await main()).toBeUndefined();
  });

  it("reads 60,000 lines of fences, also in a comment", () => {
    const lines = 60_000;
    expect(problemsOf("```\n".repeat(lines))).toMatchObject([{ line: 3 }]);
    expect(problemsOf(`/*\n${"```\n".repeat(lines)}*/ return 1`)).toEqual([]);
  });

  it("refuses more than one fence, where it begins", () => {
    expect(problemsOf("```ts\nreturn 1\n```\nand\n```ts\nreturn 2\n```")).toMatchObject([
      { reason: "syntax_error", line: 5, hint: expect.stringContaining("one block") },
    ]);
  });

  it("AG1: never runs the text of a template literal whose backticks were not escaped", () => {
    const code = "return await mcp.a.post({ text: `Use `it` so:\n```js\nawait mcp.a.remove({});\n```\n` });";
    expect(problemsOf(code.replace("`it`", "\\`it\\`"))).toMatchObject([{ reason: "syntax_error" }]);
    expect(problemsOf(`Use \`it\`:\n\`\`\`ts\nreturn 1\n\`\`\``)).toEqual([]);
  });

  it("AG7: shows a line with the module words that its writer sent", () => {
    expect(problemsOf("export default async () => {\n  let b = ;\n}")).toMatchObject([{ text: "let b = ;" }]);
    expect(problemsOf("export default (= 1)")).toMatchObject([{ text: "export default (= 1)" }]);
    const { shown } = programOf("export default async () => mcp.a.b()");
    expect(shown?.split("\n")[1]).toBe("export default async () => mcp.a.b()");
    expect(programOf("return 1").shown).toBeUndefined();
  });

  it("counts lines inside the fence, and says so", () => {
    expect(problemsOf("Text.\n```ts\nconst a = 1;\nlet b = ;\n```")).toMatchObject([{ line: 2, column: 9 }]);
    expect(programOf("```ts\nreturn 1\n```").notes).toEqual([expect.stringContaining("fence")]);
  });

  it.each(["  boom(1)", "enum A { B }\n  boom(1)", "(a) => boom(a)"])(
    "keeps the columns of what is returned: %j",
    (code) => {
      const program = programOf(code);
      const lines = program.script.split("\n");
      const line = lines.findIndex((text) => text.includes("boom")) + 1;
      const own = code.split("\n");
      expect(placeInSource(program, line, lines[line - 1]!.indexOf("boom") + 1)).toEqual({
        line: own.length,
        column: own.at(-1)!.indexOf("boom") + 1,
      });
    },
  );

  it("knows the inputs of a main that has its own name for them", () => {
    const { inputs, hasOpenInputs } = programOf(
      "export default async function (input: any) { return mcp.a.b({ x: input.repo, y: input.n ?? 3 }) }",
    );
    expect(inputs).toMatchObject([
      { name: "repo", isOptional: false, flows: [{ tool: "b", path: ["x"] }] },
      { name: "n", isOptional: true, defaultValue: 3 },
    ]);
    expect(hasOpenInputs).toBe(false);
    expect(programOf("const main = async ({ repo }) => repo").inputs).toMatchObject([{ name: "repo" }]);
  });

  it.each([
    ["notes__list({})", [{ written: "notes__list", line: 1, column: 1 }]],
    ["const r = await github.create_issue({ a: 1 })", [{ written: "github.create_issue", column: 17 }]],
    ["callTool('a__b', {})", [{ written: "callTool", given: "a__b" }]],
    [
      "await client.callTool({ name: 'a__b', arguments: {} })",
      [{ written: "client.callTool", given: "a__b" }],
    ],
    ["const github = 1; github.create_issue; Math.max(1); fetch('x')", []],
  ])("finds calls that do not go through mcp: %s", (code, strays) => {
    expect(programOf(code).strays).toMatchObject(strays);
    expect(programOf(code).strays).toHaveLength(strays.length);
  });

  it.each([
    ["const r = mcp.a.b({});\nreturn { r }", 1, 11],
    ["return { r: mcp.a.b({}) }", 1, 13],
    ["return `${mcp.a.b({})}`", 1, 11],
    ["const r = mcp.a.b({});\nconsole.log(r)", 1, 11],
  ])("warns of a promise that is used as a result: %s", (code, line, column) => {
    expect(programOf(code).notes).toEqual([expect.stringContaining(`Line ${line}, column ${column}: `)]);
  });

  it.each([
    "const r = mcp.a.b({});\nreturn { r: await r }",
    "return mcp.a.b({})",
    "const all = [mcp.a.b({}), mcp.a.c({})];\nreturn await Promise.all(all)",
    "mcp.a.b({}).then((r) => ({ r }))",
    "const load = () => mcp.a.b({});\nreturn { r: await load() }",
  ])("leaves a promise alone that is waited for: %s", (code) => {
    expect(programOf(code).notes).toEqual([]);
  });
});

describe("the place of a call", () => {
  function spans(code: string) {
    const { checked, uses } = programOf(code);
    return uses.map(
      ({ call }) =>
        call && [
          checked.slice(call.calleeStart, call.calleeEnd),
          checked.slice(call.argumentsStart, call.argumentsEnd),
        ],
    );
  }

  it.each([
    ["const a: string = 'é😀';\nawait mcp.a.b({ x: a as string })", "mcp.a.b", "{ x: a as string }"],
    ["mcp.a.b()", "mcp.a.b", ""],
    ["mcp.a.b((1), ...[2],)", "mcp.a.b", "(1), ...[2],"],
    ["mcp.a?.b?.(1)", "mcp.a?.b", "1"],
    ["(mcp.a?.b)(1)", "mcp.a?.b", "1"],
    ["(mcp as any).a.b(1)", "(mcp as any).a.b", "1"],
    ["mcp.a.b<Set<(x: 1) => 2>> /* ( */ (1)", "mcp.a.b", "1"],
    ["const gh = mcp.a; gh.b(1, 2)", "gh.b", "1, 2"],
  ])("is exact in %s", (code, callee, args) => {
    expect(spans(code)).toEqual([[callee, args]]);
  });

  it("is absent where a tool is only named", () => {
    expect(spans("list.map(mcp.a.b); mcp.a.c.call(null, 1); new mcp.a.d(); mcp.a.e`x`")).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is absent in code that was rewritten, whose uses still have their place", () => {
    const { uses } = programOf("enum A { B }\n\n  const r = await mcp.github.create({ a: A.B });\nreturn r");
    expect(uses).toEqual([
      { namespace: "github", tool: "create", line: 3, column: 19, text: "mcp.github.create", keys: ["a"] },
    ]);
  });
});

describe("the keys of an argument", () => {
  it.each([
    ["mcp.a.b()", []],
    ["mcp.a.b({})", []],
    ["mcp.a.b({ x: 1, 'y-z': 2, 3: 3, w, f() {}, get g() { return 1 } })", ["x", "y-z", "3", "w", "f", "g"]],
    ["mcp.a.b({ x: 1 } as any)", ["x"]],
    ["mcp.a.b({ ...rest })", undefined],
    ["mcp.a.b({ [name]: 1 })", undefined],
    ["mcp.a.b(x)", undefined],
    ["mcp.a.b(...all)", undefined],
    ["const f = mcp.a.b; f({ x: 1 })", undefined],
  ])("%s", (code, keys) => {
    expect(programOf(code).uses[0]!.keys).toEqual(keys);
  });
});

describe("placeInSource", () => {
  it("takes the wrapper's line off", () => {
    const program = programOf("return a();\nb()");
    expect(placeInSource(program, 3, 5)).toEqual({ line: 2, column: 5 });
    expect(placeInSource({}, 3, 5)).toEqual({ line: 2, column: 5 });
  });

  it("knows nothing of the wrapper's own lines", () => {
    for (const program of [programOf("a()"), programOf("enum A { B }")]) {
      expect(placeInSource(program, 1, 1)).toBeUndefined();
      expect(placeInSource(program, program.script.split("\n").length, 1)).toBeUndefined();
    }
  });

  it("reads the source map of code that was rewritten", () => {
    const program = programOf(
      "enum A { B, C }\nclass P { constructor(public n: number) {} }\nthrow new Error('here')",
    );
    const lines = program.script.split("\n");
    const line = lines.findIndex((text) => text.includes("throw")) + 1;
    expect(placeInSource(program, line, lines[line - 1]!.indexOf("throw") + 1)).toEqual({
      line: 3,
      column: 1,
    });
  });
});
