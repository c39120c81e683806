import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { WORKFLOW, openRig, sum } from "./gateway.testkit.ts";

describe("save_to_library", () => {
  const request = { draft_name: "report", final_name: "text:report", description: "Reports." };

  it("wants a draft that exists and is valid", async () => {
    const { call, draftsFolder } = await openRig();
    expect(await call("save_to_library", request)).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", field: "draft_name" },
    });
    writeFileSync(join(draftsFolder, "report.json"), "{oops");
    expect(await call("save_to_library", request)).toMatchObject({ error: { reason: "validation_error" } });
    writeFileSync(join(draftsFolder, "report.json"), "{}");
    expect(await call("save_to_library", request)).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", reason: "validation_error", field: "draft_name" },
    });
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    expect(await call("save_to_library", request)).toMatchObject({
      success: true,
      tool: "mcp__text__report",
    });
    expect(readdirSync(draftsFolder)).toEqual([]);
  });

  it("A3: keeps nothing that a run would refuse: broken code in a node, an empty draft", async () => {
    const { call, draftsFolder } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const nodes = [
      { id: "list", type: "notes__list" },
      { id: "calc", type: "code", params: { code: "return await mcp.notes.lst();" } },
    ];
    writeFileSync(join(draftsFolder, "report.json"), JSON.stringify({ ir_version: "1.0", nodes }));
    expect(await call("save_to_library", request)).toMatchObject({
      error: { reason: "validation_error", problems: [{ node: "calc", code_line: 1, code_column: 14 }] },
    });
    writeFileSync(join(draftsFolder, "empty.ts"), "\n");
    const empty = { ...request, draft_name: "empty" };
    expect(await call("save_to_library", empty)).toMatchObject({ error: { reason: "empty" } });
    expect(await call("list_library")).toMatchObject({ items: [] });
    expect(readdirSync(draftsFolder).sort()).toEqual(["empty.ts", "report.json"]);
  });

  it("A3: refuses a new version that would close a circle through other capabilities", async () => {
    const { call, draftsFolder } = await openRig();
    const keep = (name: string, text: string) => {
      writeFileSync(join(draftsFolder, "part.ts"), text);
      const what = { draft_name: "part", final_name: name, description: "A part.", overwrite: true };
      return call("save_to_library", what);
    };
    expect(await keep("part:b", "return 1")).toMatchObject({ version: 1 });
    expect(await keep("part:a", "return await mcp.part.b()")).toMatchObject({ version: 1 });
    expect(await keep("part:c", "return await mcp.part.a()")).toMatchObject({ version: 1 });
    expect(await keep("part:b", "return await mcp.part.c()")).toMatchObject({
      error: {
        reason: "cycle",
        place: { line: 1 },
        message: expect.stringContaining("part:b → part:c → part:a → part:b"),
      },
    });
    expect(await call("execute", { name: "part:c" })).toMatchObject({ success: true, outputs: 1 });
  });

  it("T102: notes who has kept it, by the token that they came in with", async () => {
    const { gateway, call, draftsFolder } = await openRig();
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    const principal = {
      id: "token:laptop",
      name: "laptop",
      permissions: new Set(["write"] as const),
      revoked: new AbortController().signal,
    };
    await gateway.callTool("save_to_library", request, { principal });
    const told = await call("describe_workflow", { name: "text:report" });
    expect(JSON.stringify(told)).toContain('"author":"laptop"');
  });

  it("limits the description to 8 KiB and the tags to twenty", async () => {
    const { call, draftsFolder } = await openRig();
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    const tags = Array.from({ length: 21 }, (_, i) => `t${i}`);
    const largest = { ...request, description: "x".repeat(8192), tags: tags.slice(1) };
    expect(await call("save_to_library", { ...largest, description: "x".repeat(8193) })).toMatchObject({
      error: { field: "description" },
    });
    expect(await call("save_to_library", { ...largest, tags })).toMatchObject({ error: { field: "tags" } });
    expect(await call("save_to_library", largest)).toMatchObject({ success: true });
  });

  it("wants a final name that is free, or overwrite", async () => {
    const { call, store, draftsFolder } = await openRig();
    await store.capabilities.save(sum);
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    const taken = { ...request, final_name: "math:sum" };
    expect(await call("save_to_library", taken)).toMatchObject({
      error: { reason: "taken", field: "final_name", hint: expect.stringContaining("overwrite: true") },
    });
    expect(await call("save_to_library", { ...taken, overwrite: true })).toMatchObject({
      success: true,
      version: 2,
    });
    expect(await call("execute", { name: "math:sum" })).toMatchObject({ outputs: { sum: 2 } });
  });

  it.each([
    ["the id of a server", "github:report", "TOOL_INVALID_INPUT"],
    ["a path", "../report", "SECURITY_ERROR"],
    ["a version", "text:report@2", "TOOL_INVALID_INPUT"],
    ["a FQDN", "local.default.text.report.abcd", "TOOL_INVALID_INPUT"],
    ["upper case", "Text:Report", "TOOL_INVALID_INPUT"],
  ])("refuses as final name %s", async (_, finalName, code) => {
    const { call, draftsFolder } = await openRig(createFixtureSource("github", []));
    writeFileSync(join(draftsFolder, "report.json"), "{}");
    expect(await call("save_to_library", { ...request, final_name: finalName })).toMatchObject({
      error: { code, field: "final_name" },
    });
  });
});
