import { describe, expect, it } from "vitest";
import { correct, useTwoProcesses } from "./resume.testkit.ts";
import { createTestRuns } from "../runs.testkit.ts";
import { runCount } from "../workflow/workflow.testkit.ts";

const two = await useTwoProcesses();
const { kit, other } = two;

describe("a capability in a run that goes on", () => {
  it("does not run again once it succeeded", async () => {
    two.keepOrder(1, "return (await mcp.notes.add({ n: 1 })).n");
    const failed = await kit.execute("const n = await mcp.shop.order({}); n.length.length");
    const before = await runCount(kit);
    const resumed = await kit.resume(failed.runId!, correct("return await mcp.shop.order({})"));
    expect(resumed.result).toEqual({ success: true, data: 1 });
    expect(two.numbers()).toEqual([1]);
    expect(await runCount(kit)).toBe(before + 1);
  });

  it("goes on from its own journal when it was half done", async () => {
    two.keepOrder(1, "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n");
    const runId = await two.cut("return await mcp.shop.order({})");
    expect((await other.resume(runId)).result).toEqual({ success: true, data: 2 });
    expect(two.numbers()).toEqual([1, 2, 2]);
  });

  it("T118: goes on in the version that it began with", async () => {
    two.keepOrder(1, "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n");
    const runId = await two.cut("return await mcp.shop.order({})");
    two.keepOrder(2, "return (await mcp.notes.add({ n: 100 })).n");
    expect((await other.resume(runId)).result).toEqual({ success: true, data: 2 });
    expect(two.numbers()).toEqual([1, 2, 2]);
  });

  it("T122: goes on when it was deleted since, because its versions stay", async () => {
    two.keepOrder(1, "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n");
    const capability = { tool: "mcp__shop__gone", id: "order", version: 1 };
    const runId = await two.cut(two.world.order.source, { capability });
    expect((await other.resume(runId)).result).toEqual({ success: true, data: 2 });
    expect(two.numbers()).toEqual([1, 2, 2]);
  });

  // The code of the run above is read again, and a name in it that is not there any more is refused, although the
  // version that
  // the run below goes on with is still in the store.
  it.fails("T122: goes on below another run when it was deleted since", async () => {
    two.keepOrder(1, "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n");
    const runId = await two.cut("return await mcp.shop.order({})");
    const without = await createTestRuns(two.folder);
    without.addSource("notes", { add: (args) => args, look: (args) => args });
    without.named.set("order@1", kit.named.get("order@1")!);
    const resumed = await without.resume(runId).catch(() => undefined);
    await without.close();
    expect(resumed?.result).toEqual({ success: true, data: 2 });
  });

  it("asks the run above about a call without an answer, and hears the decision through it", async () => {
    two.keepOrder(1, "return (await mcp.notes.add({ n: 1, stall: true })).receipt");
    const runId = await two.cut("return await mcp.shop.order({})");
    const asked = await other.resume(runId);
    const [child] = await kit.store.runs.children(runId);
    expect(asked.result).toMatchObject({ error: { reason: "uncertain_step" } });
    expect(asked.checkpoint!.uncertain).toMatchObject([{ runId: child!.id, name: "notes__add" }]);
    const resumed = await other.resume(runId, { uncertain: { result: { receipt: 7 } } });
    expect(resumed.result).toEqual({ success: true, data: 7 });
    expect(two.numbers()).toEqual([1]);
  });
});
