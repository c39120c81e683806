import { describe, expect, it } from "vitest";
import { correct, useTwoProcesses } from "./resume.testkit.ts";
import { createTestRuns, LIMITS } from "../runs.testkit.ts";
import { runCount } from "../workflow/workflow.testkit.ts";

const DAY_MS = 24 * 60 * 60_000;

const two = await useTwoProcesses();
const { kit, other } = two;

const refusal = async (runId: string, from = kit) => {
  const resumed = await from.runs.resume(
    { runId },
    { traceId: "test", signal: new AbortController().signal },
  );
  if (resumed.success) throw new Error(`it was not refused: ${JSON.stringify(resumed.data.result)}`);
  return resumed.error;
};

const SIX_CALLS = `
const seen = [];
for (const n of [1, 2, 3]) seen.push(await mcp.notes.add({ n, at: Date.now(), id: Math.random() }));
seen.push(await mcp.notes.add({ n: 4, text: null.length }));
for (const n of [5, 6]) seen.push(await mcp.notes.add({ n }));
return seen.map((note) => note.n);
`;

describe("a run that failed by its own mistake", () => {
  it("goes on with the corrected code, and makes none of the calls again that succeeded", async () => {
    const failed = await kit.execute(SIX_CALLS);
    expect(failed.checkpoint).toMatchObject({
      completed: ["notes__add", "notes__add#2", "notes__add#3"],
      isResumable: true,
    });
    const resumed = await kit.resume(failed.runId!, correct(SIX_CALLS.replace("null.length", "'four'")));
    expect(resumed.result).toEqual({ success: true, data: [1, 2, 3, 4, 5, 6] });
    expect(two.numbers()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(resumed.calls.map((call) => call.isReplayed ?? false)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ["reordered", [3, 1, 2], []],
    ["left out", [1, 3], []],
    ["inserted", [1, 9, 2, 3], [9]],
    ["repeated", [1, 1, 2, 3], [1]],
  ])("matches calls by what they are when they are %s", async (_, numbersAfter, madeAfter) => {
    const codeOf = (all: readonly number[], rest: string) =>
      `for (const n of ${JSON.stringify(all)}) await mcp.notes.add({ n }); ${rest}`;
    const failed = await kit.execute(codeOf([1, 2, 3], "null.length"));
    two.world.made = [];
    const resumed = await kit.resume(failed.runId!, correct(codeOf(numbersAfter, "return 'done'")));
    expect(resumed.result).toEqual({ success: true, data: "done" });
    expect(two.numbers()).toEqual(madeAfter);
  });

  it("counts equal calls: the second is answered with the second answer", async () => {
    const code = "const both = [await mcp.notes.add({ n: 1 }), await mcp.notes.add({ n: 1 })]; END";
    const failed = await kit.execute(code.replace("END", "null.length"));
    const resumed = await kit.resume(
      failed.runId!,
      correct(code.replace("END", "await mcp.notes.add({ n: 1 })")),
    );
    expect(resumed.result.success).toBe(true);
    expect(two.numbers()).toEqual([1, 1, 1]);
  });

  it("goes on with other inputs, and makes the calls again whose arguments they change", async () => {
    const code = "await mcp.notes.add({ n: 1 }); await mcp.notes.add({ n: args.n }); return args.list.length";
    const failed = await kit.execute(code, { inputs: { n: 2, list: null } });
    two.world.made = [];
    const resumed = await kit.resume(failed.runId!, { inputs: { n: 3, list: [1] } });
    expect(resumed.result).toEqual({ success: true, data: 1 });
    expect(two.numbers()).toEqual([3]);
  });

  it("takes names such as __proto__ in arguments for names", async () => {
    const code = `const args = JSON.parse('{"n": 1, "__proto__": {"n": 2}, "constructor": 3}');
      await mcp.notes.add(args); END`;
    const failed = await kit.execute(code.replace("END", "null.length"));
    const resumed = await kit.resume(failed.runId!, correct(code.replace("END", "return 1")));
    expect(resumed.result.success).toBe(true);
    expect(two.world.made).toHaveLength(1);
  });

  it("fails again in the same way when nothing was corrected, as the newest run", async () => {
    const failed = await kit.execute(SIX_CALLS);
    const again = await kit.resume(failed.runId!);
    expect(again.result.success).toBe(false);
    expect(again.runId).not.toBe(failed.runId);
    expect(two.numbers()).toEqual([1, 2, 3]);
  });

  it("cannot go on as a workflow", async () => {
    const failed = await kit.execute("null.length");
    await expect(
      kit.resume(failed.runId!, { corrected: { kind: "workflow", source: "{}" } }),
    ).rejects.toThrow("definition_changed");
  });
});

describe("a run that failed by a tool", () => {
  it("makes the call again that failed, and only that", async () => {
    const code = "await mcp.notes.add({ n: 1 }); DOWN; return (await mcp.notes.add({ n: 2 })).n";
    const failing = kit.execute(code.replace("DOWN", "await mcp.notes.look({ n: 0 })"), {
      observe: (event) => {
        if (event.kind === "call_ended" && event.number === 2) two.world.isDown = true;
      },
    });
    const failed = await failing;
    expect(failed.checkpoint).toMatchObject({ failed: "notes__add#2" });
    two.world.isDown = false;
    two.world.made = [];
    expect((await kit.resume(failed.runId!)).result).toEqual({ success: true, data: 2 });
    expect(two.numbers()).toEqual([2]);
  });
});

describe("which run goes on", () => {
  /** Code that waits at a gate, in a run that is under way. */
  async function openGate() {
    const reached = Promise.withResolvers<string>();
    const opened = Promise.withResolvers<unknown>();
    kit.addSource("gate", {
      pass: (_, { runId }) => {
        reached.resolve(runId!);
        return opened.promise;
      },
    });
    const running = kit.execute("return (await mcp.gate.pass({})).n");
    return { running, runId: await reached.promise, open: () => opened.resolve({ n: 5 }) };
  }

  it("attaches to a run that is under way here: one run, and the same report", async () => {
    const { running, runId, open } = await openGate();
    const attached = kit.resume(runId);
    open();
    expect((await attached).result).toEqual({ success: true, data: 5 });
    expect((await attached).runId).toBe((await running).runId);
  });

  it("waits for a run that is under way in another process, and tells its result", async () => {
    const { running, runId, open } = await openGate();
    const attached = other.resume(runId);
    open();
    expect(await attached).toMatchObject({ runId, result: { success: true, data: 5 } });
    expect((await running).result).toEqual({ success: true, data: 5 });
  });

  it("marks a run whose process is gone as interrupted, and goes on at once", async () => {
    const runId = await two.cut(
      "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n",
    );
    const resumed = await other.resume(runId);
    expect(resumed.result).toEqual({ success: true, data: 2 });
    expect(two.numbers()).toEqual([1, 2, 2]);
    expect(await kit.store.runs.find(runId)).toMatchObject({
      status: "failed",
      error: { reason: "interrupted" },
    });
  });

  it("tells the result of a run that succeeded, and runs nothing", async () => {
    const { runId } = await kit.execute("await mcp.notes.add({ n: 1 }); return { done: true }");
    const before = await runCount(kit);
    expect(await other.resume(runId!)).toMatchObject({
      runId,
      result: { success: true, data: { done: true } },
    });
    expect([await runCount(kit), two.world.made.length]).toEqual([before, 1]);
  });

  it("refuses one that was resumed, and names the newest, also after two generations", async () => {
    const first = await kit.execute("null.length");
    const second = await kit.resume(first.runId!);
    expect(await refusal(first.runId!)).toMatchObject({ reason: "superseded", nearest: [second.runId] });
    const third = await kit.resume(second.runId!, correct("return 3"));
    expect(await refusal(first.runId!, other)).toMatchObject({
      reason: "superseded",
      nearest: [third.runId],
    });
  });

  it("T116: lets one of twenty go on that want to at once", async () => {
    const failed = await kit.execute(
      "await mcp.notes.add({ n: 1 }); if (args.isBad) null.length; await mcp.notes.add({ n: 2 })",
      {
        inputs: { isBad: true },
      },
    );
    const context = { traceId: "test", signal: new AbortController().signal };
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? kit : other).runs.resume({ runId: failed.runId!, inputs: { isBad: false } }, context),
      ),
    );
    expect(all.filter(({ success }) => success)).toHaveLength(1);
    const reasons = all.flatMap((resumed) => (resumed.success ? [] : [resumed.error.reason]));
    expect(new Set(reasons)).toEqual(new Set(["superseded"]));
    expect(two.numbers()).toEqual([1, 2]);
  });

  it("takes `last` for the newest that can go on", async () => {
    await kit.execute("await mcp.notes.add({ n: 1 }); null.length");
    const newest = await kit.execute("await mcp.notes.add({ n: 2 }); null.length");
    await kit.execute("return 'well'");
    const resumed = await kit.resume("last", correct("return (await mcp.notes.add({ n: 2 })).n"));
    expect(resumed.result).toEqual({ success: true, data: 2 });
    expect(await refusal(newest.runId!)).toMatchObject({ nearest: [resumed.runId] });
    expect(two.numbers()).toEqual([1, 2]);
  });

  it("does not know a run that is not there, or that belongs to another scope", async () => {
    const failed = await kit.execute("null.length");
    const stranger = await createTestRuns(two.folder, () => LIMITS, undefined, undefined, {
      scope: () => ({ org: "local", project: "other" }),
    });
    for (const runId of [failed.runId!, "last", "nonsense", "__proto__"]) {
      expect(await refusal(runId, stranger)).toMatchObject({ code: "TOOL_NOT_FOUND" });
    }
    await stranger.close();
  });

  it("A1: counts what a run below has done as recorded: other code stops before its first effect", async () => {
    two.keepOrder(1, "await mcp.notes.add({ n: 1 }); null.length");
    const failed = await kit.execute("return await mcp.shop.order({})");
    const stopped = await kit.resume(failed.runId!, correct("return await mcp.notes.add({ n: 2 })"));
    expect(stopped.result).toMatchObject({ error: { reason: "nothing_matched" } });
    expect(two.numbers()).toEqual([1]);
  });

  it("refuses a run that another one started, and names that one", async () => {
    two.keepOrder(1, "await mcp.notes.add({ n: 1 }); null.length");
    const failed = await kit.execute("return await mcp.shop.order({})");
    const [child] = await kit.store.runs.children(failed.runId!);
    expect(await refusal(child!.id)).toMatchObject({ code: "TOOL_INVALID_INPUT", nearest: [failed.runId] });
  });
});

describe("T124 a clock that jumps by a day", () => {
  const CODE =
    "for (const n of [1, 2]) await mcp.notes.add({ n, at: Date.now() }); END; return (await mcp.notes.add({ n: 3, at: Date.now() })).at";

  it.each([-DAY_MS, DAY_MS])(
    "changes no step that is on record, and time in the run never goes back (%i ms)",
    async (jumpMs) => {
      const failed = await kit.execute(CODE.replace("END", "null.length"));
      two.world.shiftMs = jumpMs;
      const resumed = await other.resume(failed.runId!, correct(CODE.replace("END", "")));
      expect(resumed.result.success).toBe(true);
      expect(two.numbers()).toEqual([1, 2, 3]);
      const times = two.world.made.map(({ at }) => at as number);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    },
  );

  it.each([-DAY_MS, DAY_MS])("leaves `last` the run that was made last (%i ms)", async (jumpMs) => {
    await kit.execute("null.length");
    two.world.shiftMs = jumpMs;
    const newest = await other.execute("undefined.length");
    const resumed = await kit.resume("last", correct("return 1"));
    expect((await kit.store.runs.find(resumed.runId!))!.resumedFromRunId).toBe(newest.runId);
  });

  it("leaves `last` the run of a process that started after the clock went back", async () => {
    await kit.execute("null.length");
    two.world.shiftMs = -DAY_MS;
    const fresh = await createTestRuns(two.folder, () => LIMITS, undefined, undefined, { clock: two.clock });
    const newest = await fresh.execute("undefined.length");
    await fresh.close();
    const resumed = await kit.resume("last", correct("return 1"));
    expect((await kit.store.runs.find(resumed.runId!))!.resumedFromRunId).toBe(newest.runId);
  });
});
