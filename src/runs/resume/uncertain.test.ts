import { NO_SECRETS } from "../../text/redactors.ts";
import { describe, expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { CallContext } from "../../core/tool.ts";
import { executeAnswer } from "../../gateway/meta-tools/execute-answer.ts";
import { correct, useTwoProcesses } from "./resume.testkit.ts";
import { createTestRuns } from "../runs.testkit.ts";
import { createTraces } from "../trace.ts";
import { runCount } from "../workflow/workflow.testkit.ts";

const two = await useTwoProcesses();
const { kit, other } = two;

describe("a call without an answer on record", () => {
  const PAY =
    "const paid = await mcp.notes.add({ n: 1, stall: true }); return [paid, await mcp.notes.add({ n: 2 })]";

  it("stops the resume, and nothing has started", async () => {
    const runId = await two.cut(PAY);
    const before = await runCount(kit);
    const { result, checkpoint, runId: told } = await other.resume(runId);
    expect(result).toMatchObject({ success: false, error: { reason: "uncertain_step" } });
    expect(told).toBe(runId);
    expect(checkpoint).toMatchObject({
      uncertain: [{ runId, name: "notes__add", tool: "notes__add", args: { n: 1, stall: true } }],
    });
    expect(await runCount(kit)).toBe(before);
    expect(two.numbers()).toEqual([1]);
  });

  it.each([
    ["retry", { n: 1, stall: true }, [1, 1, 2]],
    ["skip", null, [1, 2]],
    [{ result: { receipt: 7 } }, { receipt: 7 }, [1, 2]],
  ] as const)("is dealt with as somebody decided: %j", async (uncertain, answer, calls) => {
    const runId = await two.cut(PAY);
    const resumed = await other.resume(runId, { uncertain });
    expect(resumed.result).toEqual({ success: true, data: [answer, { n: 2 }] });
    expect(two.numbers()).toEqual(calls);
  });

  it("rests on the failure that code handled before it, which is not made again", async () => {
    two.world.isDown = true;
    const code = `const refused = await mcp.notes.add({ n: 1 }).catch((error) => error.message);
return [refused, await mcp.notes.add({ n: 2, stall: true })]`;
    const runId = await two.cut(code);
    two.world.isDown = false;
    const resumed = await other.resume(runId, { uncertain: { result: { n: 2 } } });
    expect(resumed.result).toEqual({ success: true, data: ["It is down.", { n: 2 }] });
    expect(two.numbers()).toEqual([1, 2]);
  });

  it("A5: that was skipped is told as skipped, by whom, wherever the run is told, and is no success", async () => {
    const learnt: string[] = [];
    const kitThatLearns = await createTestRuns(two.folder, undefined, undefined, undefined, {
      runSucceeded: (tools) => void learnt.push(...tools),
    });
    kitThatLearns.addSource("notes", { add: (args) => args });
    const runId = await two.cut("const paid = await mcp.notes.add({ n: 1, stall: true }); return paid");
    const principal = { id: "token:ann" } as CallContext["principal"] & object;
    const context = { principal: { ...principal, revoked: new AbortController().signal } };
    const resumed = await kitThatLearns.resume(runId, { uncertain: "skip" }, context);
    expect(resumed.result).toEqual({ success: true, data: null });
    const call = { tool: "notes__add", success: false, skippedBy: "token:ann" };
    const told = {
      calls: [call],
      skipped: [{ tool: "notes__add", by: "token:ann" }],
      warnings: [expect.stringMatching(/^notes__add was skipped by decision of token:ann: /)],
    };
    expect(resumed).toMatchObject(told);
    expect(executeAnswer(resumed, null, { calls: true })).toMatchObject({
      success: true,
      calls: [{ tool: "notes__add", success: false, skipped_by: "token:ann" }],
      skipped: [{ tool: "notes__add", by: "token:ann" }],
    });
    expect(learnt).toEqual([]);
    // Asked again, it is answered from the record.
    expect(await kitThatLearns.resume(resumed.runId!)).toMatchObject(told);
    const traces = createTraces({
      store: kit.store.runs,
      scope: () => DEFAULT_SCOPE,
      redactors: NO_SECRETS,
    });
    const trace = await traces.trace(resumed.runId!);
    expect(trace).toMatchObject({
      data: { steps: [{ status: "skipped", skipped_by: "token:ann", result: null }] },
    });
    expect(JSON.stringify(trace)).not.toContain('"error"');
    await kitThatLearns.close();
  });

  it("A5: stays skipped in the checkpoint of a run that stops later, and when that goes on", async () => {
    const runId = await two.cut("await mcp.notes.add({ n: 1, stall: true }); throw new Error('later')");
    const failed = await other.resume(runId, { uncertain: "skip" });
    expect(failed).toMatchObject({
      calls: [{ tool: "notes__add", success: false, skippedBy: "bob" }],
      checkpoint: { completed: [], stepCount: 1 },
    });
    const again = await other.resume(
      failed.runId!,
      correct("return await mcp.notes.add({ n: 1, stall: true })"),
    );
    expect(again).toMatchObject({ result: { data: null }, skipped: [{ tool: "notes__add", by: "bob" }] });
    expect(two.numbers()).toEqual([1]);
  });

  it("is made again unasked where the tool says that this does no harm", async () => {
    const runId = await two.cut("return (await mcp.notes.look({ n: 1, stall: true })).n");
    expect((await other.resume(runId)).result).toEqual({ success: true, data: 1 });
    expect(two.numbers()).toEqual([1, 1]);
  });

  it("shares no result with another one", async () => {
    const runId = await two.cut(
      "return Promise.all([1, 2].map((n) => mcp.notes.add({ n, stall: true, first: n === 1 })))",
    );
    const { result } = await other.resume(runId, { uncertain: { result: 1 } });
    expect(result).toMatchObject({ success: false, error: { reason: "uncertain_step", field: "uncertain" } });
    const skipped = await other.resume(runId, { uncertain: "skip" });
    expect(skipped.result).toEqual({ success: true, data: [null, null] });
  });
});
