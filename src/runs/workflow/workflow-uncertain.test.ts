import { describe, expect, it } from "vitest";
import { add, CHECK, useBreakableRuns } from "./workflow-resume.testkit.ts";
import { flow } from "./workflow.testkit.ts";

const broken = await useBreakableRuns();
const { kit } = broken;

describe("a code node that was cut short in a call", () => {
  const node = (end: string) =>
    flow([{ id: "work", type: "code", params: { code: `await mcp.notes.add({ at: "b" }); ${end}` } }], {
      outputs: { work: { source: "${work}" } },
    });
  const corrected = (end: string) => ({
    corrected: { kind: "workflow" as const, source: JSON.stringify(node(end)) },
  });

  it("is asked about once, however often it is corrected afterwards", async () => {
    const id = await broken.runAndKill(node("return 0"), "b");
    const failed = await kit.resume(id, { ...corrected("null.length"), uncertain: "skip" });
    expect(failed.result).toMatchObject({
      success: false,
      error: { message: expect.stringContaining("TypeError") as string },
    });
    expect(failed.checkpoint?.uncertain).toEqual([]);
    const done = await kit.resume(failed.runId!, corrected("return 1"));
    expect(done.result).toEqual({ success: true, data: { work: 1 } });
    expect(broken.made()).toEqual(["b"]);
  });
});

describe("a node whose outcome is not known", () => {
  const nodes = [add("a"), add("b", { x: "${a.at}" }), add("c", { x: "${b}" })];
  const workflow = flow(nodes, { outputs: { b: { source: "${b}" } } });

  it("is told, and nothing is made before somebody decides", async () => {
    const id = await broken.runAndKill(workflow, "b");
    const refused = await kit.resume(id);
    expect(refused).toMatchObject({
      runId: id,
      result: { error: { reason: "uncertain_step" } },
      checkpoint: {
        completed: ["a"],
        uncertain: [{ name: "b", tool: "notes__add", args: { at: "b", x: "a" } }],
      },
    });
    expect(broken.made()).toEqual(["a", "b"]);
  });

  it("is made again on request", async () => {
    const id = await broken.runAndKill(workflow, "b");
    const resumed = await kit.resume(id, { uncertain: "retry" });
    expect(resumed.result).toEqual({ success: true, data: { b: { at: "b", x: "a" } } });
    expect(broken.made()).toEqual(["a", "b", "b", "c"]);
    const keys = kit.calls.map(({ context }) => context.meta?.["repertoire/idempotencyKey"]);
    expect(keys[2]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(3);
  });

  it("is answered with the result that somebody gives", async () => {
    const id = await broken.runAndKill(workflow, "b");
    const resumed = await kit.resume(id, { uncertain: { result: { seen: true } } });
    expect(resumed.result).toEqual({ success: true, data: { b: { seen: true } } });
    expect(broken.made()).toEqual(["a", "b", "c"]);
  });

  it("is skipped with nothing as its result", async () => {
    const id = await broken.runAndKill(workflow, "b");
    const resumed = await kit.resume(id, { uncertain: "skip" });
    expect(resumed.result).toEqual({ success: true, data: { b: null } });
    expect(broken.made()).toEqual(["a", "b", "c"]);
    // A5: it is told as skipped.
    expect(resumed.skipped).toEqual([{ tool: "b", by: "bob" }]);
    expect(resumed.calls.find(({ node }) => node === "b")).toMatchObject({
      success: false,
      skippedBy: "bob",
    });
  });

  it("is none where making it twice does no harm", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    broken.world.recording = async (tool) => {
      if (tool !== "notes__check") return;
      resolve();
      await new Promise(() => {});
    };
    void kit.executeWorkflow(flow([CHECK, add("z", { x: "${check}" })]));
    await promise;
    broken.world.recording = async () => {};
    expect((await kit.resume(await broken.orphaned())).result.success).toBe(true);
    expect(broken.made()).toEqual(["z"]);
  });

  it("can be one of several, of which a result for one cannot stand for all", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    broken.world.lost = new Set(["left", "right"]);
    let count = 0;
    broken.world.onLost = () => ++count === 2 && resolve();
    void kit.executeWorkflow(flow([add("left"), add("right")]));
    await promise;
    broken.world.lost = new Set();
    const id = await broken.orphaned();
    expect((await kit.resume(id, { uncertain: { result: 1 } })).result).toMatchObject({
      error: { field: "uncertain" },
    });
    expect((await kit.resume(id, { uncertain: "retry" })).result.success).toBe(true);
    expect(broken.made().toSorted()).toEqual(["left", "left", "right", "right"]);
  });
});
