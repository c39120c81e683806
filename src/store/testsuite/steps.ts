import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type Json } from "../../core/json.ts";
import type { Step } from "../../core/store.ts";
import { endOf, finishedOf, newRunOf, startRun, type StoreFixture } from "./fixture.ts";

const CALL = { key: "k", seq: 1, tool: "github__search", args: { q: "x", limit: 5 } } as const;

export function describeSteps(fixture: () => StoreFixture): void {
  describeOpening(fixture);
  describeClosing(fixture);
  describeRecording(fixture);
  describeTasks(fixture);

  it("keeps any JSON result exactly", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    let seq = 0;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (value) => {
        const key = `k${++seq}`;
        await store.runs.openStep(lease, { key, seq, tool: "t", args: {} });
        await store.runs.closeStep(lease, key, endOf({ result: value as Json }));
        const steps = await store.runs.steps(lease.runId);
        expect(canonicalJson(steps.at(-1)?.result)).toBe(canonicalJson(value));
      }),
      { numRuns: 50 },
    );
  });

  it("knows no steps of an unknown run", async () => {
    expect(await fixture().store.runs.steps("unknown")).toEqual([]);
  });
}

function describeTasks(fixture: () => StoreFixture): void {
  const task = { server: "jobs", taskId: "own-1" };

  it("notes with an open step what its call became, until it ends", async () => {
    const { store, reopen } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    expect(await store.runs.noteTask(lease, CALL.key, task)).toBe(true);
    const { runs } = await reopen();
    expect(await runs.steps(lease.runId)).toMatchObject([
      { status: "sent", error: { task }, finishedAt: null },
    ]);
    await runs.closeStep(lease, CALL.key, endOf({ result: 1 }));
    expect(await runs.noteTask(lease, CALL.key, task)).toBe(true);
    expect(await runs.steps(lease.runId)).toMatchObject([{ status: "succeeded", result: 1, error: null }]);
  });

  it("notes nothing for an owner that has lost the run", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    const stale = { ...lease, fence: lease.fence - 1 };
    expect(await store.runs.noteTask(stale, CALL.key, task)).toBe(false);
    expect(await store.runs.steps(lease.runId)).toMatchObject([{ status: "sent", error: null }]);
  });
}

function describeOpening(fixture: () => StoreFixture): void {
  it("records a step as sent, also after a restart", async () => {
    const { store, reopen, clock } = fixture();
    const lease = await startRun(store);
    expect(await store.runs.openStep(lease, CALL)).toBe(true);
    const step: Step = {
      runId: lease.runId,
      ...CALL,
      status: "sent",
      result: null,
      resultBytes: null,
      error: null,
      startedAt: clock.now(),
      finishedAt: null,
      endSeq: null,
      clockAt: null,
      fromRunId: null,
    };
    expect(await store.runs.steps(lease.runId)).toEqual([step]);
    expect(await (await reopen()).runs.steps(lease.runId)).toEqual([step]);
  });

  it("leaves an open step as it is when it is opened again", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    const steps = await store.runs.steps(lease.runId);
    clock.advance(5);
    expect(await store.runs.openStep(lease, CALL)).toBe(true);
    expect(await store.runs.openStep(lease, { ...CALL, seq: 9, tool: "other", args: {} })).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
  });

  it("records a question as waiting, and closes it like any other step", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    expect(await store.runs.openStep(lease, { ...CALL, status: "waiting" })).toBe(true);
    expect(await store.runs.openStep(lease, CALL)).toBe(true);
    expect(await store.runs.steps(lease.runId)).toMatchObject([{ status: "waiting", finishedAt: null }]);
    expect(await store.runs.closeStep(lease, "k", endOf({ result: "yes" }))).toBe(true);
    expect(await store.runs.steps(lease.runId)).toMatchObject([{ status: "succeeded", result: "yes" }]);
  });

  it("keeps arguments that are wider than a client may send, and throws JSON_LIMIT beyond", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]));
    expect(await store.runs.openStep(lease, { ...CALL, args: wide })).toBe(true);
    expect(await store.runs.recordStep(lease, finishedOf(2, { args: wide }))).toBe(true);
    expect((await store.runs.steps(lease.runId)).map((step) => step.args)).toEqual([wide, wide]);
    const tooLarge = { text: "x".repeat(5 * 1024 * 1024) };
    const refusal = { code: "JSON_LIMIT" };
    const opened = { ...CALL, key: "l", seq: 3, args: tooLarge };
    await expect(store.runs.openStep(lease, opened)).rejects.toMatchObject(refusal);
    for (const part of [{ args: tooLarge }, { result: tooLarge }, { error: tooLarge }])
      await expect(store.runs.recordStep(lease, finishedOf(3, part))).rejects.toMatchObject(refusal);
    expect(await store.runs.steps(lease.runId)).toHaveLength(2);
  });

  it("leaves a closed step as it is when it is opened again", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await store.runs.closeStep(lease, CALL.key, endOf({ status: "failed", error: { code: "X" } }));
    const steps = await store.runs.steps(lease.runId);
    expect(await store.runs.openStep(lease, CALL)).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
  });

  it("lists steps by seq, whatever the order of opening", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    for (const seq of [10, 2, 33, 1]) await store.runs.openStep(lease, { ...CALL, key: `k${seq}`, seq });
    expect((await store.runs.steps(lease.runId)).map((step) => step.seq)).toEqual([1, 2, 10, 33]);
  });

  it("throws when a second step takes a seq that is in use, and writes nothing", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await expect(store.runs.openStep(lease, { ...CALL, key: "other" })).rejects.toThrow();
    expect((await store.runs.steps(lease.runId)).map((step) => step.key)).toEqual(["k"]);
    expect(await store.runs.openStep(lease, { ...CALL, key: "other", seq: 2 })).toBe(true);
  });

  it("gives two runs their own keys and numbers", async () => {
    const { store } = fixture();
    const [one, two] = [await startRun(store), await startRun(store)];
    expect(await store.runs.openStep(one, CALL)).toBe(true);
    expect(await store.runs.openStep(two, CALL)).toBe(true);
    expect(await store.runs.steps(one.runId)).toHaveLength(1);
    expect(await store.runs.steps(two.runId)).toHaveLength(1);
  });

  it("records 100 steps that are opened and closed at once", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await Promise.all(
      Array.from({ length: 100 }, async (_, seq) => {
        await store.runs.openStep(lease, { ...CALL, key: `k${seq}`, seq });
        await store.runs.closeStep(lease, `k${seq}`, endOf({ result: seq }));
      }),
    );
    const steps = await store.runs.steps(lease.runId);
    expect(steps.map((step) => step.result)).toEqual(Array.from({ length: 100 }, (_, seq) => seq));
  });
}

function describeClosing(fixture: () => StoreFixture): void {
  it("records how a step ended", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await store.runs.openStep(lease, { ...CALL, key: "k2", seq: 2 });
    const [succeeded, failed] = [
      endOf({ result: [1], endSeq: 3, clockAt: 30, finishedAt: 300 }),
      endOf({ status: "failed", error: { code: "X" }, endSeq: 4, clockAt: 40, finishedAt: 400 }),
    ];
    expect(await store.runs.closeStep(lease, "k", succeeded)).toBe(true);
    expect(await store.runs.closeStep(lease, "k2", failed)).toBe(true);
    expect(await store.runs.steps(lease.runId)).toMatchObject([
      { key: "k", ...succeeded, error: null, startedAt: clock.now() },
      { key: "k2", ...failed, result: null, startedAt: clock.now() },
    ]);
  });

  it("keeps the first outcome when a step is closed again", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await store.runs.closeStep(lease, "k", endOf({ result: 1 }));
    const steps = await store.runs.steps(lease.runId);
    const other = endOf({ status: "failed", error: { code: "X" }, endSeq: 7, clockAt: 8, finishedAt: 9 });
    expect(await store.runs.closeStep(lease, "k", other)).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
  });

  it("throws when a step is closed that was never opened", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await expect(store.runs.closeStep(lease, "k", endOf())).rejects.toThrow("never opened");
    expect(await store.runs.steps(lease.runId)).toEqual([]);
  });

  it("lets the next owner close what the one before has opened", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 0);
    await store.runs.openStep({ runId: run.id, fence: 1 }, CALL);
    await store.runs.claim(run.id, "heir", 60_000);
    expect(await store.runs.closeStep({ runId: run.id, fence: 2 }, "k", endOf())).toBe(true);
    expect((await store.runs.steps(run.id))[0]?.status).toBe("succeeded");
  });
}

function describeRecording(fixture: () => StoreFixture): void {
  it("records a step with the times that its owner took, also after a restart", async () => {
    const { store, reopen } = fixture();
    const lease = await startRun(store);
    const { runId } = lease;
    const succeeded = finishedOf(1, { result: { a: [1] } });
    const failed = finishedOf(3, { status: "failed", result: null, error: { code: "X" } });
    expect(await store.runs.recordStep(lease, failed)).toBe(true);
    expect(await store.runs.recordStep(lease, succeeded)).toBe(true);
    const steps: Step[] = [
      { runId, ...succeeded, result: { a: [1] }, error: null, resultBytes: null, fromRunId: null },
      { runId, ...failed, result: null, error: { code: "X" }, resultBytes: null, fromRunId: null },
    ];
    expect(await store.runs.steps(runId)).toEqual(steps);
    expect(await (await reopen()).runs.steps(runId)).toEqual(steps);
  });

  it("leaves a key that exists as it is, open or recorded, and says true", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await store.runs.recordStep(lease, finishedOf(2));
    const steps = await store.runs.steps(lease.runId);
    for (const key of ["k", "k2"])
      expect(await store.runs.recordStep(lease, finishedOf(9, { key, result: "other" }))).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
  });

  it("leaves a recorded step as it is when it is opened or closed", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.recordStep(lease, finishedOf(1, { key: "k" }));
    const steps = await store.runs.steps(lease.runId);
    expect(await store.runs.openStep(lease, { ...CALL, status: "waiting" })).toBe(true);
    expect(await store.runs.closeStep(lease, "k", endOf({ result: "other" }))).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
  });

  it("throws when a second step is recorded under a seq that is in use, and writes nothing", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await expect(store.runs.recordStep(lease, finishedOf(1, { key: "other" }))).rejects.toThrow();
    expect((await store.runs.steps(lease.runId)).map((step) => step.key)).toEqual(["k"]);
  });

  it("records several together, small and large, and keeps those that are there", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const large = "x".repeat(1024 * 1024);
    const [first, second] = [finishedOf(1), finishedOf(2, { result: large })];
    expect(await store.runs.recordSteps(lease, [], "process")).toBe(true);
    expect(await store.runs.recordSteps(lease, [first, second], "process")).toBe(true);
    const again = [finishedOf(9, { key: first.key, result: "other" }), finishedOf(3)];
    expect(await store.runs.recordSteps(lease, again)).toBe(true);
    const steps = await store.runs.steps(lease.runId);
    expect(steps.map(({ seq, result, resultBytes }) => [seq, resultBytes ?? result])).toEqual([
      [1, first.result],
      [2, large.length + 2],
      [3, finishedOf(3).result],
    ]);
    expect(await store.runs.stepResult(lease.runId, second.key)).toBe(large);
  });

  it("records none of several when the lease is lost, or when one cannot be written", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    const inUse = [finishedOf(2), finishedOf(1, { key: "other" })];
    await expect(store.runs.recordSteps(lease, inUse)).rejects.toThrow();
    const stale = { ...lease, fence: lease.fence - 1 };
    expect(await store.runs.recordSteps(stale, [finishedOf(2), finishedOf(3)])).toBe(false);
    expect((await store.runs.steps(lease.runId)).map(({ key }) => key)).toEqual(["k"]);
  });

  it("records 100 steps at once, each key once", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const record = async (_: unknown, i: number): Promise<boolean> =>
      store.runs.recordStep(lease, finishedOf(i % 100));
    const told = await Promise.all(Array.from({ length: 200 }, record));
    expect(told).toEqual(told.map(() => true));
    const steps = await store.runs.steps(lease.runId);
    expect(steps.map((step) => step.result)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  it.each([-86_400_000, 86_400_000])(
    "lists by seq and keeps ends in order when the clock jumps by %d ms (T124)",
    async (jump) => {
      const { store, clock } = fixture();
      const lease = await startRun(store);
      await store.runs.openStep(lease, { ...CALL, key: "k1", seq: 1 });
      clock.advance(jump);
      const at = { startedAt: clock.now(), finishedAt: clock.now() };
      await store.runs.recordStep(lease, finishedOf(2, { endSeq: 3, ...at }));
      await store.runs.openStep(lease, { ...CALL, key: "k4", seq: 4 });
      await store.runs.closeStep(lease, "k1", endOf({ endSeq: 5, finishedAt: clock.now() }));
      const steps = await store.runs.steps(lease.runId);
      expect(steps.map((step) => [step.key, step.endSeq])).toEqual([
        ["k1", 5],
        ["k2", 3],
        ["k4", null],
      ]);
    },
  );
}
