/** What `execute` and the runs say of a run: each thing once, nothing empty, and nothing that waits as a failure. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { fail } from "../core/result.ts";
import { openRig, sum } from "./gateway.testkit.ts";

const workflow = (...nodes: object[]) => JSON.stringify({ ir_version: "1.0", nodes });
const ASK = { id: "ok", type: "approve", params: { message: "Go on?" } };
const LIST = { id: "first", type: "notes__list", params: {} };

async function openRuns() {
  const notes = createFixtureSource("notes", [toolOf("list"), toolOf("fail")]);
  const rig = await openRig({
    ...notes,
    call: async (name, args, context) =>
      name === "fail" ? fail("TOOL_EXECUTION_FAILED", "the disk is full") : notes.call(name, args, context),
  });
  const draft = (name: string, text: string) => writeFileSync(join(rig.draftsFolder, name), text);
  const trace = async (id?: string) => {
    const read = await rig.gateway.forward(
      "resources/read",
      { uri: `repertoire://runs${id === undefined ? "" : `/${id}`}` },
      { traceId: "t", signal: new AbortController().signal },
    );
    const { contents } = (read as unknown as { data: { contents: { text: string }[] } }).data;
    return JSON.parse(contents[0]!.text) as Record<string, unknown>;
  };
  return { ...rig, draft, trace };
}

describe("D7: a run that waits", () => {
  it.each([
    ["for a person", ASK, { code: "APPROVAL_REQUIRED", reason: "approval_required" }],
    [
      "for a time",
      { id: "later", type: "wait", params: { ms: 3_600_000 } },
      { code: "TOOL_EXECUTION_FAILED", reason: "waiting_until" },
    ],
  ])("%s is paused, with its own id in every text", async (_, node, error) => {
    const { call, draft, trace } = await openRuns();
    draft("flow.json", workflow(LIST, { ...node, id: "gate" }));
    const first = await call("execute", { name: "flow" });
    const again = await call("execute", { resume: first["run_id"] as string });
    for (const answer of [first, again]) {
      const id = answer["run_id"] as string;
      expect(answer).toMatchObject({
        success: false,
        status: "paused",
        error: { ...error, hint: expect.stringContaining(id) as string },
        checkpoint: { run_id: id, resumable: true, waiting_for: { name: "gate" } },
      });
      expect(JSON.stringify(answer)).not.toMatch(/RUN_ID|\{run_id\}|resume: run_id/);
    }
    expect((await trace())["runs"]).toMatchObject([{ status: "paused" }]);
  });

  it("inside of what it called is paused as a whole, under the id that can be resumed", async () => {
    const { call, draft, store } = await openRuns();
    await store.capabilities.save({
      ...sum,
      namespace: "team",
      action: "ask",
      kind: "workflow",
      source: workflow(ASK),
      inputSchema: { type: "object" },
      outputSchema: null,
      toolsUsed: [],
    });
    draft("outer.ts", "return await mcp.team.ask({});");
    const answer = await call("execute", { name: "outer" });
    expect(answer).toMatchObject({ status: "paused", error: { reason: "approval_required" } });
    expect((answer["error"] as { hint: string }).hint).toContain(`approve ${answer["run_id"] as string}`);
  });
});

describe("D7: an answer", () => {
  it("that is good has nothing empty in it", async () => {
    const { call } = await openRuns();
    const { isError: _, ...answer } = await call("execute", { code: "return 1" });
    expect(Object.keys(answer).toSorted()).toEqual(["draft", "outputs", "run_id", "success"]);
    expect(await call("execute", { code: "return null" })).toMatchObject({ success: true, outputs: null });
  });

  it("lists no call of a run that went well, unless that is asked for", async () => {
    const { call } = await openRuns();
    const code = "return await mcp.notes.list();";
    expect(await call("execute", { code })).not.toHaveProperty("calls");
    expect(await call("execute", { code, calls: true })).toMatchObject({ calls: [{ tool: "notes__list" }] });
  });

  it("lists the failures that a run went past; the one that ended it is its error", async () => {
    const { call } = await openRuns();
    const caught = "try { await mcp.notes.fail({ n: 1 }) } catch {}";
    const past = { tool: "notes__fail", success: false, error: { code: "TOOL_EXECUTION_FAILED" } };
    const went = await call("execute", { code: `await mcp.notes.list(); ${caught} return 1` });
    expect(went).toMatchObject({ success: true, calls: [past] });
    expect(went["calls"]).toHaveLength(1);
    const failed = await call("execute", { code: "await mcp.notes.fail({ n: 1 })" });
    expect(failed).not.toHaveProperty("calls");
    expect(failed).not.toHaveProperty("outputs");
  });

  it("tells each step of a failed run once, and the failure that ended it once", async () => {
    const { call } = await openRuns();
    const code =
      "await mcp.notes.list();\ntry { await mcp.notes.fail({ n: 1 }) } catch {}\nawait mcp.notes.fail({ n: 2 });";
    const answer = await call("execute", { code, calls: true });
    expect(answer).toMatchObject({
      error: { message: "Line 3, column 17: the disk is full", reason: "tool_error" },
      checkpoint: {
        completed_nodes: ["notes__list"],
        failed_node: "notes__fail#2",
        steps: 3,
        resumable: true,
      },
      calls: [{ tool: "notes__list" }, { tool: "notes__fail" }, { tool: "notes__fail" }],
    });
    const calls = answer["calls"] as { error?: object }[];
    expect(calls.at(-1)!.error).toEqual({ code: "TOOL_EXECUTION_FAILED" });
  });

  it("names the tool of a workflow's call beside its node, fresh and from the journal", async () => {
    const { call, draft } = await openRuns();
    draft("flow.json", workflow(LIST, { id: "bad", type: "notes__fail", params: {} }));
    const failed = await call("execute", { name: "flow", calls: true });
    const calls = [
      { node: "first", tool: "notes__list", success: true },
      { node: "bad", tool: "notes__fail", success: false },
    ];
    expect(failed).toMatchObject({ calls });
    const [first] = calls;
    const again = await call("execute", { resume: failed["run_id"] as string, calls: true });
    expect(again).toMatchObject({ calls: [{ ...first, from_journal: true }, calls[1]] });
  });

  it("has two places for a mistake that is nine levels down: the outermost and the innermost", async () => {
    const { call, store } = await openRuns();
    const save = (action: string, source: string) =>
      store.capabilities.save({
        ...sum,
        namespace: "deep",
        action,
        source,
        inputSchema: { type: "object" },
        toolsUsed: [],
      });
    for (let level = 1; level < 8; level++) await save(`d${level}`, `return await mcp.deep.d${level + 1}();`);
    await save("d8", "const x = 1;\nthrow new Error('the cause');");
    const { error } = (await call("execute", { code: "return await mcp.deep.d1();" })) as {
      error: { message: string };
    };
    expect(error.message.match(/Line \d+, column \d+/g)).toHaveLength(2);
    expect(error.message).toMatch(
      /^Line 1, column \d+: In mcp__deep__d8: Line 2, column \d+: Error: the cause$/,
    );
    expect(error).not.toHaveProperty("cause");
  });

  it("lists what is wrong with a workflow once, each with its place", async () => {
    const { call, draft } = await openRuns();
    draft(
      "flow.json",
      workflow({ id: "a", type: "notes__lst", params: {} }, { id: "b", type: "cod", params: {} }),
    );
    const { error } = (await call("execute", { name: "flow" })) as {
      error: { message: string; problems: { message: string }[] };
    };
    expect(error.message).toMatch(
      /^The workflow has 2 problems, the first at nodes\[0\]\.type, line 1, column \d+; see problems\.$/,
    );
    expect(error.problems).toHaveLength(2);
    for (const { message } of error.problems) expect(error.message).not.toContain(message);
  });

  it("rounds the average of its uses", async () => {
    const { call, gateway, store } = await openRuns();
    await store.capabilities.save({ ...sum, toolsUsed: [] });
    for (const a of [1, 2, 3]) await gateway.callTool("math:sum", { a });
    const { statistics } = (await call("describe_workflow", { name: "math:sum" })) as {
      statistics: { average_ms: number };
    };
    expect(String(statistics.average_ms)).toMatch(/^\d+(\.\d)?$/);
  });
});

describe("D7: a trace", () => {
  it("counts its steps 1, 2, 3, and finds their results by these numbers", async () => {
    const { call, trace, gateway } = await openRuns();
    const code = "for (const n of [1, 2, 3]) await mcp.notes.list({ n });\nreturn 1";
    const id = (await call("execute", { code }))["run_id"] as string;
    expect((await trace(id))["steps"]).toMatchObject([
      { step: 1, name: "notes__list" },
      { step: 2, name: "notes__list#2" },
      { step: 3, name: "notes__list#3" },
    ]);
    const context = { traceId: "t", signal: new AbortController().signal };
    const uri = `repertoire://runs/${id}/3`;
    expect(await gateway.forward("resources/read", { uri }, context)).toMatchObject({ success: true });
    expect(await gateway.forward("resources/read", { uri: `${uri}0` }, context)).toMatchObject({
      success: false,
    });
  });

  it("of a run that another went on from says so, and that it cannot be resumed", async () => {
    const { call, trace } = await openRuns();
    const failed = await call("execute", { code: "await mcp.notes.list();\nreturn args.x.y" });
    const { run_id: next } = await call("execute", {
      resume: failed["run_id"] as string,
      code: "return await mcp.notes.list();",
    });
    expect(await trace(failed["run_id"] as string)).toMatchObject({
      resumed_by: next,
      checkpoint: { resumable: false, resumed_by: next, steps: 1 },
    });
  });
});
