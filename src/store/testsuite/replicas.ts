import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../core/clock.ts";
import { DEAD_AFTER_MS, type Replica } from "../../core/replica-store.ts";
import type { Run, Store } from "../../core/store.ts";
import { createManualClock, leaseOf, newRunOf, type OpenedStore } from "./fixture.ts";

type Open = (clock: Clock, databaseNow?: () => number) => Promise<OpenedStore>;

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

export function replicaOf(id: string, part: Partial<Replica> = {}): Replica {
  return {
    id,
    owner: `owner of ${id}`,
    place: "host",
    url: null,
    version: "1.0.0",
    isDraining: false,
    ...part,
  };
}

/** Replicas go by the database's clock: here it stands until it is told to go. */
export function describeReplicas(open: Open): void {
  async function openReplicas() {
    const clock = createManualClock();
    const opened = await open({ now: () => 1, elapsed: () => 0 }, () => clock.now());
    onTestFinished(() => opened.dispose());
    return { ...opened, advance: (ms: number) => clock.advance(ms), now: () => clock.now() };
  }

  /** A run of this replica, with a lease that outlasts every test here. */
  const startOf = (store: Store, id: string, leaseMs = DAY_MS): Promise<Run> =>
    store.runs.start(newRunOf(), `owner of ${id}`, leaseMs);

  const abandoned = async (store: Store, limit = 20): Promise<string[]> =>
    (await store.replicas.listAbandoned(limit)).map(({ id }) => id);

  it("has seen a replica when it last beat, by the database's clock", async () => {
    const { store, advance, now } = await openReplicas();
    const startedAt = now();
    const first = replicaOf("a", { url: "http://a:1" });
    await store.replicas.beat(first);
    expect(await store.replicas.find("a")).toEqual({ ...first, startedAt, ageMs: 0 });
    advance(2_500);
    expect(await store.replicas.find("a")).toEqual({ ...first, startedAt, ageMs: 2_500 });
    const draining = { ...first, isDraining: true };
    await store.replicas.beat(draining);
    expect(await store.replicas.find("a")).toEqual({ ...draining, startedAt, ageMs: 0 });
    expect(await store.replicas.find("b")).toBeUndefined();
  });

  it("lists replicas newest first, and those no more that have left or were unseen for an hour", async () => {
    const { store, advance } = await openReplicas();
    const ids = async () => (await store.replicas.list()).map(({ id }) => id);
    expect(await ids()).toEqual([]);
    for (const id of ["a", "b", "c"]) {
      await store.replicas.beat(replicaOf(id));
      advance(1);
    }
    expect(await ids()).toEqual(["c", "b", "a"]);
    await store.replicas.leave("b");
    expect(await ids()).toEqual(["c", "a"]);
    expect(await store.replicas.find("b")).toBeUndefined();
    advance(HOUR_MS - 2);
    expect(await ids()).toEqual(["c"]);
    await store.replicas.leave("unknown");
  });

  it("says how long ago each owner was seen, also those that have left a run behind", async () => {
    const { store, advance } = await openReplicas();
    expect(await store.replicas.ages()).toEqual(new Map());
    await store.replicas.beat(replicaOf("a"));
    await store.replicas.beat(replicaOf("left"));
    await startOf(store, "left");
    await store.replicas.leave("left");
    advance(3_000);
    await store.replicas.beat(replicaOf("b"));
    const ages = await store.replicas.ages();
    expect([ages.get("owner of a"), ages.get("owner of b")]).toEqual([3_000, 0]);
    expect(ages.get("owner of left")).toBeGreaterThan(DEAD_AFTER_MS);
    expect(ages.size).toBe(3);
  });

  it("finds the running runs of replicas that were not seen for long, oldest first", async () => {
    const { store, advance } = await openReplicas();
    await store.replicas.beat(replicaOf("dead"));
    const runs = [await startOf(store, "dead"), await startOf(store, "dead"), await startOf(store, "dead")];
    const ended = await startOf(store, "dead");
    await store.runs.finish(leaseOf(ended), { status: "succeeded" });
    const paused = await startOf(store, "dead");
    await store.runs.finish(leaseOf(paused), { status: "paused" });
    advance(DEAD_AFTER_MS - 1);
    await store.replicas.beat(replicaOf("alive"));
    await startOf(store, "alive");
    expect(await abandoned(store)).toEqual([]);
    advance(1);
    expect(await abandoned(store)).toEqual(runs.map(({ id }) => id));
    expect(await abandoned(store, 2)).toEqual(runs.slice(0, 2).map(({ id }) => id));
    await store.replicas.beat(replicaOf("dead"));
    expect(await abandoned(store)).toEqual([]);
  });

  it("finds what a replica that has left did not end, at once", async () => {
    const { store } = await openReplicas();
    await store.replicas.beat(replicaOf("a"));
    const run = await startOf(store, "a");
    await store.replicas.leave("a");
    expect(await abandoned(store)).toEqual([run.id]);
    expect((await store.replicas.find("a"))!.ageMs).toBeGreaterThan(DEAD_AFTER_MS);
    expect(await store.replicas.list()).toEqual([]);
  });

  it("goes by the lease where an owner is not a replica", async () => {
    const { store, advance } = await openReplicas();
    const run = await startOf(store, "nothing", 1_000);
    advance(999);
    expect(await abandoned(store)).toEqual([]);
    advance(1);
    expect(await abandoned(store)).toEqual([run.id]);
  });

  it("removes rows that were unseen for an hour, except those that a running run names", async () => {
    const { store, advance } = await openReplicas();
    for (const id of ["idle", "owner", "alive"]) await store.replicas.beat(replicaOf(id));
    const run = await startOf(store, "owner");
    advance(HOUR_MS);
    await store.replicas.beat(replicaOf("alive"));
    await store.replicas.removeUnseen();
    expect(await store.replicas.find("idle")).toBeUndefined();
    expect(await store.replicas.find("alive")).toBeDefined();
    expect(await abandoned(store)).toEqual([run.id]);
    await store.runs.finish(leaseOf(run), { status: "failed" });
    await store.replicas.removeUnseen();
    expect(await store.replicas.find("owner")).toBeUndefined();
  });
}
