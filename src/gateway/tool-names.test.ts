/** Names that agents get wrong, wherever a name is taken. What is suggested is what the same call accepts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { openRig, sum, WORKFLOW } from "./gateway.testkit.ts";
import { openProfileRig } from "./profiles/profile.testkit.ts";

const analyzer = {
  ...sum,
  namespace: "workflow",
  action: "pr_analyzer",
  kind: "workflow" as const,
  source: WORKFLOW,
  inputSchema: { type: "object" },
  outputSchema: null,
};

async function openNamed() {
  const files = createFixtureSource("files", [toolOf("read_text_file"), toolOf("list")]);
  const notes = createFixtureSource("notes", [toolOf("get-sum"), toolOf("list")]);
  const rig = await openRig(files, notes);
  await rig.store.capabilities.save(sum);
  await rig.store.capabilities.save(analyzer);
  return { ...rig, files, notes };
}

const nearestIn = (answer: Record<string, unknown>) => (answer["error"] as { nearest?: string[] }).nearest;

describe("D3: a tool that is called by another name", () => {
  it.each([
    ["files_read_text_file", ["files__read_text_file"]],
    ["files.read_text_file", ["files__read_text_file"]],
    ["mcp__files__read_text_file", ["files__read_text_file"]],
    ["filesReadTextFile", ["files__read_text_file"]],
    ["mcp__maths__sum", ["mcp__math__sum"]],
    ["math__sum", ["mcp__math__sum"]],
    ["notes.sum", ["notes__get-sum"]],
    ["pr-analyser", ["mcp__workflow__pr_analyzer"]],
  ])("%s is not called, and %j is named though no server was asked before", async (name, nearest) => {
    const { call, files, notes } = await openNamed();
    const answer = await call(name);
    expect(answer).toMatchObject({ isError: true });
    expect(nearestIn(answer)!.slice(0, 1)).toEqual(nearest);
    expect([files.calls, notes.calls]).toEqual([[], []]);
  });

  it("is named where only its own part was given: the one, or all", async () => {
    const { call } = await openNamed();
    await call("browse_components");
    expect(nearestIn(await call("read_text_file"))).toEqual(["files__read_text_file"]);
    expect(nearestIn(await call("list"))).toEqual(["files__list", "notes__list"]);
  });

  it.each([
    "math:sum",
    "local.default.math.sum.HASH",
    "mcp__math__sum",
    "mcp__old__add",
    "old:add",
    "math:sum@1",
  ])("is the capability itself for %s", async (name) => {
    const { gateway, store } = await openNamed();
    const { id } = (await store.capabilities.find(sum.scope, sum))!;
    await store.capabilities.rename(id, { namespace: "old", action: "add" });
    await store.capabilities.rename(id, { namespace: "math", action: "sum" });
    const [version] = await store.capabilities.versions(id);
    const answer = await gateway.callTool(name.replace("HASH", version!.shortHash), { a: 2, b: 3 });
    expect(answer).toMatchObject({ content: [{ text: "5" }] });
    expect(answer.isError).toBeUndefined();
  });

  it("is the bare name of a workflow", async () => {
    const { gateway } = await openNamed();
    for (const name of ["pr-analyzer", "pr_analyzer", "workflow:pr_analyzer"]) {
      expect(await gateway.callTool(name, {})).toMatchObject({ structuredContent: { sum: 2 } });
    }
  });

  it("runs the version that its FQDN names, not the newest", async () => {
    const { gateway, store } = await openNamed();
    const first = (await store.capabilities.find(sum.scope, sum))!;
    const [old] = await store.capabilities.versions(first.id);
    await store.capabilities.save({ ...sum, source: "return args.a * args.b;", overwrite: true });
    const text = async (name: string) =>
      ((await gateway.callTool(name, { a: 5, b: 6 })).content[0] as { text: string }).text;
    expect(await text("math:sum")).toBe("30");
    expect(await text(`local.default.math.sum.${old!.shortHash}`)).toBe("11");
    expect(await text("math:sum@1")).toBe("11");
    expect(await text("math:sum@9")).toContain("no such version");
  });
});

describe("D3: a misspelt name of something kept", () => {
  it.each([
    ["pr-analyser", "workflow:pr_analyzer"],
    ["prAnalyzer", "workflow:pr_analyzer"],
    ["PR-Analyzer", "workflow:pr_analyzer"],
    ["mcp__maths__sum", "math:sum"],
    ["math.sum", "math:sum"],
    ["math_sum", "math:sum"],
  ])("%s is told %s by execute and describe_workflow, which both accept", async (name, right) => {
    const { call } = await openNamed();
    for (const tool of ["execute", "describe_workflow"]) {
      const answer = await call(tool, { name });
      expect({ tool, near: nearestIn(answer) }).toEqual({ tool, near: [right] });
      const inputs: JsonObject = tool === "execute" && right === "math:sum" ? { inputs: { a: 1 } } : {};
      expect(await call(tool, { ...inputs, name: right })).toMatchObject({ isError: false });
    }
  });

  it.each([
    ["files.read_text_file", "files__read_text_file"],
    ["read_text_file", "files__read_text_file"],
    ["files__read_txt_file", "files__read_text_file"],
    ["mcp__maths__sum", "mcp__math__sum"],
    ["cod", "code"],
  ])("a node of type %s is told %s", async (type, right) => {
    const { call, draftsFolder } = await openNamed();
    await call("browse_components");
    const draft = { ir_version: "1.0", nodes: [{ id: "a", type, params: {} }] };
    writeFileSync(join(draftsFolder, "flow.json"), JSON.stringify(draft));
    expect(JSON.stringify(await call("execute", { name: "flow" }))).toContain(right);
  });

  it.each([
    ["PR Analyzer", "code:pr_analyzer"],
    ["Math:Product", "math:product"],
    ["notes:all", "code:notes_all"],
    ["math:sum", "math:sum_2"],
    ["math:sum@3", undefined],
  ])("save_to_library of %s proposes %s, which it accepts", async (final_name, free) => {
    const { call, draftsFolder } = await openNamed();
    writeFileSync(join(draftsFolder, "one.ts"), "return 1");
    const request = { draft_name: "one", description: "One." };
    const answer = await call("save_to_library", { ...request, final_name });
    expect(answer).toMatchObject({ isError: true });
    expect(nearestIn(answer)?.[0]).toBe(free);
    if (free === undefined) return;
    expect(await call("save_to_library", { ...request, final_name: free })).toMatchObject({ success: true });
  });
});

describe("D3: a profile that hides a tool", () => {
  const RULES = { servers: ["notes"], capabilities: { allow: ["math:*"] } };

  it.each(["files.read", "files_read", "mcp__files__read", "read", "report:digest", "reportDigest", "drop"])(
    "names nothing that it hides for %s",
    async (name) => {
      const rig = await openProfileRig();
      const { call } = rig.profile({ ...RULES, tools: { deny: ["notes__drop"] } });
      const answers = [
        await call(name),
        await call("execute", { name }),
        await call("describe_workflow", { name }),
      ];
      const code = `return await ${name.replaceAll(/\W/g, ".")}({})`;
      answers.push(await call("execute", { code }));
      for (const answer of answers) {
        expect(answer).toMatchObject({ isError: true });
        expect(nearestIn(answer) ?? []).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/files|report|drop/)]),
        );
      }
    },
  );

  it("takes every name of what it shows, and calls a meta-tool that it hides by none", async () => {
    const rig = await openProfileRig();
    await rig.store.capabilities.save({ ...sum, namespace: "code", action: "execute", toolsUsed: [] });
    const { call } = rig.profile({ ...RULES, capabilities: {}, tools: { deny: ["execute"] } });
    expect(await call("math:sum", { a: 1 })).toEqual({ isError: false, text: "2" });
    expect(await call("notes.list")).toMatchObject({ error: { nearest: ["notes__list"] } });
    // The capability of that name answers; code is not run.
    expect(await call("execute", { a: 1, code: "return 'run'" })).not.toMatchObject({ outputs: "run" });
  });

  it("takes the new name alone of what it renames", async () => {
    const rig = await openProfileRig();
    const { call } = rig.profile({ rename: { mcp__math__sum: "add" } });
    expect(await call("add", { a: 1 })).toEqual({ isError: false, text: "2" });
    expect(await call("math:sum", { a: 1 })).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", nearest: ["add"] },
    });
  });
});
