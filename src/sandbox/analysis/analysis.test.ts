import { afterAll, describe, expect, it } from "vitest";
import { createCodeAnalysis } from "./analysis.ts";

const analysis = createCodeAnalysis();
afterAll(() => analysis.close());

const CODE_MAX = 256 * 1024;
/** The budget of a request, and what its end and the start of a new thread may take on a busy machine. */
const PATIENCE_MS = 25_000;

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const startedAt = performance.now();
  return { result: await work, ms: performance.now() - startedAt };
}

const nest = (open: string, inside: string, close: string, depth: number): string =>
  open.repeat(depth) + inside + close.repeat(depth);
const fill = (piece: string): string => piece.repeat(Math.floor(CODE_MAX / piece.length));
const list = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join("");

describe("code analysis", () => {
  it("reads code in its thread", async () => {
    expect(await analysis.analyse("const r: unknown = await mcp.a.b({});\nreturn r")).toMatchObject({
      kind: "program",
      program: { uses: [{ namespace: "a", tool: "b", line: 1, column: 26 }] },
    });
  });

  it("answers requests that come together, each with its own", async () => {
    const all = await Promise.all(["mcp.a.b()", "mcp[x]", "mcp.c.d()"].map((code) => analysis.analyse(code)));
    expect(all).toMatchObject([
      { program: { uses: [{ tool: "b" }] } },
      { kind: "refused" },
      { program: { uses: [{ tool: "d" }] } },
    ]);
  });

  it("can be warmed before the first request", async () => {
    const warmed = createCodeAnalysis();
    warmed.warm();
    expect(await warmed.analyse("return 1")).toMatchObject({ kind: "program" });
    await warmed.close();
  });

  it("refuses what comes after its close", async () => {
    const closed = createCodeAnalysis();
    await closed.close();
    expect(await closed.analyse("return 1")).toMatchObject({
      kind: "refused",
      problems: [{ reason: "not_available" }],
    });
  });
});

describe("code that nests too deeply is refused, and the next request is answered", () => {
  it.each([
    ["parentheses", nest("(", "1", ")", 100_000)],
    ["a few thousand parentheses", nest("(", "1", ")", 3_000)],
    ["arrays", nest("[", "", "]", 100_000)],
    ["objects", `return ${nest("{a:", "1", "}", 50_000)}`],
    ["negations", `${"!".repeat(100_000)}1`],
    ["templates", nest("`${", "1", "}`", 50_000)],
    ["members", `a${".b".repeat(50_000)}`],
    ["members of mcp", `mcp${".b".repeat(50_000)}`],
    ["sums", `a${"+a".repeat(100_000)}`],
    ["arrows", `${"x=>".repeat(50_000)}1`],
    ["braces that never close", "{".repeat(CODE_MAX)],
    ["else if", `if(a){}${"else if(a){}".repeat(20_000)}`],
    ["types", `let x: ${nest("Array<", "1", ">", 20_000)}`],
    ["rewritten code", `enum A { B }\n${nest("(", "1", ")", 100_000)}`],
  ])("%s", async (_, code) => {
    const { result, ms } = await timed(analysis.analyse(code));
    expect(result).toMatchObject({ kind: "refused", problems: [{ reason: "too_deep", line: 1 }] });
    expect(ms).toBeLessThan(PATIENCE_MS);
    expect(await analysis.analyse("return await mcp.a.b()")).toMatchObject({ kind: "program" });
  });
});

describe("256 KiB are read or refused in time, and the next request is answered", () => {
  it.each([
    ["semicolons", fill(";")],
    ["one identifier", fill("a")],
    ["blocks", fill("{}")],
    ["uses of a tool", fill("mcp.a.b;")],
    ["mcp itself", fill("mcp;")],
    ["computed names", fill("mcp[x];")],
    ["aliases in the wrong order", `${list(9_000, (n) => `var a${n}=a${n + 1};`)}var a9000=mcp;a0.x.y()`],
    [
      "every namespace in every variable",
      `let x;${list(6_000, (n) => `x=mcp.n${n};`)}${list(6_000, (n) => `var y${n}=x;y${n}.t;`)}`,
    ],
    ["tabs before an error", `${"\t".repeat(CODE_MAX - 8)}let x =;`],
    ["elements", `[${"1,".repeat(CODE_MAX / 2 - 1)}]`],
    ["names in 900 blocks, which cost each name 900 times", nest("{", "x;".repeat(120_000), "}", 900)],
  ])("%s", async (_, code) => {
    const { result, ms } = await timed(analysis.analyse(code));
    expect(["program", "refused"]).toContain(result.kind);
    expect(ms).toBeLessThan(PATIENCE_MS);
    expect(await analysis.analyse("return await mcp.a.b()")).toMatchObject({ kind: "program" });
  });
});
