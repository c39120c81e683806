import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { ARGS_PREVIEW_LENGTH, INLINE_RESULT_BYTES_MAX, type Store } from "../../core/store.ts";
import { endOf, finishedOf, newRunOf, startRun, type StoreFixture } from "./fixture.ts";

const HASH = "a".repeat(64);

/** What people see of a run beside its result: its console, its steps page by page, and that somebody wants it to end. */
export function describeRunViews(fixture: () => StoreFixture): void {
  it("keeps the lines of the console with the end of a run, and not in lists", async () => {
    const { store, reopen } = fixture();
    const lease = await startRun(store);
    const logs = [
      { level: "log", message: "a" },
      { level: "warn", message: "b", truncatedFrom: 9 },
    ];
    await store.runs.finish(lease, { status: "succeeded", logs });
    const again = await reopen();
    expect((await again.runs.find(lease.runId))?.logs).toEqual(logs);
    expect((await again.runs.list(DEFAULT_SCOPE, { limit: 1 }))[0]).not.toHaveProperty("logs");
  });

  it("gives steps page by page, with the numbers and counts of the whole", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const tools = ["a__x", "b__y", "a__x", "a__x", "b__y"];
    for (const [seq, tool] of tools.entries())
      await store.runs.recordStep(lease, finishedOf(seq * 2, { tool, key: `${tool} ${HASH} ${seq}` }));
    await store.runs.openStep(lease, {
      key: "ask?@x",
      seq: 20,
      tool: "approve",
      args: {},
      status: "waiting",
    });
    const page = async (after: number, limit: number) =>
      (await store.runs.stepPage(lease.runId, { after, limit })).map((step) => [
        step.number,
        step.tool,
        step.occurrence,
      ]);
    const whole = [
      [1, "a__x", 1],
      [2, "b__y", 1],
      [3, "a__x", 2],
      [4, "a__x", 3],
      [5, "b__y", 2],
      [6, "approve", 0],
    ];
    expect(await page(0, 9)).toEqual(whole);
    expect(await page(2, 2)).toEqual(whole.slice(2, 4));
    expect(await page(4, 9)).toEqual(whole.slice(4));
    expect(await page(6, 9)).toEqual([]);
    expect(await store.runs.step(lease.runId, 4)).toMatchObject({ tool: "a__x", seq: 6 });
    expect(await store.runs.step(lease.runId, 7)).toBeUndefined();
    expect(await store.runs.stepCount(lease.runId)).toBe(6);
    expect(await store.runs.stepCount("unknown")).toBe(0);
  });

  it("has the beginning of arguments and the size of results on a page, and neither as a whole", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const long = { text: "ü".repeat(2 * ARGS_PREVIEW_LENGTH) };
    const large = "x".repeat(INLINE_RESULT_BYTES_MAX);
    await store.runs.recordStep(lease, finishedOf(1, { args: long, result: "ü" }));
    await store.runs.recordStep(lease, finishedOf(2, { args: { a: 1 }, result: large }));
    await store.runs.openStep(lease, { key: "k3", seq: 3, tool: "t", args: {} });
    const [first, second, third] = await store.runs.stepPage(lease.runId, { after: 0, limit: 9 });
    expect(first).toMatchObject({ isArgsCut: true, resultBytes: 4, status: "succeeded" });
    expect(first!.argsText).toBe(JSON.stringify(long).slice(0, ARGS_PREVIEW_LENGTH));
    expect(second).toMatchObject({ argsText: '{"a":1}', isArgsCut: false, resultBytes: large.length + 2 });
    expect(third).toMatchObject({ status: "sent", resultBytes: null, finishedAt: null });
    expect(await store.runs.stepArgs(lease.runId)).toEqual([long, { a: 1 }, {}]);
  });

  it("has another mark of a run after each change of it and of its steps", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const { runId } = lease;
    const marks: string[] = [];
    const see = async () => marks.push(await markOf(store, runId));
    await see();
    await store.runs.openStep(lease, { key: "k1", seq: 1, tool: "t", args: {} });
    await see();
    await store.runs.closeStep(lease, "k1", endOf({ endSeq: 2 }));
    await see();
    await store.runs.requestCancel(runId, "ann");
    await see();
    await store.runs.finish(lease, { status: "cancelled" });
    await see();
    await store.runs.resume(runId, newRunOf(), { except: [], decided: [] }, "owner", 60_000);
    await see();
    expect(new Set(marks).size).toBe(marks.length);
    expect(await markOf(store, runId)).toBe(marks.at(-1));
  });

  it("tells of the newest runs, of those below others, and of every one that is open", async () => {
    const { store } = fixture();
    const open = await startRun(store, { principal: "ann" });
    const ended = await startRun(store);
    await store.runs.finish(ended, { status: "failed" });
    const newest = await startRun(store, { parentRunId: open.runId });
    await store.runs.finish(newest, { status: "succeeded" });
    await startRun(store, { scope: { org: "acme", project: "default" } });
    const seen = await store.runs.activity(DEFAULT_SCOPE, 1);
    expect(seen).toEqual([
      {
        id: newest.runId,
        principal: null,
        status: "succeeded",
        parentRunId: open.runId,
        mark: expect.any(String),
      },
      { id: open.runId, principal: "ann", status: "running", parentRunId: null, mark: expect.any(String) },
    ]);
  });

  it("passes a wish to cancel on to the owner of a running run, and to no other", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "me", 60_000);
    const other = await store.runs.start(newRunOf(), "you", 60_000);
    expect(await store.runs.cancelRequests("me")).toEqual([]);
    expect(await store.runs.requestCancel(run.id, "ann")).toBe(true);
    expect(await store.runs.requestCancel(run.id, "bob")).toBe(true);
    expect(await store.runs.requestCancel(other.id, "bob")).toBe(true);
    expect(await store.runs.cancelRequests("me")).toEqual([{ runId: run.id, by: "ann" }]);
    expect(await store.runs.find(run.id)).toMatchObject({ cancelBy: "ann", status: "running" });
    await store.runs.finish({ runId: run.id, fence: 1 }, { status: "cancelled" });
    expect(await store.runs.cancelRequests("me")).toEqual([]);
    expect(await store.runs.requestCancel(run.id, "ann")).toBe(false);
    expect(await store.runs.requestCancel("unknown", "ann")).toBe(false);
  });
}

async function markOf(store: Store, runId: string): Promise<string> {
  return (await store.runs.activity(DEFAULT_SCOPE, 9)).find(({ id }) => id === runId)!.mark;
}
