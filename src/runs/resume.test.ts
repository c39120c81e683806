import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { fail } from "../core/result.ts";
import type { CallContext } from "../core/tool.ts";
import { createTestRuns, cutShort, LIMITS, type TestRuns } from "./runs.testkit.ts";

const DAY_MS = 24 * 60 * 60_000;

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;
/** On the same home, as another process is. */
let other: TestRuns;
let shiftMs = 0;
const clock = { now: () => Date.now() + shiftMs, elapsed: () => performance.now() };

let made: JsonObject[] = [];
let isDown = false;
/** Calls that say `stall` get no answer as long as this is there. */
let stalled: PromiseWithResolvers<void> | undefined;
let order = { version: 1, source: "" };

beforeAll(async () => {
  const start = (parts = {}) =>
    createTestRuns(folder, () => LIMITS, undefined, undefined, { clock, ...parts });
  [kit, other] = await Promise.all([start(), start()]);
  for (const each of [kit, other]) addSources(each);
});
afterAll(async () => {
  await Promise.all([kit.close(), other.close()]);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  made = [];
  isDown = false;
  stalled = undefined;
  shiftMs = 0;
});

function addSources(to: TestRuns): void {
  const answer = (args: Record<string, unknown>): unknown => {
    made.push(args as JsonObject);
    if (args["stall"] === true && stalled !== undefined) {
      if (args["first"] !== true) stalled.resolve();
      return new Promise(() => {});
    }
    return isDown ? fail("TOOL_UNAVAILABLE", "It is down.") : args;
  };
  to.addSource("notes", { add: answer, look: answer }, { look: { annotations: { readOnlyHint: true } } });
  to.addSource("mcp", { shop__order: (args, context) => runOrder(to, args as JsonObject, context) });
}

/** The capability `shop:order`, in the version that is current. */
async function runOrder({ runs }: TestRuns, inputs: JsonObject, context: CallContext): Promise<unknown> {
  const { version, source } = order;
  const capability = { tool: "mcp__shop__order", id: "order", version };
  const { result } = await runs.execute({ kind: "code", source, inputs, capability }, context);
  return result.success ? result.data : result;
}

function keepOrder(version: number, source: string): void {
  order = { version, source };
  const named = {
    kind: "code",
    source,
    tool: "mcp__shop__order",
    id: "order",
    version,
    sensitive: [],
  } as const;
  for (const each of [kit, other]) each.named.set(`order@${version}`, named);
}

const cut = (code: string): Promise<string> => {
  stalled = Promise.withResolvers();
  return cutShort(kit, folder, stalled.promise, code).finally(() => (stalled = undefined));
};
const correct = (source: string) => ({ corrected: { kind: "code" as const, source } });
const numbers = () => made.map(({ n }) => n);
const rowCount = async () =>
  (await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1000, children: true })).length;
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
    expect(numbers()).toEqual([1, 2, 3, 4, 5, 6]);
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
    made = [];
    const resumed = await kit.resume(failed.runId!, correct(codeOf(numbersAfter, "return 'done'")));
    expect(resumed.result).toEqual({ success: true, data: "done" });
    expect(numbers()).toEqual(madeAfter);
  });

  it("counts equal calls: the second is answered with the second answer", async () => {
    const code = "const both = [await mcp.notes.add({ n: 1 }), await mcp.notes.add({ n: 1 })]; END";
    const failed = await kit.execute(code.replace("END", "null.length"));
    const resumed = await kit.resume(
      failed.runId!,
      correct(code.replace("END", "await mcp.notes.add({ n: 1 })")),
    );
    expect(resumed.result.success).toBe(true);
    expect(numbers()).toEqual([1, 1, 1]);
  });

  it("goes on with other inputs, and makes the calls again whose arguments they change", async () => {
    const code = "await mcp.notes.add({ n: 1 }); await mcp.notes.add({ n: args.n }); return args.list.length";
    const failed = await kit.execute(code, { inputs: { n: 2, list: null } });
    made = [];
    const resumed = await kit.resume(failed.runId!, { inputs: { n: 3, list: [1] } });
    expect(resumed.result).toEqual({ success: true, data: 1 });
    expect(numbers()).toEqual([3]);
  });

  it("takes names such as __proto__ in arguments for names", async () => {
    const code = `const args = JSON.parse('{"n": 1, "__proto__": {"n": 2}, "constructor": 3}');
      await mcp.notes.add(args); END`;
    const failed = await kit.execute(code.replace("END", "null.length"));
    const resumed = await kit.resume(failed.runId!, correct(code.replace("END", "return 1")));
    expect(resumed.result.success).toBe(true);
    expect(made).toHaveLength(1);
  });

  it("fails again in the same way when nothing was corrected, as the newest run", async () => {
    const failed = await kit.execute(SIX_CALLS);
    const again = await kit.resume(failed.runId!);
    expect(again.result.success).toBe(false);
    expect(again.runId).not.toBe(failed.runId);
    expect(numbers()).toEqual([1, 2, 3]);
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
        if (event.kind === "call_ended" && event.number === 2) isDown = true;
      },
    });
    const failed = await failing;
    expect(failed.checkpoint).toMatchObject({ failed: "notes__add#2" });
    isDown = false;
    made = [];
    expect((await kit.resume(failed.runId!)).result).toEqual({ success: true, data: 2 });
    expect(numbers()).toEqual([2]);
  });
});

describe("a call without an answer on record", () => {
  const PAY =
    "const paid = await mcp.notes.add({ n: 1, stall: true }); return [paid, await mcp.notes.add({ n: 2 })]";

  it("stops the resume, and nothing has started", async () => {
    const runId = await cut(PAY);
    const before = await rowCount();
    const { result, checkpoint, runId: told } = await other.resume(runId);
    expect(result).toMatchObject({ success: false, error: { reason: "uncertain_step" } });
    expect(told).toBe(runId);
    expect(checkpoint).toMatchObject({
      uncertain: [{ runId, name: "notes__add", tool: "notes__add", args: { n: 1, stall: true } }],
    });
    expect(await rowCount()).toBe(before);
    expect(numbers()).toEqual([1]);
  });

  it.each([
    ["retry", { n: 1, stall: true }, [1, 1, 2]],
    ["skip", null, [1, 2]],
    [{ result: { receipt: 7 } }, { receipt: 7 }, [1, 2]],
  ] as const)("is dealt with as somebody decided: %j", async (uncertain, answer, calls) => {
    const runId = await cut(PAY);
    const resumed = await other.resume(runId, { uncertain });
    expect(resumed.result).toEqual({ success: true, data: [answer, { n: 2 }] });
    expect(numbers()).toEqual(calls);
  });

  it("is made again unasked where the tool says that this does no harm", async () => {
    const runId = await cut("return (await mcp.notes.look({ n: 1, stall: true })).n");
    expect((await other.resume(runId)).result).toEqual({ success: true, data: 1 });
    expect(numbers()).toEqual([1, 1]);
  });

  it("shares no result with another one", async () => {
    const runId = await cut(
      "return Promise.all([1, 2].map((n) => mcp.notes.add({ n, stall: true, first: n === 1 })))",
    );
    const { result } = await other.resume(runId, { uncertain: { result: 1 } });
    expect(result).toMatchObject({ success: false, error: { reason: "uncertain_step", field: "uncertain" } });
    const skipped = await other.resume(runId, { uncertain: "skip" });
    expect(skipped.result).toEqual({ success: true, data: [null, null] });
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
    const runId = await cut(
      "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n",
    );
    const resumed = await other.resume(runId);
    expect(resumed.result).toEqual({ success: true, data: 2 });
    expect(numbers()).toEqual([1, 2, 2]);
    expect(await kit.store.runs.find(runId)).toMatchObject({
      status: "failed",
      error: { reason: "interrupted" },
    });
  });

  it("tells the result of a run that succeeded, and runs nothing", async () => {
    const { runId } = await kit.execute("await mcp.notes.add({ n: 1 }); return { done: true }");
    const before = await rowCount();
    expect(await other.resume(runId!)).toMatchObject({
      runId,
      result: { success: true, data: { done: true } },
    });
    expect([await rowCount(), made.length]).toEqual([before, 1]);
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
    expect(numbers()).toEqual([1, 2]);
  });

  it("takes `last` for the newest that can go on", async () => {
    await kit.execute("await mcp.notes.add({ n: 1 }); null.length");
    const newest = await kit.execute("await mcp.notes.add({ n: 2 }); null.length");
    await kit.execute("return 'well'");
    const resumed = await kit.resume("last", correct("return (await mcp.notes.add({ n: 2 })).n"));
    expect(resumed.result).toEqual({ success: true, data: 2 });
    expect(await refusal(newest.runId!)).toMatchObject({ nearest: [resumed.runId] });
    expect(numbers()).toEqual([1, 2]);
  });

  it("does not know a run that is not there, or that belongs to another scope", async () => {
    const failed = await kit.execute("null.length");
    const stranger = await createTestRuns(folder, () => LIMITS, undefined, undefined, {
      scope: () => ({ org: "local", project: "other" }),
    });
    for (const runId of [failed.runId!, "last", "nonsense", "__proto__"]) {
      expect(await refusal(runId, stranger)).toMatchObject({ code: "TOOL_NOT_FOUND" });
    }
    await stranger.close();
  });

  it("refuses a run that another one started, and names that one", async () => {
    keepOrder(1, "await mcp.notes.add({ n: 1 }); null.length");
    const failed = await kit.execute("return await mcp.shop.order({})");
    const [child] = await kit.store.runs.children(failed.runId!);
    expect(await refusal(child!.id)).toMatchObject({ code: "TOOL_INVALID_INPUT", nearest: [failed.runId] });
  });
});

describe("a capability in a run that goes on", () => {
  it("does not run again once it succeeded", async () => {
    keepOrder(1, "return (await mcp.notes.add({ n: 1 })).n");
    const failed = await kit.execute("const n = await mcp.shop.order({}); n.length.length");
    const before = await rowCount();
    const resumed = await kit.resume(failed.runId!, correct("return await mcp.shop.order({})"));
    expect(resumed.result).toEqual({ success: true, data: 1 });
    expect(numbers()).toEqual([1]);
    expect(await rowCount()).toBe(before + 1);
  });

  it("goes on from its own journal when it was half done", async () => {
    keepOrder(1, "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n");
    const runId = await cut("return await mcp.shop.order({})");
    expect((await other.resume(runId)).result).toEqual({ success: true, data: 2 });
    expect(numbers()).toEqual([1, 2, 2]);
  });

  it("T118: goes on in the version that it began with", async () => {
    keepOrder(1, "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n");
    const runId = await cut("return await mcp.shop.order({})");
    keepOrder(2, "return (await mcp.notes.add({ n: 100 })).n");
    expect((await other.resume(runId)).result).toEqual({ success: true, data: 2 });
    expect(numbers()).toEqual([1, 2, 2]);
  });

  it("T122: goes on when it was deleted since, because its versions stay", async () => {
    keepOrder(1, "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n");
    stalled = Promise.withResolvers();
    const capability = { tool: "mcp__shop__gone", id: "order", version: 1 };
    const runId = await cutShort(kit, folder, stalled.promise, order.source, { capability });
    stalled = undefined;
    expect((await other.resume(runId)).result).toEqual({ success: true, data: 2 });
    expect(numbers()).toEqual([1, 2, 2]);
  });

  // The code of the run above is read again, and a name in it that is not there any more is refused, although the version that
  // the run below goes on with is still in the store.
  it.fails("T122: goes on below another run when it was deleted since", async () => {
    keepOrder(1, "await mcp.notes.add({ n: 1 }); return (await mcp.notes.look({ n: 2, stall: true })).n");
    const runId = await cut("return await mcp.shop.order({})");
    const without = await createTestRuns(folder);
    without.addSource("notes", { add: (args) => args, look: (args) => args });
    without.named.set("order@1", kit.named.get("order@1")!);
    const resumed = await without.resume(runId).catch(() => undefined);
    await without.close();
    expect(resumed?.result).toEqual({ success: true, data: 2 });
  });

  it("asks the run above about a call without an answer, and hears the decision through it", async () => {
    keepOrder(1, "return (await mcp.notes.add({ n: 1, stall: true })).receipt");
    const runId = await cut("return await mcp.shop.order({})");
    const asked = await other.resume(runId);
    const [child] = await kit.store.runs.children(runId);
    expect(asked.result).toMatchObject({ error: { reason: "uncertain_step" } });
    expect(asked.checkpoint!.uncertain).toMatchObject([{ runId: child!.id, name: "notes__add" }]);
    const resumed = await other.resume(runId, { uncertain: { result: { receipt: 7 } } });
    expect(resumed.result).toEqual({ success: true, data: 7 });
    expect(numbers()).toEqual([1]);
  });
});

describe("T124 a clock that jumps by a day", () => {
  const CODE =
    "for (const n of [1, 2]) await mcp.notes.add({ n, at: Date.now() }); END; return (await mcp.notes.add({ n: 3, at: Date.now() })).at";

  it.each([-DAY_MS, DAY_MS])(
    "changes no step that is on record, and time in the run never goes back (%i ms)",
    async (jumpMs) => {
      const failed = await kit.execute(CODE.replace("END", "null.length"));
      shiftMs = jumpMs;
      const resumed = await other.resume(failed.runId!, correct(CODE.replace("END", "")));
      expect(resumed.result.success).toBe(true);
      expect(numbers()).toEqual([1, 2, 3]);
      const times = made.map(({ at }) => at as number);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    },
  );

  it.each([-DAY_MS, DAY_MS])("leaves `last` the run that was made last (%i ms)", async (jumpMs) => {
    await kit.execute("null.length");
    shiftMs = jumpMs;
    const newest = await other.execute("undefined.length");
    const resumed = await kit.resume("last", correct("return 1"));
    expect((await kit.store.runs.find(resumed.runId!))!.resumedFromRunId).toBe(newest.runId);
  });

  it("leaves `last` the run of a process that started after the clock went back", async () => {
    await kit.execute("null.length");
    shiftMs = -DAY_MS;
    const fresh = await createTestRuns(folder, () => LIMITS, undefined, undefined, { clock });
    const newest = await fresh.execute("undefined.length");
    await fresh.close();
    const resumed = await kit.resume("last", correct("return 1"));
    expect((await kit.store.runs.find(resumed.runId!))!.resumedFromRunId).toBe(newest.runId);
  });
});
