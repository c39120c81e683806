import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { leaseOf, newRunOf, startRun, type StoreFixture } from "./fixture.ts";

const FAILED = { status: "failed", error: { reason: "attempts_exhausted" } } as const;

/** Background runs: what puts them into the queue, takes them up and takes them out. */
export function describeQueuedRuns(fixture: () => StoreFixture): void {
  describeEnqueuing(fixture);
  describeDetaching(fixture);
  describeWaking(fixture);
  describeGivingUp(fixture);
}

function describeEnqueuing(fixture: () => StoreFixture): void {
  it("queues a run without an owner, and it begins when it is claimed", async () => {
    const { store, clock } = fixture();
    const { run, isNew } = await store.runs.enqueue(newRunOf({ profile: "p", timeoutMs: 5 }), {
      at: clock.now() + 50,
    });
    expect(isNew).toBe(true);
    expect(run).toMatchObject({
      status: "queued",
      mode: "background",
      profile: "p",
      timeoutMs: 5,
      wakeAt: clock.now() + 50,
      attemptCount: 0,
      leaseOwner: null,
    });
    clock.advance(70);
    const begun = await store.runs.claim(run.id, "a", 1_000);
    expect(begun).toMatchObject({ id: run.id, status: "running", leaseOwner: "a", fence: run.fence + 1 });
    expect(begun).toMatchObject({ startedAt: clock.now(), clockAt: clock.now(), wakeAt: clock.now() });
    expect(await store.runs.claim(run.id, "b", 1_000)).toBeUndefined();
  });

  it("makes one run of one start key, whoever asks and how many at once", async () => {
    const { store } = fixture();
    const all = await Promise.all(
      Array.from({ length: 8 }, () => store.runs.enqueue(newRunOf(), { startKey: "k" })),
    );
    expect(new Set(all.map(({ run }) => run.id)).size).toBe(1);
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await store.runs.enqueue(newRunOf(), { startKey: "other" })).isNew).toBe(true);
  });

  it("lets one take a run that is due, counts it, and keeps the others from it for a time", async () => {
    const { store, clock } = fixture();
    const { run } = await store.runs.enqueue(newRunOf());
    const now = clock.now();
    const taken = await Promise.all(
      [1, 2, 3].map(() => store.runs.take(run.id, { until: now + 100, dueAt: now })),
    );
    expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await store.runs.find(run.id)).toMatchObject({ attemptCount: 1, wakeAt: now + 100 });
    expect(await store.runs.take(run.id, { until: now + 300, dueAt: now + 100 })).toMatchObject({
      attemptCount: 2,
    });
    expect(await store.runs.take(run.id, { until: now + 400 })).toMatchObject({ attemptCount: 3 });
  });

  it("does not take what is running, has ended or was never queued", async () => {
    const { store, clock } = fixture();
    const until = clock.now() + 1;
    const lease = await startRun(store);
    expect(await store.runs.take(lease.runId, { until })).toBeUndefined();
    await store.runs.finish(lease, { status: "failed" });
    expect(await store.runs.take(lease.runId, { until })).toBeUndefined();
    const { run } = await store.runs.enqueue(newRunOf());
    await store.runs.claim(run.id, "a", 1_000);
    expect(await store.runs.take(run.id, { until })).toBeUndefined();
    expect(await store.runs.requeue(run.id, until)).toBe(false);
    expect(await store.runs.dequeue(run.id)).toBe(false);
  });

  it("finds background runs in lists, and the queue in numbers", async () => {
    const { store, clock } = fixture();
    await startRun(store);
    const { run } = await store.runs.enqueue(newRunOf());
    await store.runs.enqueue(newRunOf(), { at: clock.now() + 1_000 });
    clock.advance(10);
    const listed = await store.runs.list(DEFAULT_SCOPE, { limit: 9, mode: "background", status: "queued" });
    expect(listed).toHaveLength(2);
    expect(await store.runs.queueStats(DEFAULT_SCOPE)).toEqual({
      queuedCount: 1,
      oldestMs: 10,
      deadCount: 0,
    });
    await store.runs.claim(run.id, "a", 1_000);
    expect(await store.runs.queueStats(DEFAULT_SCOPE)).toMatchObject({ queuedCount: 0, oldestMs: null });
  });
}

function describeDetaching(fixture: () => StoreFixture): void {
  it("makes a run under way a background run that is in the queue, once, with its owner", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    clock.advance(10);
    expect(await store.runs.detach(lease, 5_000)).toBe(true);
    const detached = {
      status: "running",
      mode: "background",
      wakeAt: clock.now(),
      timeoutMs: 5_000,
      attemptCount: 0,
      fence: lease.fence,
    };
    expect(await store.runs.find(lease.runId)).toMatchObject(detached);
    clock.advance(10);
    expect(await store.runs.detach(lease, null)).toBe(true);
    expect(await store.runs.find(lease.runId)).toMatchObject(detached);
    expect(await store.runs.take(lease.runId, { until: clock.now() + 1 })).toBeUndefined();
    expect(await store.runs.finish(lease, { status: "succeeded", result: 1 })).toBe(true);
    expect(await store.runs.find(lease.runId)).toMatchObject({ mode: "background", wakeAt: null });
  });

  it("does not detach what another owner has, what has ended, or what another run started", async () => {
    const { store } = fixture();
    const lost = await startRun(store);
    await store.runs.claim(lost.runId, "b", 1_000, { gone: "owner" });
    const ended = await startRun(store);
    await store.runs.finish(ended, { status: "succeeded" });
    const paused = await startRun(store);
    await store.runs.finish(paused, { status: "paused" });
    const below = await startRun(store, { parentRunId: lost.runId, parentStep: "k" });
    for (const lease of [lost, ended, paused, below]) {
      expect(await store.runs.detach(lease, null)).toBe(false);
      expect(await store.runs.find(lease.runId)).toMatchObject({ mode: "foreground", wakeAt: null });
    }
    expect(await store.runs.detach({ runId: "no such run", fence: 1 }, null)).toBe(false);
  });

  it("leaves a detached run in the queue when its owner dies", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.detach(lease, null);
    const claimed = (await store.runs.claim(lease.runId, "b", 1_000, { gone: "owner" }))!;
    await store.runs.finish(leaseOf(claimed), { status: "failed", wakeAt: clock.now() });
    expect(await store.runs.detach(lease, null)).toBe(false);
    expect(await store.runs.take(lease.runId, { until: clock.now() + 1 })).toMatchObject({
      mode: "background",
      attemptCount: 1,
    });
  });
}

function describeWaking(fixture: () => StoreFixture): void {
  it("remembers when a run that waits goes on, in the same write, and forgets it when the run has ended", async () => {
    const { store, clock } = fixture();
    const { run } = await store.runs.enqueue(newRunOf());
    const begun = (await store.runs.claim(run.id, "a", 1_000))!;
    const wakeAt = clock.now() + 500;
    await store.runs.finish(leaseOf(begun), { status: "paused", wakeAt, attemptCount: 0 });
    expect(await store.runs.find(run.id)).toMatchObject({ status: "paused", wakeAt, attemptCount: 0 });
    const again = (await store.runs.claim(run.id, "a", 1_000))!;
    await store.runs.finish(leaseOf(again), { status: "succeeded" });
    expect(await store.runs.find(run.id)).toMatchObject({ status: "succeeded", wakeAt: null });
  });

  it("hands the place in the queue to the run that goes on", async () => {
    const { store, clock } = fixture();
    const { run } = await store.runs.enqueue(newRunOf());
    const begun = (await store.runs.claim(run.id, "a", 1_000))!;
    await store.runs.finish(leaseOf(begun), { status: "failed", wakeAt: clock.now() });
    const taken = { except: [], decided: [] };
    const newRun = newRunOf({ mode: "background", attemptCount: 2 });
    const resumed = await store.runs.resume(run.id, newRun, taken, "b", 1_000);
    if (resumed.kind !== "resumed") throw new Error(resumed.kind);
    expect(resumed.run).toMatchObject({ mode: "background", wakeAt: clock.now(), attemptCount: 2 });
    expect(await store.runs.find(run.id)).toMatchObject({ wakeAt: null });
    expect(await store.runs.requeue(run.id, clock.now())).toBe(false);
  });

  it("is due when its question is answered with yes, also that of a run below", async () => {
    const { store, clock } = fixture();
    const { run } = await store.runs.enqueue(newRunOf());
    const root = (await store.runs.claim(run.id, "a", 1_000))!;
    const below = await startRun(store, { parentRunId: run.id, parentStep: "k" });
    await store.runs.openStep(below, { key: "ask", seq: 1, tool: "approve", args: {}, status: "waiting" });
    await store.runs.finish(below, { status: "paused" });
    await store.runs.finish(leaseOf(root), { status: "paused" });
    clock.advance(30);
    expect(await store.runs.decide(below.runId, "ask", { isApproved: true, by: "ada" })).toEqual({
      kind: "decided",
    });
    expect(await store.runs.find(run.id)).toMatchObject({ status: "paused", wakeAt: clock.now() });
    expect(await store.runs.find(below.runId)).toMatchObject({ wakeAt: null });
  });

  it("leaves a run in the foreground to its client when its question is answered", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, { key: "ask", seq: 1, tool: "approve", args: {}, status: "waiting" });
    await store.runs.finish(lease, { status: "paused" });
    await store.runs.decide(lease.runId, "ask", { isApproved: true, by: "ada" });
    expect(await store.runs.find(lease.runId)).toMatchObject({ mode: "foreground", wakeAt: null });
  });

  it("stays due where it was answered after it was taken", async () => {
    const { store, clock } = fixture();
    const { run } = await store.runs.enqueue(newRunOf());
    const until = clock.now() + 100;
    await store.runs.take(run.id, { until });
    await store.runs.requeue(run.id, clock.now());
    expect(await store.runs.dequeue(run.id, { takenUntil: until })).toBe(false);
    expect(await store.runs.find(run.id)).toMatchObject({ wakeAt: clock.now() });
    await store.runs.take(run.id, { until });
    expect(await store.runs.dequeue(run.id, { takenUntil: until })).toBe(true);
    expect(await store.runs.find(run.id)).toMatchObject({ wakeAt: null });
  });

  it("makes a run that stopped a background run", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.finish(lease, { status: "failed" });
    expect(await store.runs.requeue(lease.runId, clock.now(), { attemptCount: 0 })).toBe(true);
    expect(await store.runs.find(lease.runId)).toMatchObject({ mode: "background", wakeAt: clock.now() });
    expect(await store.runs.requeue(lease.runId, null)).toBe(true);
    expect(await store.runs.find(lease.runId)).toMatchObject({ mode: "background", wakeAt: null });
  });
}

function describeGivingUp(fixture: () => StoreFixture): void {
  it("lists runs that were given up until somebody decides on them", async () => {
    const { store, clock } = fixture();
    const { run } = await store.runs.enqueue(newRunOf());
    const { run: other } = await store.runs.enqueue(newRunOf());
    for (const { id } of [run, other])
      expect(await store.runs.dequeue(id, { end: FAILED, attemptCount: 6 })).toBe(true);
    expect(await store.runs.listDead(DEFAULT_SCOPE, 9)).toMatchObject([{ id: other.id }, { id: run.id }]);
    expect(await store.runs.queueStats(DEFAULT_SCOPE)).toMatchObject({ deadCount: 2 });
    expect(await store.runs.find(run.id)).toMatchObject({ ...FAILED, finishedAt: clock.now(), wakeAt: null });
    await store.runs.requeue(run.id, clock.now(), { attemptCount: 0 });
    await store.runs.dequeue(other.id, { attemptCount: 0 });
    expect(await store.runs.listDead(DEFAULT_SCOPE, 9)).toEqual([]);
    expect(await store.runs.find(other.id)).toMatchObject(FAILED);
  });
}
