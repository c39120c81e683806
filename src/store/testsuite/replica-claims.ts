import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../core/clock.ts";
import { DEAD_AFTER_MS } from "../../core/replica-store.ts";
import { createManualClock, endOf, finishedOf, leaseOf, newRunOf, type OpenedStore } from "./fixture.ts";
import { replicaOf } from "./replicas.ts";

type Open = (clock: Clock, databaseNow?: () => number) => Promise<OpenedStore>;

const DAY_MS = 24 * 60 * 60_000;
const JUDGE = { judgesDead: true };

/** Who may take over a run where its owner may be on another machine. */
export function describeReplicaClaims(open: Open): void {
  async function openShared() {
    const clock = createManualClock();
    const opened = await open({ now: () => 1, elapsed: () => 0 }, () => clock.now());
    onTestFinished(() => opened.dispose());
    const { store } = opened;
    const { runs, replicas } = store;
    expect(replicas.isShared).toBe(true);
    const start = (leaseMs = DAY_MS) => runs.start(newRunOf(), "owner of a", leaseMs);
    const beat = (id = "a") => replicas.beat(replicaOf(id));
    return { store, runs, replicas, start, beat, advance: (ms: number) => clock.advance(ms) };
  }

  it("takes no run from an owner that is seen, however old the lease is", async () => {
    const { runs, start, beat, advance } = await openShared();
    await beat();
    const run = await start(0);
    advance(DEAD_AFTER_MS - 1);
    expect(await runs.claim(run.id, "heir", 60_000, JUDGE)).toBeUndefined();
    expect(await runs.claim(run.id, "heir", 60_000)).toBeUndefined();
    expect(await runs.renew(leaseOf(run), 0)).toBe(true);
  });

  it("takes the run of a replica that is unseen for long, however long the lease lasts, and fences its owner", async () => {
    const { runs, start, beat, advance } = await openShared();
    await beat();
    const run = await start();
    await runs.openStep(leaseOf(run), { key: "a", seq: 1, tool: "t", args: {} });
    advance(DEAD_AFTER_MS);
    const claimed = await runs.claim(run.id, "heir", 60_000, JUDGE);
    expect(claimed).toMatchObject({ fence: 2, leaseOwner: "heir" });
    // It was only stopped, and goes on as if nothing had happened.
    await beat();
    const lease = leaseOf(run);
    expect(await runs.closeStep(lease, "a", endOf())).toBe(false);
    expect(await runs.openStep(lease, { key: "b", seq: 2, tool: "t", args: {} })).toBe(false);
    expect(await runs.recordStep(lease, finishedOf(3))).toBe(false);
    expect(await runs.renew(lease, 60_000)).toBe(false);
    expect(await runs.finish(lease, { status: "succeeded" })).toBe(false);
    expect(await runs.find(run.id)).toEqual(claimed);
  });

  it("lets one that was itself unseen take nothing", async () => {
    const { runs, start, beat, advance } = await openShared();
    await beat();
    const run = await start(0);
    advance(DAY_MS);
    expect(await runs.claim(run.id, "heir", 60_000)).toBeUndefined();
    expect(await runs.claim(run.id, "heir", 60_000, { judgesDead: false })).toBeUndefined();
    expect(await runs.claim(run.id, "heir", 60_000, { gone: "another" })).toBeUndefined();
    expect(await runs.claim(run.id, "heir", 60_000, { gone: "owner of a" })).toBeDefined();
  });

  it("gives what a replica left behind to anybody, at once", async () => {
    const { runs, replicas, start, beat } = await openShared();
    await beat();
    const run = await start();
    await replicas.leave("a");
    expect(await runs.claim(run.id, "heir", 60_000)).toMatchObject({ fence: 2 });
  });

  it("goes by the lease where the owner is no replica", async () => {
    const { runs, start, advance } = await openShared();
    const run = await start(1_000);
    advance(999);
    expect(await runs.claim(run.id, "heir", 60_000, JUDGE)).toBeUndefined();
    advance(1);
    expect(await runs.claim(run.id, "heir", 60_000)).toMatchObject({ fence: 2 });
  });

  it("gives the run of a dead replica to exactly one of 20 claimants", async () => {
    const { runs, start, beat, advance } = await openShared();
    await beat();
    const run = await start();
    advance(DEAD_AFTER_MS);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) => runs.claim(run.id, `heir ${i}`, 60_000, JUDGE)),
    );
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect((await runs.find(run.id))!.fence).toBe(2);
  });
}
