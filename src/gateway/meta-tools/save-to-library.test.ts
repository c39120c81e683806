import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf, type FixtureSource } from "../../../test/fixtures/tool-source.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { WORKFLOW, openRig, sum } from "../gateway.testkit.ts";

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

  describe("S8: with a tool that only what was kept may use", () => {
    const openShop = async () => {
      const shop = createFixtureSource("shop", [toolOf("pay"), toolOf("look")]);
      const rig = await openRig(shop);
      const keep = (draft: string, text: string, more = {}) => {
        writeFileSync(join(rig.draftsFolder, draft), text);
        const named = { draft_name: draft.replace(/\.\w+$/, ""), final_name: "shopping:pay", ...more };
        return rig.call("save_to_library", { ...request, ...named });
      };
      const hide = () => rig.registry.restrict("shop", { deny: ["pay"], exceptCapabilities: true });
      const paid = () => shop.calls.filter(({ name }) => name === "pay").length;
      return { ...rig, keep, hide, paid };
    };
    const PAY = "return await mcp.shop.pay();";
    const flow = (...nodes: object[]) => JSON.stringify({ ir_version: "1.0", nodes });

    it("S8: refuses to keep a draft that its keeper may not run, as code and as a workflow", async () => {
      const { keep, hide, call, paid } = await openShop();
      hide();
      const denied = { error: { code: "SECURITY_ERROR" } };
      expect(await keep("code.ts", PAY)).toMatchObject(denied);
      expect(await keep("tool.json", flow({ id: "pay", type: "shop__pay" }))).toMatchObject(denied);
      const inCode = flow({ id: "pay", type: "code", params: { code: PAY } });
      expect(await keep("node.json", inCode)).toMatchObject(denied);
      const nested = flow({ id: "pay", type: "workflow", params: { name: "node" } });
      expect(await keep("nested.json", nested)).toMatchObject(denied);
      expect(await call("list_library")).toMatchObject({ items: [] });
      expect(await call("execute", { code: PAY, save_as: "shopping:pay" })).toMatchObject(denied);
      expect(paid()).toBe(0);
    });

    it("S8: what was kept before goes on using it, and a new version may not begin to", async () => {
      const { keep, hide, call, paid } = await openShop();
      expect(await keep("code.ts", PAY)).toMatchObject({ version: 1 });
      expect(await keep("look.ts", "return 1", { final_name: "shopping:look" })).toMatchObject({
        version: 1,
      });
      hide();
      expect(await call("execute", { name: "shopping:pay" })).toMatchObject({ success: true });
      expect(paid()).toBe(1);
      const overwrite = { final_name: "shopping:look", overwrite: true };
      expect(await keep("look.ts", PAY, overwrite)).toMatchObject({ error: { code: "SECURITY_ERROR" } });
      const through = "return await mcp.shopping.pay();";
      expect(await keep("look.ts", through, overwrite)).toMatchObject({ version: 2 });
    });

    it("S8: a draft that a kept workflow starts uses it as little as any other draft", async () => {
      const { keep, hide, call, draftsFolder, paid } = await openShop();
      writeFileSync(join(draftsFolder, "step.ts"), "return 1;");
      const starts = flow({ id: "step", type: "workflow", params: { name: "step" } });
      expect(await keep("flow.json", starts)).toMatchObject({ version: 1 });
      hide();
      writeFileSync(join(draftsFolder, "step.ts"), PAY);
      expect(await call("execute", { name: "shopping:pay" })).toMatchObject({
        error: { code: "SECURITY_ERROR" },
      });
      expect(paid()).toBe(0);
    });
  });

  describe("S7: kept code keeps to the sources that its names meant", () => {
    const KEPT = "return await mcp.math.sum();";
    const openMath = async (...sources: FixtureSource[]) => {
      const rig = await openRig(...sources);
      const keep = (name: string, text: string, more = {}) => {
        writeFileSync(join(rig.draftsFolder, "part.ts"), text);
        const what = { draft_name: "part", final_name: name, description: "A part." };
        return rig.call("save_to_library", { ...what, ...more });
      };
      const run = (name: string) => rig.call("execute", { name });
      const used = async (name: string) => {
        const told = await rig.call("describe_workflow", { name });
        return told["tools_used"] as { tool: string; state: string; changes: string[] }[];
      };
      return { ...rig, keep, run, used };
    };
    const serverMath = () => createFixtureSource("math", [toolOf("sum")]);

    it("S7: a server that is added later does not capture what was meant for a capability", async () => {
      const { keep, run, used, call, addServer, draftsFolder } = await openMath();
      await keep("math:sum", "return 42");
      await keep("part:code", KEPT);
      const nodes = [{ id: "sum", type: "code", params: { code: KEPT } }];
      writeFileSync(
        join(draftsFolder, "flow.json"),
        JSON.stringify({ ir_version: "1.0", nodes, outputs: { sum: { source: "${sum}" } } }),
      );
      const flow = { draft_name: "flow", final_name: "part:flow", description: "A flow." };
      expect(await call("save_to_library", flow)).toMatchObject({ version: 1 });
      expect(await used("part:code")).toMatchObject([{ tool: "mcp__math__sum", state: "same" }]);
      const math = serverMath();
      addServer(math);
      expect(await run("part:code")).toMatchObject({
        outputs: 42,
        warnings: [expect.stringContaining("the server math")],
      });
      expect(await run("part:flow")).toMatchObject({ outputs: { sum: 42 } });
      for (const name of ["part:code", "part:flow"]) {
        expect(await used(name)).toMatchObject([
          { state: "source_changed", changes: [expect.stringContaining("the server math in new code")] },
        ]);
      }
      expect(math.calls).toEqual([]);
      expect(await call("execute", { code: KEPT })).toMatchObject({ outputs: "math did sum" });
      const rebound = { overwrite: true };
      expect(await keep("part:code", KEPT, rebound)).toMatchObject({ version: 2 });
      expect(await keep("part:code", KEPT, rebound)).toMatchObject({ version: 2 });
      expect(await run("part:code")).toEqual(expect.not.objectContaining({ warnings: expect.anything() }));
    });

    it("S7: another capability of the same name is refused, a renamed one is followed", async () => {
      const { keep, run, used, store } = await openMath();
      await keep("math:sum", "return 42");
      await keep("part:code", KEPT);
      const sumOf = (await store.capabilities.list(DEFAULT_SCOPE)).find(({ action }) => action === "sum");
      await store.capabilities.rename(sumOf!.id, { namespace: "calc", action: "sum" });
      expect(await run("part:code")).toMatchObject({ outputs: 42 });
      await store.capabilities.remove(sumOf!.id);
      await keep("math:sum", "return 666");
      expect(await run("part:code")).toMatchObject({
        error: { code: "TOOL_UNAVAILABLE", reason: "source_changed", place: { line: 1 } },
      });
      expect(await used("part:code")).toMatchObject([
        { state: "source_changed", changes: ["another capability has this name now"] },
      ]);
    });

    it("S7: a capability does not stand in for a server that is gone", async () => {
      const { keep, run, used, registry, removeServer } = await openMath(serverMath());
      await keep("part:code", KEPT);
      expect(await run("part:code")).toMatchObject({ outputs: "math did sum" });
      await removeServer("math");
      expect(await keep("math:sum", "return 666")).toMatchObject({ version: 1 });
      expect(registry.route("math__sum")).toBeUndefined();
      expect(await run("part:code")).toMatchObject({ error: { reason: "source_changed" } });
      expect(await used("part:code")).toMatchObject([{ state: "source_changed" }]);
    });

    it("S7: what was kept before sources were recorded runs as it did, and is bound when it is saved again", async () => {
      const { keep, run, used, store, addServer } = await openMath();
      await keep("math:sum", "return 42");
      const toolsUsed = [{ tool: "mcp__math__sum", hash: "x" }];
      await store.capabilities.save({
        ...sum,
        namespace: "part",
        action: "code",
        source: KEPT,
        inputSchema: { type: "object" },
        toolsUsed,
      });
      expect(await run("part:code")).toMatchObject({ outputs: 42 });
      expect(await keep("part:code", KEPT, { overwrite: true })).toMatchObject({ version: 2 });
      addServer(serverMath());
      expect(await run("part:code")).toMatchObject({ outputs: 42 });
      expect(await run("part:code@1")).toMatchObject({ outputs: "math did sum" });
      expect(await used("part:code@1")).toMatchObject([{ state: "source_changed" }]);
    });
  });

  it("A4: execute runs the version that the FQDN names, and an unknown hash runs nothing", async () => {
    const { call, draftsFolder } = await openRig();
    for (const text of ["return 401", "return 450"]) {
      writeFileSync(join(draftsFolder, "report.ts"), text);
      await call("save_to_library", { ...request, overwrite: true });
    }
    const run = (hash: string) => call("execute", { name: `local.default.text.report.${hash}` });
    expect(await run("d21b")).toMatchObject({ outputs: 401 });
    expect(await run("d21b0")).toMatchObject({ outputs: 450 });
    expect(await run("ffff")).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", nearest: expect.arrayContaining(["local.default.text.report.d21b"]) },
    });
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

  it("refuses NUL in the description and in the draft", async () => {
    const { call, draftsFolder } = await openRig();
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    writeFileSync(join(draftsFolder, "odd.ts"), "return '\0'");
    expect(await call("save_to_library", { ...request, description: "a\0b" })).toMatchObject({
      error: { reason: "nul_character", field: "description" },
    });
    expect(await call("save_to_library", { ...request, draft_name: "odd" })).toMatchObject({
      error: { reason: "nul_character", field: "draft_name" },
    });
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
