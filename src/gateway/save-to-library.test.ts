import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixtureSource } from "../../test/fixtures/tool-source.ts";
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
