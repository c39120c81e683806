/** Code that is not written quite as a run needs it, through every way in which code runs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestRuns, type TestRuns } from "./runs.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;

beforeAll(async () => {
  kit = await createTestRuns(folder);
  kit.addSource("notes", { list: () => [1, 2], add: ({ n }) => ({ n }), "get-sum": () => 3 });
  kit.addSource("files", { read_text_file: () => "text", list: () => [] });
  kit.addCapabilities({ "math:sum": "const main = async ({ n }) => n + 1", "math:fenced": "```ts\n15\n```" });
});

afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("D2: code as it was meant", () => {
  it.each([
    ["ends in an expression", "const all = await mcp.notes.list({});\nall.length", 2],
    ["ends in a call that is not awaited", "mcp.notes.list({})", [1, 2]],
    [
      "defines main and does not call it",
      "async function main({ n }) { return mcp.notes.add({ n }) }",
      { n: 4 },
    ],
    ["calls main at its end", "async function main() { return 5 }\nmain();", 5],
    ["stands in a fence", "```ts\nreturn args.n\n```", 4],
  ])("code that %s has a result", async (_, code, outputs) => {
    const { result, runId } = await kit.execute(code, { inputs: { n: 4 } });
    expect(result).toEqual({ success: true, data: outputs });
    expect(await kit.store.runs.find(runId!)).toMatchObject({ source: code });
  });

  it("says so where code that made calls returned nothing, and nothing else", async () => {
    const told = await kit.execute("const all = await mcp.notes.list({});\nconsole.log(all.length)");
    expect(told).toMatchObject({ result: { success: true, data: null }, logs: [{ message: "2" }] });
    expect(told.warnings).toEqual(["The code returned nothing: end it with `return …`."]);
    expect((await kit.execute("await mcp.notes.list({});\nreturn null")).warnings).toEqual([]);
  });

  it("shows the line inside the fence when code throws, and that it was fenced", async () => {
    const { result, warnings } = await kit.execute("See:\n```js\nconst a = 1;\na.b.c\n```");
    expect(result).toMatchObject({ error: { place: { line: 2, text: "a.b.c" } } });
    expect(warnings[0]).toContain("fence");
  });

  it("runs the same as a capability and as a node of a workflow", async () => {
    const data = { sum: 5, fenced: 15 };
    const code = "({ sum: await mcp.math.sum({ n: 4 }), fenced: await mcp.math.fenced() })";
    expect((await kit.execute(code)).result).toEqual({ success: true, data });
    const workflow = {
      ir_version: "1.0",
      inputs: {},
      nodes: [{ id: "a", type: "code", params: { code } }],
      outputs: { all: { source: "${a}" } },
    };
    expect((await kit.executeWorkflow(workflow)).result).toMatchObject({ data: { all: data } });
  });

  it("says how code is written to its writer, and not to everyone who calls what was kept", async () => {
    const capability = { tool: "mcp__math__fenced", id: "x", version: 1 };
    const { warnings } = await kit.execute("```ts\nawait mcp.notes.list({})\nconsole.log(1)\n```", {
      capability,
    });
    expect(warnings).toEqual([]);
  });

  it("goes on with the same meaning: no call is made twice", async () => {
    const code = (end: string) =>
      `async function main() { const r = await mcp.notes.add({ n: 77 }); ${end} }`;
    const made = () => kit.calls.filter(({ args }) => JSON.stringify(args).includes("77")).length;
    const failed = await kit.execute(code("return r.x.y"));
    expect(failed.result.success).toBe(false);
    const resumed = await kit.resume(failed.runId!, {
      corrected: { kind: "code", source: code("return r") },
    });
    expect(resumed).toMatchObject({ result: { data: { n: 77 } }, calls: [{ isReplayed: true }] });
    expect(made()).toBe(1);
  });
});

describe("D2: calls that do not go through mcp", () => {
  it.each([
    ["notes__list({})", "mcp.notes.list"],
    ["return await notes.list({})", "mcp.notes.list"],
    ["const r = await mcp.notes__list({})", "mcp.notes.list"],
    ['await mcp["notes__list"]({})', "mcp.notes.list"],
    ['await callTool("notes__list", {})', "mcp.notes.list"],
    ['await tools.call("notes.list")', "mcp.notes.list"],
    ['await client.callTool({ name: "notes__get-sum" })', 'mcp.notes["get-sum"]'],
    ['await mcp.callTool("files_read_text_file", {})', "mcp.files.read_text_file"],
    ["await read_text_file({})", "mcp.files.read_text_file"],
    ["await mcp__files__read_text_file({})", "mcp.files.read_text_file"],
    ["await math.sum({ n: 1 })", "mcp.math.sum"],
    ["await mcp__math__sum({ n: 1 })", "mcp.math.sum"],
    ["await readTextFile({})", "mcp.files.read_text_file"],
    ["await notes.lst({})", "mcp.notes.list"],
    ["await mcp.fiels.read_text_file({})", "mcp.files.read_text_file"],
  ])("%s is refused with the right name, before anything runs", async (code, right) => {
    const before = kit.calls.length;
    const { result, runId } = await kit.execute(`await mcp.notes.add({ n: 1 });\n${code}`);
    expect(result).toMatchObject({
      success: false,
      error: { code: "TOOL_NOT_FOUND", reason: "unknown_tool", nearest: [right], place: { line: 2 } },
    });
    expect(runId).toBeNull();
    expect(kit.calls).toHaveLength(before);
  });

  it("tells all of them at once", async () => {
    const { result } = await kit.execute("const a = notes__list({});\nreturn files.read_text_file({ a })");
    const { message } = (result as { error: { message: string } }).error;
    expect(message.split("\n")).toEqual([
      "Line 1, column 11: Code calls tools through mcp: await mcp.notes.list({ … }). [notes__list]",
      expect.stringMatching(/^Line 2, column 8: .* mcp\.files\.read_text_file/),
    ]);
  });

  it("names every tool that a bare name may mean", async () => {
    expect((await kit.execute("await list({})")).result).toMatchObject({
      error: { nearest: ["mcp.files.list", "mcp.notes.list"] },
    });
  });

  it("leaves functions of the code's own alone, whatever they are called", async () => {
    const code =
      "const notes = { list: () => 1 };\nfunction callTool() { return 2 }\nreturn [notes.list(), callTool('notes__list')]";
    expect((await kit.execute(code)).result).toEqual({ success: true, data: [1, 2] });
  });
});
