import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../../core/json.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { bench, WORKFLOW, denied, openRig, sum } from "../gateway.testkit.ts";
import { listTools } from "../list-all.ts";

describe("execute", () => {
  it.each([
    ["nothing to run", {}, "name"],
    ["name and code", { name: "a", code: "b" }, "code"],
    ["uncertain without resume", { code: "1", uncertain: "retry" }, "uncertain"],
    ["an unknown answer to uncertain", { resume: "last", uncertain: "maybe" }, "uncertain"],
    ["a resume that is no run id", { resume: "../x" }, "resume"],
    ["a timeout over ten minutes", { code: "1", timeout_ms: 600_001 }, "timeout_ms"],
    ["a bad save_as", { code: "1", save_as: "Not A Name" }, "save_as"],
  ])("refuses %s", async (_, args, field) => {
    const { call } = await openRig();
    expect(await call("execute", args as JsonObject)).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", field },
    });
  });

  it("limits code to 256 KiB, just under, at and just over", async () => {
    const { call } = await openRig();
    for (const length of [262_143, 262_144]) {
      expect(await call("execute", { code: "return 1 //".padEnd(length, "x") })).toMatchObject({
        outputs: 1,
      });
    }
    expect(await call("execute", { code: "x".repeat(262_145) })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", field: "code", message: expect.stringContaining("262144") },
    });
  });

  it("refuses NUL in what it would store, and runs nothing", async () => {
    const { call, store, draftsFolder } = await openRig();
    writeFileSync(join(draftsFolder, "odd.ts"), "return '\0'");
    for (const [args, field] of [
      [{ code: "return '\0'" }, "code"],
      [{ code: "return 1", intent: "a\0b" }, "intent"],
      [{ name: "odd" }, "name"],
    ] as const) {
      expect(await call("execute", args)).toMatchObject({
        error: { code: "TOOL_INVALID_INPUT", reason: "nul_character", field },
      });
    }
    expect(await store.runs.list(DEFAULT_SCOPE, { limit: 1 })).toEqual([]);
    expect(await call("execute", { code: "return args.text", inputs: { text: "a\0b" } })).toMatchObject({
      outputs: "a\0b",
    });
  });

  it("AG10: says which answers to what is uncertain there are", async () => {
    const { call } = await openRig();
    expect(await call("execute", { resume: "last", uncertain: "maybe" })).toMatchObject({
      error: { message: expect.stringMatching(/"retry", "skip", \{"result": …\}/) },
    });
  });

  it("takes a timeout of exactly ten minutes", async () => {
    const { call } = await openRig();
    expect(await call("execute", { code: "return 1", timeout_ms: 600_000 })).toMatchObject({ outputs: 1 });
  });

  it("T025: refuses an unsafe name with SECURITY_ERROR", async () => {
    const { call } = await openRig();
    for (const name of ["../etc", "/etc/passwd", "a\\b"]) {
      expect(await call("execute", { name })).toMatchObject({
        error: { code: "SECURITY_ERROR", field: "name" },
      });
    }
  });

  it("looks in the library, then in the drafts, and names what is near", async () => {
    const { call, store, draftsFolder } = await openRig();
    await store.capabilities.save(sum);
    writeFileSync(join(draftsFolder, "report.json"), "{}");
    expect(await call("execute", { name: "math:sum", inputs: { a: 2 } })).toMatchObject({ outputs: 3 });
    expect(await call("execute", { name: "math:sum" })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT", field: "a" },
    });
    expect(await call("execute", { name: "report" })).toMatchObject({
      run_id: null,
      error: { code: "TOOL_INVALID_INPUT", reason: "validation_error" },
    });
    expect(await call("execute", { name: "math:summ" })).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", nearest: ["math:sum"] },
    });
    expect(await call("execute", { name: "raport" })).toMatchObject({ error: { nearest: ["report"] } });
  });

  it("C7: resumes a run by the end of its id, and never one of another principal", async () => {
    const { call, gateway } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const failed = await call("execute", { code: "await mcp.notes.list(); throw new Error('x')" });
    const runId = failed["run_id"] as string;
    expect(await call("execute", { resume: runId.slice(-8) })).toMatchObject({ resumed_from: runId });
    const guest = { principal: { id: "token:guest" } as never };
    const refused = await gateway.callTool("execute", { resume: runId.slice(-8) }, guest);
    expect(refused.structuredContent).toMatchObject({ error: { code: "TOOL_NOT_FOUND", field: "resume" } });
    expect(JSON.stringify(refused)).not.toContain(runId);
  });

  it("says that there is nothing to resume, with code or without", async () => {
    const { call } = await openRig();
    const none = `${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`;
    const requests: JsonObject[] = [
      { resume: "last" },
      { resume: "last", code: "return 1" },
      { resume: none },
    ];
    for (const args of requests) {
      expect(await call("execute", args)).toMatchObject({
        isError: true,
        error: { code: "TOOL_NOT_FOUND", field: "resume" },
      });
    }
  });

  it.each([
    ["retry", true],
    [{ result: 1 }, true],
    [["retry", "skip", { result: null }], true],
    [Array.from({ length: 1_000 }, () => "skip"), true],
    [Array.from({ length: 1_001 }, () => "skip"), false],
    [["again"], false],
    [[{ result: 1, more: 2 }], false],
    [[["retry"]], false],
  ] as const)(
    "takes or refuses the answer to what is uncertain by its shape (%#)",
    async (uncertain, isTaken) => {
      const { call } = await openRig();
      const answer = await call("execute", { resume: "last", uncertain: uncertain as never });
      expect(answer).toMatchObject({
        error: isTaken ? { code: "TOOL_NOT_FOUND" } : { code: "TOOL_INVALID_INPUT", field: "uncertain" },
      });
    },
  );

  it("goes on with a run that failed, and runs the workflow that a draft is", async () => {
    const { call, draftsFolder } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const failed = await call("execute", { code: "await mcp.notes.list(); return args.a.b;" });
    expect(failed).toMatchObject({ isError: true, checkpoint: { completed_nodes: ["notes__list"] } });
    expect(
      await call("execute", { resume: "last", code: "return [await mcp.notes.list(), 2];", calls: true }),
    ).toMatchObject({ outputs: ["notes did list", 2], calls: [{ from_journal: true }] });
    writeFileSync(join(draftsFolder, "report.json"), WORKFLOW);
    expect(await call("execute", { name: "report" })).toMatchObject({ outputs: { sum: 2 }, draft: "report" });
  });
});

describe("execute {code}", () => {
  it("returns the result, the logs and the calls with their times, and leaves a draft that runs by name", async () => {
    const { call, draftsFolder } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const code = "console.warn('careful'); return [await mcp.notes.list(), args.n];";
    const done = await call("execute", { code, inputs: { n: 2 }, intent: "List the notes!", calls: true });
    expect(done).toMatchObject({
      isError: false,
      success: true,
      run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      outputs: ["notes did list", 2],
      logs: [{ level: "warn", message: "careful" }],
      calls: [{ tool: "notes__list", success: true, elapsed_ms: expect.any(Number) }],
      draft: expect.stringMatching(/^list-the-notes-[0-9a-f]{8}$/),
    });
    expect(readFileSync(join(draftsFolder, `${String(done["draft"])}.ts`), "utf8")).toBe(code);
    const again = await call("execute", { name: done["draft"] as string, inputs: { n: 3 } });
    expect(again).toMatchObject({ outputs: ["notes did list", 3], draft: done["draft"] });
  });

  it("tells a failed run whole: an error, with what was logged and called until then, and no draft", async () => {
    const { call, draftsFolder } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const code = "console.log('here'); await mcp.notes.list();\nthrow new Error('no');";
    expect(await call("execute", { code, calls: true })).toMatchObject({
      isError: true,
      success: false,
      error: { code: "TOOL_EXECUTION_FAILED", message: "Line 2, column 11: Error: no", retryable: false },
      logs: [{ message: "here" }],
      calls: [{ tool: "notes__list" }],
    });
    expect(readdirSync(draftsFolder)).toEqual([]);
  });

  it("answers as its output schema says, in every case", async () => {
    const { gateway, call } = await openRig();
    const tool = (await listTools(gateway)).find(({ name }) => name === "execute")!;
    for (const code of ["return 1", "return", "throw 1", "let x = ;", "mcp.x.y()", "console.log(1)"]) {
      const { isError: _, ...answer } = await call("execute", { code });
      const verdict = await bench.args.check(tool.outputSchema!, answer as JsonObject);
      expect({ code, ...verdict }).toMatchObject({ code, kind: "valid" });
    }
  });

  it("reports progress for each call to a client that asked", async () => {
    const { gateway } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    const heard: JsonObject[] = [];
    const code = "await mcp.notes.list(); await mcp.notes.list(); return 1";
    await gateway.callTool("execute", { code }, { onProgress: (progress) => void heard.push(progress) });
    expect(heard).toEqual([
      { progress: 1, message: "notes__list returned" },
      { progress: 2, message: "notes__list returned" },
    ]);
  });

  it("does not call a tool that the config denies, and has it audited", async () => {
    const { call, registry } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    registry.restrict("notes", { deny: ["list"] });
    denied.length = 0;
    expect(await call("execute", { code: "return await mcp.notes.list()" })).toMatchObject({
      error: { code: "SECURITY_ERROR" },
    });
    expect(denied).toEqual(["notes__list"]);
  });

  it("lets a draft use no tool that only what was kept may use, by its name as little as by its code", async () => {
    const { call, registry, draftsFolder } = await openRig(createFixtureSource("notes", [toolOf("list")]));
    registry.restrict("notes", { deny: ["list"], exceptCapabilities: true });
    writeFileSync(join(draftsFolder, "lister.ts"), "return await mcp.notes.list()");
    expect(await call("execute", { name: "lister" })).toMatchObject({ error: { code: "SECURITY_ERROR" } });
  });
});
