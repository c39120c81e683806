import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Capability, Store } from "../../core/store.ts";
import { finishedOf, leaseOf, newRunOf, save, startRun, type StoreFixture } from "./fixture.ts";

async function readCapability(store: Store): Promise<Capability | undefined> {
  return store.capabilities.find(DEFAULT_SCOPE, { namespace: "math", action: "sum" });
}

/** The end of a run together with the use that it was. */
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

  it("records a run that has ended as a whole, with the id and the time of its beginning", async () => {
    const { store, clock } = fixture();
    const begun = { id: store.runs.newId(), at: clock.now() };
    clock.advance(5);
    const later = await store.runs.start(newRunOf(), "owner", 60_000);
    const run = await store.runs.record(newRunOf({ begun, source: "return 1" }), {
      status: "succeeded",
      result: 1,
    });
    expect(run).toMatchObject({
      id: begun.id,
      startedAt: begun.at,
      finishedAt: clock.now(),
      status: "succeeded",
      result: 1,
      leaseOwner: null,
    });
    expect(await store.runs.find(begun.id)).toEqual(run);
    expect(begun.id < later.id).toBe(true);
    expect(await store.runs.finish(leaseOf(run), { status: "failed" })).toBe(false);
    expect(await store.runs.claim(begun.id, "heir", 60_000)).toBeUndefined();
  });

  it("records the use of a capability with a run that is recorded as a whole, or neither", async () => {
    const { store } = fixture();
    const { capability } = await save(store.capabilities);
    const use = { capabilityId: capability.id, success: true, elapsedMs: 2 };
    await store.runs.record(newRunOf(), { status: "succeeded", use });
    const begun = { id: store.runs.newId(), at: 1 };
    const result = "x".repeat(5 * 1024 * 1024);
    await expect(
      store.runs.record(newRunOf({ begun }), { status: "succeeded", result, use }),
    ).rejects.toMatchObject({});
    expect(await store.runs.find(begun.id)).toBeUndefined();
    expect((await readCapability(store))?.usageCount).toBe(1);
  });

  it("leaves the journal as it is", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.recordStep(lease, finishedOf(1));
    await store.runs.openStep(lease, { key: "open", seq: 3, tool: "t", args: {} });
    const steps = await store.runs.steps(lease.runId);
    expect(await store.runs.finish(lease, { status: "succeeded", result: [1] })).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
    expect(await store.runs.find(lease.runId)).toMatchObject({
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
        }),
      ),
    );
    expect(ends).toEqual(leases.map(() => true));
    expect(await readCapability(store)).toMatchObject({ usageCount: 200, successCount: 150, totalMs: 100 });
  });

  it("ends the run of a capability that does not exist, and counts nothing", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const use = { capabilityId: "unknown", success: true, elapsedMs: 1 };
    expect(await store.runs.finish(lease, { status: "succeeded", use })).toBe(true);
    expect((await store.runs.find(lease.runId))?.status).toBe("succeeded");
  });
}

function describeNotAtAll(fixture: () => StoreFixture): void {
  it("writes nothing at all for an owner that has lost its lease, nor for one that never had it", async () => {
    const { store } = fixture();
    const { capability } = await save(store.capabilities);
    const lost = leaseOf(await store.runs.start(newRunOf(), "owner", 0));
    const claimed = await store.runs.claim(lost.runId, "heir", 60_000);
    const use = { capabilityId: capability.id, success: true, elapsedMs: 1 };
    for (const lease of [lost, { ...lost, fence: 3 }, { runId: "unknown", fence: 1 }]) {
      expect(await store.runs.finish(lease, { status: "succeeded", use })).toBe(false);
      expect(await store.runs.finish(lease, { status: "succeeded" })).toBe(false);
    }
    expect(await readCapability(store)).toEqual(capability);
    expect(await store.runs.find(lost.runId)).toEqual(claimed);
  });

  it("counts a run that is ended again only once", async () => {
    const { store } = fixture();
    const { id } = (await save(store.capabilities)).capability;
    const lease = await startRun(store);
    const use = { capabilityId: id, success: true, elapsedMs: 1 };
    const end = (): Promise<boolean> => store.runs.finish(lease, { status: "succeeded", use });
    expect((await Promise.all([end(), end(), end()])).filter(Boolean)).toHaveLength(1);
    expect((await readCapability(store))?.usageCount).toBe(1);
  });

  it("ends nothing when the result is no bounded JSON", async () => {
    const { store } = fixture();
    const { capability } = await save(store.capabilities);
    const lease = await startRun(store);
    const use = { capabilityId: capability.id, success: true, elapsedMs: 1 };
    const result = "x".repeat(5 * 1024 * 1024);
    for (const outcome of [{ result }, { result, use }])
      await expect(store.runs.finish(lease, { status: "succeeded", ...outcome })).rejects.toMatchObject({
        code: "JSON_LIMIT",
      });
    expect((await store.runs.find(lease.runId))?.status).toBe("running");
    expect(await readCapability(store)).toEqual(capability);
  });
}
