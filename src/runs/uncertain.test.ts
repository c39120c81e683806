import { describe, expect, it } from "vitest";
import { useTwoProcesses } from "./resume.testkit.ts";
import { runCount } from "./workflow.testkit.ts";

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
