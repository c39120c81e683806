import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeInSource } from "./analysis-place.ts";
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

  it("in a very long line shows what stands around it", () => {
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
    ["import type { A } from 'a'", 1],
    ["import fs = require('fs')", 1],
    ["const a: string = 'b';\n\timport { x } from 'y';", 2],
    ["export const a = 1", 1],
    ["export default 1", 1],
    ["export {}", 1],
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
    const program = programOf("a();\nb()");
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
