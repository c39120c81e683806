import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type Json } from "../../core/json.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Capability, FinishedStep, Lease, Store } from "../../core/store.ts";
import { runDraftOf, save, type StoreFixture } from "./fixture.ts";

async function startRun(store: Store, leaseMs = 600_000): Promise<Lease> {
  const run = await store.runs.start(runDraftOf(), "owner", leaseMs);
  return { runId: run.id, fence: run.fence };
}

async function readCapability(store: Store): Promise<Capability | undefined> {
  return store.capabilities.find(DEFAULT_SCOPE, { namespace: "math", action: "sum" });
}

function stepOf(seq: number, part: Partial<FinishedStep> = {}): FinishedStep {
  const call = { key: `k${seq}`, seq, tool: "t", args: { seq } };
  return { ...call, status: "succeeded", result: seq, startedAt: 10 + seq, finishedAt: 20 + seq, ...part };
}

/** The end of a run together with what belongs to it. */
export function describeFinishing(fixture: () => StoreFixture): void {
  describeTogether(fixture);
  describeNotAtAll(fixture);
}

function describeTogether(fixture: () => StoreFixture): void {
  it("records the use of a capability with the end of the run", async () => {
    const { store, clock } = fixture();
    const { capability } = await save(store.capabilities);
    const revision = await store.capabilities.revision();
    clock.advance(9);
    for (const success of [true, false, true]) {
      const use = { capabilityId: capability.id, success, elapsedMs: 2.5 };
      const status = success ? "succeeded" : "failed";
      expect(await store.runs.finish(await startRun(store), { status, use })).toBe(true);
    }
    expect(await readCapability(store)).toEqual({
      ...capability,
      usageCount: 3,
      successCount: 2,
      totalMs: 7.5,
      lastUsedAt: clock.now(),
    });
    expect(await store.capabilities.revision()).toBe(revision);
  });

  it("records steps with their own times, beside those that were journalled", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, { key: "open", seq: 2, tool: "t", args: {} });
    const failed = stepOf(3, { status: "failed", result: undefined, error: { code: "X" } });
    const outcome = { status: "succeeded", result: [1], steps: [failed, stepOf(1)] } as const;
    expect(await store.runs.finish(lease, outcome)).toBe(true);
    const { runId } = lease;
    expect(await store.runs.steps(runId)).toEqual([
      { ...stepOf(1), runId, error: null },
      {
        runId,
        key: "open",
        seq: 2,
        tool: "t",
        args: {},
        status: "sent",
        result: null,
        error: null,
        startedAt: clock.now(),
        finishedAt: null,
      },
      { ...failed, runId, result: null },
    ]);
    expect(await store.runs.find(runId)).toMatchObject({
      status: "succeeded",
      result: [1],
      leaseOwner: null,
      finishedAt: clock.now(),
    });
  });

  it("counts every use when 200 runs of one capability end at once", async () => {
    const { store } = fixture();
    const { id } = (await save(store.capabilities)).capability;
    const leases = await Promise.all(Array.from({ length: 200 }, () => startRun(store)));
    const ends = await Promise.all(
      leases.map((lease, i) =>
        store.runs.finish(lease, {
          status: "succeeded",
          use: { capabilityId: id, success: i % 4 !== 0, elapsedMs: 0.5 },
          steps: [stepOf(i)],
        }),
      ),
    );
    expect(ends).toEqual(leases.map(() => true));
    expect(await readCapability(store)).toMatchObject({ usageCount: 200, successCount: 150, totalMs: 100 });
    for (const lease of leases) expect(await store.runs.steps(lease.runId)).toHaveLength(1);
  });

  it("ends the run of a capability that does not exist, and counts nothing", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const use = { capabilityId: "unknown", success: true, elapsedMs: 1 };
    expect(await store.runs.finish(lease, { status: "succeeded", use, steps: [] })).toBe(true);
    expect((await store.runs.find(lease.runId))?.status).toBe("succeeded");
  });

  it("pauses a run with its steps, and the next owner ends it", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    expect(await store.runs.finish(lease, { status: "paused", steps: [stepOf(1)] })).toBe(true);
    const claimed = await store.runs.claim(lease.runId, "heir", 60_000);
    expect(claimed).toMatchObject({ status: "running", fence: 2, finishedAt: null });
    const outcome = { status: "succeeded", steps: [stepOf(2)] } as const;
    expect(await store.runs.finish({ runId: lease.runId, fence: 2 }, outcome)).toBe(true);
    expect((await store.runs.steps(lease.runId)).map((step) => step.key)).toEqual(["k1", "k2"]);
  });

  it("keeps the results of any steps exactly", async () => {
    const { store } = fixture();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 8 }), async (results) => {
        const lease = await startRun(store);
        const steps = results.map((result, seq) => stepOf(seq, { result: result as Json }));
        await store.runs.finish(lease, { status: "succeeded", steps });
        const kept = await store.runs.steps(lease.runId);
        expect(canonicalJson(kept.map((step) => step.result))).toBe(canonicalJson(results));
      }),
      { numRuns: 30 },
    );
  });
}

function describeNotAtAll(fixture: () => StoreFixture): void {
  it("writes nothing at all for an owner that has lost its lease, nor for one that never had it", async () => {
    const { store } = fixture();
    const { capability } = await save(store.capabilities);
    const lost = await startRun(store, 0);
    const claimed = await store.runs.claim(lost.runId, "heir", 60_000);
    const use = { capabilityId: capability.id, success: true, elapsedMs: 1 };
    for (const lease of [lost, { ...lost, fence: 3 }, { runId: "unknown", fence: 1 }]) {
      expect(await store.runs.finish(lease, { status: "succeeded", use, steps: [stepOf(1)] })).toBe(false);
      expect(await store.runs.finish(lease, { status: "succeeded", use })).toBe(false);
      expect(await store.runs.finish(lease, { status: "succeeded", steps: [stepOf(1)] })).toBe(false);
    }
    expect(await readCapability(store)).toEqual(capability);
    expect(await store.runs.find(lost.runId)).toEqual(claimed);
    expect(await store.runs.steps(lost.runId)).toEqual([]);
  });

  it("counts a run that is ended again only once", async () => {
    const { store } = fixture();
    const { id } = (await save(store.capabilities)).capability;
    const lease = await startRun(store);
    const use = { capabilityId: id, success: true, elapsedMs: 1 };
    const end = (): Promise<boolean> =>
      store.runs.finish(lease, { status: "succeeded", use, steps: [stepOf(1)] });
    expect((await Promise.all([end(), end(), end()])).filter(Boolean)).toHaveLength(1);
    expect((await readCapability(store))?.usageCount).toBe(1);
  });

  it.each([
    ["a key", stepOf(9, { key: "open" })],
    ["a seq", stepOf(1, { key: "other" })],
  ])("throws when a step takes %s that is in use, and ends nothing", async (_what, step) => {
    const { store } = fixture();
    const { capability } = await save(store.capabilities);
    const lease = await startRun(store);
    await store.runs.openStep(lease, { key: "open", seq: 1, tool: "t", args: {} });
    const use = { capabilityId: capability.id, success: true, elapsedMs: 1 };
    const outcome = { status: "succeeded", use, steps: [stepOf(5), step] } as const;
    await expect(store.runs.finish(lease, outcome)).rejects.toThrow();
    expect((await store.runs.find(lease.runId))?.status).toBe("running");
    expect((await store.runs.steps(lease.runId)).map((row) => row.key)).toEqual(["open"]);
    expect(await readCapability(store)).toEqual(capability);
    expect(await store.runs.finish(lease, { ...outcome, steps: [stepOf(5)] })).toBe(true);
  });

  it("ends nothing when a step is no bounded JSON", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const steps = [stepOf(1), stepOf(2, { result: "x".repeat(5 * 1024 * 1024) })];
    const finish = store.runs.finish(lease, { status: "succeeded", steps });
    await expect(finish).rejects.toMatchObject({ code: "JSON_LIMIT" });
    expect((await store.runs.find(lease.runId))?.status).toBe("running");
    expect(await store.runs.steps(lease.runId)).toEqual([]);
  });
}
