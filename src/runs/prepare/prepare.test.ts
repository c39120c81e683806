import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { fail, succeed } from "../../core/result.ts";
import { createTestRuns, type TestRuns } from "../runs.testkit.ts";
import { addNotes, flow, runCount } from "../workflow/workflow.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;

beforeAll(async () => {
  kit = await createTestRuns(folder);
  addNotes(kit, new Map());
  kit.addSource("mcp", { math__sum: () => 1, math__twice: () => 2 });
  kit.nodes.push({
    definition: { name: "shell", inputSchema: { type: "object" } },
    rawParams: [],
    isRepeatable: () => false,
    precheck: async () => fail("SECURITY_ERROR", "The shell node is off.", { hint: "Use another node." }),
    call: async () => succeed(null),
  });
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  kit.calls.length = 0;
  kit.named.clear();
});

const PAY = { id: "pay", type: "notes__add", params: { n: 1 } };
const code = (id: string, text: string, more: object = {}) => ({
  id,
  type: "code",
  params: { code: text },
  ...more,
});
const start = (id: string, name: string, inputs?: object) => ({
  id,
  type: "workflow",
  params: { name, ...(inputs !== undefined && { inputs }) },
});

function draft(name: string, workflow: JsonObject): void {
  const source = JSON.stringify(workflow);
  kit.named.set(name, { kind: "workflow", source, draft: `draft:${name}` });
}

/** Something kept, by its exposed name and by the name that people write. */
function kept(tool: string, name: string, source: string): void {
  const found = { kind: "code" as const, source, capability: { tool, id: tool, version: 1 } };
  kit.named.set(tool, found);
  kit.named.set(name, found);
}

/** Runs a workflow that must be refused without an effect, and returns its problems. */
async function refused(nodes: readonly object[], more: JsonObject = {}): Promise<Record<string, unknown>[]> {
  const before = await runCount(kit);
  const report = await kit.executeWorkflow(flow(nodes, more));
  expect(kit.calls).toEqual([]);
  expect(await runCount(kit)).toBe(before);
  expect(report.runId).toBeNull();
  if (report.result.success) throw new Error("it ran");
  expect(report.result.error.reason).toMatch(/validation_error|cycle|depth_limit/);
  return [...(report.result.error.problems ?? [])];
}

describe("A3: a workflow is checked whole before its first effect", () => {
  it.each([
    ["a syntax error", "const x = ;", { reason: "syntax_error", code_line: 1, code_column: 11 }],
    ["an unknown tool", "\nreturn await mcp.notes.ad();", { reason: "unknown_tool", code_line: 2 }],
    [
      "a missing argument",
      "return await mcp.notes.strict({});",
      { reason: "missing_argument", code_line: 1 },
    ],
    ["a computed name", "return await mcp.notes[args.x]();", { reason: "computed_name", code_line: 1 }],
    ["no code", "  \n", { reason: "empty" }],
    ["NUL", "return '\0'", { reason: "nul_character" }],
  ])("A3: refuses %s in the code of a node", async (_what, text, problem) => {
    const [first, ...others] = await refused([PAY, code("calc", text)]);
    expect(first).toMatchObject({ place: "nodes[1].params.code", node: "calc", ...problem });
    expect(first?.["fix"]).not.toBe("");
    expect(others).toEqual([]);
  });

  it("A3: tells the mistakes of all nodes, and of one node's code, at once", async () => {
    const text = "await mcp.notes.ad();\nawait mcp.notes.strict({});\nreturn 1;";
    const problems = await refused([
      PAY,
      code("calc", text),
      code("other", "return ]"),
      { id: "off", type: "shell", params: {} },
      { id: "typo", type: "notes__ad", params: {} },
    ]);
    expect(problems.map(({ node, place, code_line }) => [node, place, code_line])).toEqual([
      ["calc", "nodes[1].params.code", 1],
      ["calc", "nodes[1].params.code", 2],
      ["other", "nodes[2].params.code", 1],
      ["off", "nodes[3].type", undefined],
      [undefined, "nodes[4].type", undefined],
    ]);
  });

  it("A3: warns of other type complaints, with the node, and runs", async () => {
    const report = await kit.executeWorkflow(flow([code("calc", 'const n: number = "x";\nreturn n;')]));
    expect(report.result.success).toBe(true);
    expect(report.warnings).toEqual([expect.stringMatching(/^Node calc: Line 1, column 7: /)]);
  });

  it("A3: refuses a nested workflow that does not exist, and inputs that it does not take", async () => {
    draft("child", flow([PAY], { inputs: { n: { type: "number" } } }));
    const problems = await refused([
      PAY,
      start("gone", "childd"),
      start("none", "child"),
      start("odd", "child", { n: "x", m: 1 }),
    ]);
    expect(problems).toMatchObject([
      { node: "gone", place: "nodes[1].params.name", message: "There is no childd." },
      {
        place: "nodes[2].params.inputs.n",
        message: expect.stringContaining('child needs the parameter "n"'),
      },
      { place: "nodes[3].params.inputs.n" },
      { place: "nodes[3].params.inputs.m" },
    ]);
  });

  it("A3: refuses a nested workflow whose own nodes are wrong, at any depth, and names the draft", async () => {
    draft("deep", flow([code("calc", "return mcp.notes.ad();")]));
    draft("middle", flow([start("down", "deep")]));
    const [problem, ...others] = await refused([PAY, start("sub", "middle")]);
    expect(problem).toMatchObject({ place: "nodes[1].params.name", node: "sub", in: "draft deep" });
    expect(problem?.["message"]).toContain("nodes[0].params.code (node calc), line 1, column 8 of its code");
    expect(problem?.["fix"]).toBe("Correct draft deep.");
    expect(others).toEqual([]);
  });

  it("A3: refuses a capability whose code cannot run, by node type, by name and in code", async () => {
    kept("mcp__math__sum", "math:sum", "return await mcp.gone.tool();");
    const byType = await refused([PAY, { id: "sum", type: "mcp__math__sum", params: {} }]);
    expect(byType).toMatchObject([{ place: "nodes[1].type", node: "sum", in: "math:sum" }]);
    expect(byType[0]?.["message"]).toMatch(/^line 1, column 14: There is no server/);
    expect(await refused([PAY, start("sum", "math:sum")])).toMatchObject([{ in: "math:sum" }]);
    expect(await refused([PAY, code("sum", "return await mcp.math.sum();")])).toMatchObject([
      { node: "sum", in: "math:sum", code_line: 1 },
    ]);
    const plain = await kit.execute("await mcp.notes.add({});\nreturn await mcp.math.sum();");
    expect(plain).toMatchObject({ runId: null, result: { error: { place: { line: 2 } } } });
    expect(plain.result.success || plain.result.error.message).toMatch(
      /^Line 2, column 14: In math:sum, line 1/,
    );
    expect(kit.calls).toEqual([]);
  });

  it("A3: refuses what lies in a circle, by drafts and by capabilities, before anything runs", async () => {
    draft("one", flow([start("next", "two")]));
    draft("two", flow([start("next", "one")]));
    expect(await refused([PAY, start("begin", "one")])).toMatchObject([
      { message: expect.stringContaining("draft one → draft two → draft one") },
    ]);
    kept("mcp__math__sum", "math:sum", "return await mcp.math.twice();");
    kept("mcp__math__twice", "math:twice", "return await mcp.math.sum();");
    expect(await refused([PAY, { id: "sum", type: "mcp__math__sum", params: {} }])).toMatchObject([
      { in: "math:twice", message: expect.stringContaining("math:sum → math:twice → math:sum") },
    ]);
  });

  it("A3: refuses what is deeper than a run may go, also where it was met higher up before", async () => {
    for (let i = 1; i <= 9; i++) draft(`level${i}`, flow(i === 9 ? [PAY] : [start("down", `level${i + 1}`)]));
    expect(await refused([PAY, start("down", "level1")])).toMatchObject([
      { node: "down", message: expect.stringContaining("8 deep") },
    ]);
    expect(await refused([start("near", "level2"), start("far", "level1")])).toMatchObject([
      { node: "far", message: expect.stringContaining("8 deep") },
    ]);
    const report = await kit.executeWorkflow(flow([start("near", "level2")]));
    expect(report.result.success).toBe(true);
  });

  it("A3: reads each nested source once, however many ways lead to it", async () => {
    const width = 20;
    for (const level of ["a", "b", "c"]) {
      const below = { a: "b", b: "c", c: undefined }[level];
      const nodes = Array.from({ length: width }, (_, i) =>
        below === undefined ? code(`n${i}`, "return 1") : start(`n${i}`, below),
      );
      draft(level, flow(nodes));
    }
    const found: string[] = [];
    const get = kit.named.get.bind(kit.named);
    kit.named.get = (name) => (found.push(name), get(name));
    await kit.runs.prepareWorkflow(JSON.stringify(flow([start("go", "a")])), undefined, {
      traceId: "t",
      signal: new AbortController().signal,
    });
    kit.named.get = get;
    expect(found).toHaveLength(1 + 2 * width);
  });

  it("A3: refuses parameters that are written out and not valid, and leaves templates to the run", async () => {
    const late = { id: "late", type: "wait", params: { ms: -1 } };
    expect(await refused([PAY, late])).toMatchObject([{ place: "nodes[1].params", node: "late" }]);
    const report = await kit.executeWorkflow(
      flow([PAY, start("sub", "${name}")], { inputs: { name: { type: "string" } } }),
      { inputs: { name: "nope" } },
    );
    expect(report.result).toMatchObject({ error: { message: "There is no nope." } });
    expect(kit.calls).toHaveLength(1);
  });

  it("A3: goes on with a run although something that it has done already is not there any more", async () => {
    draft("child", flow([PAY]));
    const nodes = [start("sub", "child"), { id: "fails", type: "notes__fail", params: { of: "${sub}" } }];
    const stopped = await kit.executeWorkflow(flow(nodes));
    kit.named.clear();
    const resumed = await kit.resume(stopped.runId!);
    expect(resumed.result).toMatchObject({ error: { node: "fails", message: "the disk is full" } });
    expect(kit.calls.filter(({ tool }) => tool === "notes__add")).toHaveLength(1);
  });
});
