/** Background runs over a real store and its queue: taken up, set aside, waiting, given up. */
import { afterEach, describe, expect, it } from "vitest";
import { eventuallyAsync, temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { silentLog } from "../../core/log.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { ATTEMPTS_MAX, type RunQueue } from "../../core/run-queue.ts";
import type { Run } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import { isGone } from "../journal/owner.ts";
import { createTestRuns, LIMITS, orphanRuns, type TestRuns } from "../runs.testkit.ts";

const opened: { kit: TestRuns; queue: RunQueue }[] = [];
/** Calls that get no answer before the test is over. */
const hanging: PromiseWithResolvers<string>[] = [];

function hang(): Promise<string> {
  const call = Promise.withResolvers<string>();
  hanging.push(call);
  return call.promise;
}

afterEach(async () => {
  for (const { resolve } of hanging.splice(0)) resolve("late");
  for (const { kit, queue } of opened.splice(0)) {
    await queue.drain();
    await kit.runs.drain();
    await queue.close();
    await kit.close();
  }
});

async function openKit(home = temporaryFolder()) {
  const kit = await createTestRuns(home, () => LIMITS);
  const queue = kit.store.openQueue({ scope: () => DEFAULT_SCOPE, isGone, log: silentLog });
  opened.push({ kit, queue });
  const work = (concurrency = 2) => queue.work(kit.runs.deliver, { concurrency });
  return { kit, queue, home, work };
}

const CONTEXT: CallContext = { traceId: "test", signal: new AbortController().signal };

async function enqueue({ runs }: TestRuns, source: string, kind: "code" | "workflow" = "code") {
  const queued = await runs.enqueue({ kind, source, inputs: {} }, CONTEXT);
  if (!queued.success) throw new Error(queued.error.message);
  return queued.data.run.id;
}

async function newestOf({ store }: TestRuns, id: string): Promise<Run> {
  let at = id;
  for (let next = await store.runs.successor(at); next !== undefined; next = await store.runs.successor(at))
    at = next.id;
  return (await store.runs.find(at))!;
}

const ended = (kit: TestRuns, id: string) =>
  eventuallyAsync(`the end of ${id}`, async () => {
    const run = await newestOf(kit, id);
    return run.finishedAt !== null && run.wakeAt === null ? run : undefined;
  });

describe("a background run", () => {
  it("is queued until a process works, and then runs under its own id", async () => {
    const { kit, work } = await openKit();
    kit.addSource("s", { add: () => "added" });
    const id = await enqueue(kit, "return await mcp.s.add({})");
    expect(await kit.store.runs.find(id)).toMatchObject({ status: "queued", mode: "background" });
    expect(kit.calls).toHaveLength(0);
    work();
    expect(await ended(kit, id)).toMatchObject({ id, status: "succeeded", result: "added", attemptCount: 1 });
    expect(kit.calls).toHaveLength(1);
  });

  it("begins at once where the process that queued it works", async () => {
    const { kit, work } = await openKit();
    work();
    expect(await ended(kit, await enqueue(kit, "return 2"))).toMatchObject({ result: 2 });
  });

  it("tells mistakes at once and queues nothing", async () => {
    const { kit } = await openKit();
    const queued = await kit.runs.enqueue(
      { kind: "code", source: "return mcp.no.tool({})", inputs: {} },
      CONTEXT,
    );
    expect(queued).toMatchObject({ success: false, error: { code: "TOOL_NOT_FOUND" } });
    expect(await kit.store.runs.list(DEFAULT_SCOPE, { limit: 9 })).toEqual([]);
  });

  it("refuses sensitive inputs, because they are not stored", async () => {
    const { kit } = await openKit();
    const request = {
      kind: "code" as const,
      source: "return 1",
      inputs: { key: "s3cr3t-value" },
      sensitive: ["key"],
    };
    expect(await kit.runs.enqueue(request, CONTEXT)).toMatchObject({
      error: { reason: "sensitive_input", field: "inputs.key" },
    });
  });

  it("starts once for one start key", async () => {
    const { kit } = await openKit();
    const request = { kind: "code" as const, source: "return 1", inputs: {} };
    const [first, second] = await Promise.all([
      kit.runs.enqueue(request, CONTEXT, { startKey: "hook:1" }),
      kit.runs.enqueue(request, CONTEXT, { startKey: "hook:1" }),
    ]);
    if (!first.success || !second.success) throw new Error("refused");
    expect(second.data.run.id).toBe(first.data.run.id);
    expect([first, second].filter(({ data }) => data.isNew)).toHaveLength(1);
  });

  it("is waited for by resume, also by the id of its first run", async () => {
    const { kit, work } = await openKit();
    const id = await enqueue(kit, "return 3");
    expect(await kit.resume(id, { timeoutMs: 1 })).toMatchObject({ goesOn: "queued", runId: id });
    const waiting = kit.resume(id);
    work();
    expect(await waiting).toMatchObject({ result: { success: true, data: 3 }, runId: id });
  });

  it("goes on from the journal after its process died, without a call that was answered", async () => {
    const { kit, home, work } = await openKit();
    const second = Promise.withResolvers<void>();
    let isDead = false;
    kit.addSource(
      "s",
      {
        one: () => "a",
        two: async () => {
          if (isDead) return "b";
          second.resolve();
          return hang();
        },
      },
      { two: { annotations: { readOnlyHint: true } } },
    );
    work();
    const id = await enqueue(kit, "const a = await mcp.s.one({}); return a + await mcp.s.two({})");
    await second.promise;
    isDead = true;
    orphanRuns(home);
    expect(await ended(kit, id)).toMatchObject({
      status: "succeeded",
      result: "ab",
      mode: "background",
      attemptCount: 2,
      resumedFromRunId: id,
    });
    expect(kit.calls.map(({ tool }) => tool)).toEqual(["s__one", "s__two", "s__two"]);
    expect(await kit.store.runs.find(id)).toMatchObject({ status: "failed", wakeAt: null });
    expect(await kit.resume(id)).toMatchObject({ result: { data: "ab" } });
  });

  it("stops at a call whose outcome is not known, and is not tried again", async () => {
    const { kit, home, work } = await openKit();
    const sent = Promise.withResolvers<void>();
    kit.addSource("s", {
      write: () => {
        sent.resolve();
        return hang();
      },
    });
    work();
    const id = await enqueue(kit, "return await mcp.s.write({})");
    await sent.promise;
    orphanRuns(home);
    const stopped = await ended(kit, id);
    expect(stopped).toMatchObject({ id, status: "failed", error: { reason: "interrupted" }, wakeAt: null });
    expect(await kit.runs.listWaiting(9)).toMatchObject([{ runId: id, uncertain: [{ tool: "s__write" }] }]);
    expect(kit.calls).toHaveLength(1);
    expect(await kit.resume(id)).toMatchObject({ checkpoint: { uncertain: [{ tool: "s__write" }] } });
  });

  it("is given up after five attempts that came to no end, and tried again when a person says so", async () => {
    const { kit, home, work } = await openKit();
    let isKilling = true;
    kit.addSource(
      "s",
      {
        deadly: () => {
          if (!isKilling) return "alive";
          // As a process that dies here: what it owned is left behind.
          orphanRuns(home);
          return hang();
        },
      },
      { deadly: { annotations: { readOnlyHint: true } } },
    );
    // Those who died here hold their places: they are not dead in earnest.
    work(2 * ATTEMPTS_MAX);
    const id = await enqueue(kit, "return await mcp.s.deadly({})");
    const dead = await eventuallyAsync("the dead letter", async () => (await kit.runs.listDead(9))[0]);
    expect(dead).toMatchObject({ status: "failed", error: { reason: "attempts_exhausted" } });
    expect(kit.calls).toHaveLength(ATTEMPTS_MAX);
    expect(await kit.store.runs.queueStats(DEFAULT_SCOPE)).toMatchObject({ deadCount: 1, queuedCount: 0 });
    isKilling = false;
    expect(await kit.runs.settleDead(id, "retry")).toMatchObject({ success: true });
    expect(await ended(kit, id)).toMatchObject({ status: "succeeded", result: "alive" });
    expect(await kit.runs.listDead(9)).toEqual([]);
  });

  it("is set aside by a shutdown and goes on elsewhere, as if nothing had been tried", async () => {
    const home = temporaryFolder();
    const first = await openKit(home);
    const called = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string>();
    first.kit.addSource("s", {
      slow: () => {
        called.resolve();
        return answer.promise;
      },
      next: () => "never",
    });
    first.work();
    const id = await enqueue(first.kit, "const a = await mcp.s.slow({}); return a + await mcp.s.next({})");
    await called.promise;
    await first.queue.drain();
    const drained = first.kit.runs.drain();
    answer.resolve("a");
    await drained;
    expect(await first.kit.store.runs.find(id)).toMatchObject({
      status: "failed",
      error: { reason: "interrupted" },
      attemptCount: 0,
    });
    const second = await openKit(home);
    second.kit.addSource("s", { slow: () => "again", next: () => "b" });
    second.work();
    expect(await ended(second.kit, id)).toMatchObject({ status: "succeeded", result: "ab" });
    expect(second.kit.calls.map(({ tool }) => tool)).toEqual(["s__next"]);
  });

  it("is cancelled while it is queued", async () => {
    const { kit, work } = await openKit();
    const id = await enqueue(kit, "return 1");
    expect(await kit.runs.cancel(id, "ada")).toMatchObject({ data: { status: "cancelled" } });
    work();
    expect(await kit.store.runs.find(id)).toMatchObject({ status: "cancelled", wakeAt: null });
  });

  it("runs once where two processes work on one file", async () => {
    const home = temporaryFolder();
    const kits = [await openKit(home), await openKit(home)];
    for (const { kit } of kits) kit.addSource("s", { add: () => "x" });
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, i) => enqueue(kits[i % 2]!.kit, `await mcp.s.add({i: ${i}})`)),
    );
    for (const { work } of kits) work();
    for (const id of ids) expect(await ended(kits[0]!.kit, id)).toMatchObject({ id, status: "succeeded" });
    expect(kits.flatMap(({ kit }) => kit.calls)).toHaveLength(12);
  });
});
