/** Replicas on one database, and what becomes of the runs of those that die, are stopped, or only cannot be seen. */
import { systemClock } from "../../core/clock.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEAD_AFTER_MS } from "../../core/replica-store.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { NewRun, Run, RunStore, Store } from "../../core/store.ts";
import { finishedOf, leaseOf, newRunOf } from "../../store/testsuite/fixture.ts";
import { createTestReplica, createWorld, live, openSharedStore } from "./replica.testkit.ts";
import { sweepAbandoned } from "./sweep.ts";

/** Longer than any test here lets pass. */
const LEASE_MS = 24 * 60 * 60_000;

async function open() {
  const home = mkdtempSync(join(tmpdir(), "repertoire-sweep-"));
  const world = createWorld();
  const store = await openSharedStore(home, world);
  onTestFinished(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** A process that beats and sweeps; `around` is between it and its runs. */
  async function add(around: (runs: RunStore) => RunStore = (runs) => runs) {
    const made = createTestReplica(store.replicas, world);
    const { replica } = made;
    const unended = new Set<string>();
    const interrupted: string[] = [];
    const deps = {
      store: around(store.runs),
      replicas: store.replicas,
      liveness: replica,
      unended,
      runInterrupted: ({ id }: Run) => void interrupted.push(id),
      clock: systemClock,
    };
    replica.sweepWith(() => sweepAbandoned(deps));
    await replica.begin();
    const start = (part: Partial<NewRun> = {}) => store.runs.start(newRunOf(part), replica.owner, LEASE_MS);
    const startMany = (count: number) => Promise.all(Array.from({ length: count }, () => start()));
    return { ...made, deps, unended, interrupted, start, startMany };
  }

  const takenCount = async (runs: readonly Run[]): Promise<number> => {
    const now = await Promise.all(runs.map(({ id }) => store.runs.find(id)));
    return now.filter((run) => run!.fence > 1 || run!.status !== "running").length;
  };
  return { world, store, add, takenCount };
}

describe("an outage of the database", () => {
  const outages = [5_000, 12_000, 30_000].flatMap((ms) =>
    (["fails", "hangs"] as const).map((how) => [ms, how] as const),
  );

  it.each(outages)("of %i ms, in which a beat %s, takes no run from an owner that lives", async (ms, how) => {
    const { world, add, takenCount } = await open();
    const all = [await add(), await add(), await add()];
    const replicas = all.map(({ replica }) => replica);
    await live(world, replicas, 20_000);
    const runs = (await Promise.all(all.map(({ startMany }, at) => startMany(at === 0 ? 18 : 16)))).flat();
    expect(runs).toHaveLength(50);
    const ends = all.map((one) => one.cut(how));
    const ticks = replicas.map((replica) => replica.tick());
    for (let left = ms; left > 0; left -= 1_000) {
      world.advance(1_000);
      if (how === "fails") await Promise.all(replicas.map((replica) => replica.tick()));
    }
    // One finds the database again before the other, as their waits between two attempts have it.
    for (const [at, end] of ends.entries()) {
      end();
      await ticks[at];
      for (const replica of replicas.slice(0, at + 1)) await replica.tick();
      await live(world, replicas.slice(0, at + 1), 1_000);
    }
    await live(world, replicas, 30_000);
    expect(await takenCount(runs)).toBe(0);
    expect(replicas.map((replica) => replica.judgesDead())).toEqual([true, true, true]);
  });

  it("keeps a run that ends its life in the outage from nobody for longer than that", async () => {
    const { world, add, takenCount } = await open();
    const [dying, heir] = [await add(), await add()];
    await live(world, [dying.replica, heir.replica], 20_000);
    const runs = await dying.startMany(3);
    const end = heir.cut("fails");
    await live(world, [heir.replica], 12_000);
    end();
    await live(world, [heir.replica], DEAD_AFTER_MS);
    expect(await takenCount(runs)).toBe(0);
    await live(world, [heir.replica], 2_000);
    expect(await takenCount(runs)).toBe(3);
  });
});

/** Those that the queue takes up. */
async function queuedOf(store: Store, runs: readonly Run[]): Promise<string[]> {
  const now = await Promise.all(runs.map(({ id }) => store.runs.find(id)));
  return now.flatMap((run) => (run?.wakeAt == null ? [] : [run.id]));
}

describe("a replica that dies", () => {
  it("has its runs marked as interrupted within twelve seconds, nested ones too, however many", async () => {
    const { world, store, add } = await open();
    const [dying, heir] = [await add(), await add()];
    await live(world, [dying.replica, heir.replica], 20_000);
    const runs = await dying.startMany(50);
    const child = await dying.start({ parentRunId: runs[0]!.id, parentStep: "k1" });
    await store.runs.openStep(leaseOf(runs[1]!), { key: "k1", seq: 1, tool: "t", args: {} });
    await store.runs.recordStep(leaseOf(runs[1]!), finishedOf(2));
    await live(world, [heir.replica], DEAD_AFTER_MS + 2_000);
    for (const { id } of [...runs, child]) {
      expect(await store.runs.find(id)).toMatchObject({
        status: "failed",
        fence: 2,
        leaseOwner: null,
        error: { reason: "interrupted" },
      });
    }
    expect(heir.interrupted.toSorted()).toEqual([...runs, child].map(({ id }) => id).toSorted());
    expect(await queuedOf(store, [...runs, child])).toEqual([]);
    const steps = await store.runs.steps(runs[1]!.id);
    expect(steps.map(({ status }) => status)).toEqual(["sent", "succeeded"]);
    expect(await store.runs.list(DEFAULT_SCOPE, { limit: 100, status: "running" })).toEqual([]);
  });

  it("leaves a run that asked a person to wait, and cancels what somebody wanted cancelled", async () => {
    const { world, store, add } = await open();
    const [dying, heir] = [await add(), await add()];
    await live(world, [dying.replica, heir.replica], 12_000);
    const [asking, cancelled] = [await dying.start({ mode: "background" }), await dying.start()];
    const args = { message: "Send it?" };
    await store.runs.openStep(leaseOf(asking), {
      key: "send?#1",
      seq: 1,
      tool: "approve",
      args,
      status: "waiting",
    });
    await store.runs.requestCancel(cancelled.id, "ann");
    await live(world, [heir.replica], 12_000);
    expect(await store.runs.find(asking.id)).toMatchObject({ status: "paused", fence: 2 });
    expect(await store.runs.find(cancelled.id)).toMatchObject({
      status: "cancelled",
      error: { code: "CANCELLED" },
    });
    expect(await queuedOf(store, [asking, cancelled])).toEqual([]);
  });

  it("has its background runs handed over, and not what they had started", async () => {
    const { world, store, add } = await open();
    const [dying, heir] = [await add(), await add()];
    await live(world, [dying.replica, heir.replica], 12_000);
    const run = await dying.start({ mode: "background" });
    const child = await dying.start({ mode: "background", parentRunId: run.id, parentStep: "k1" });
    await live(world, [heir.replica], 12_000);
    expect(await queuedOf(store, [run, child])).toEqual([run.id]);
    expect(heir.interrupted).toHaveLength(2);
  });

  it("has each run marked once by two that sweep at once", async () => {
    const { world, store, add } = await open();
    const [dying, ...heirs] = [await add(), await add(), await add()];
    await live(
      world,
      [dying, ...heirs].map(({ replica }) => replica),
      20_000,
    );
    const runs = await dying.startMany(30);
    for (let passed = 0; passed < DEAD_AFTER_MS + 2_000; passed += 2_000) {
      world.advance(2_000);
      await Promise.all(heirs.map(({ replica }) => replica.tick()));
    }
    const marked = heirs.flatMap(({ interrupted }) => interrupted);
    expect(marked.toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
    for (const { id } of runs) expect((await store.runs.find(id))!.fence).toBe(2);
  });

  it("frees what it leaves behind at once when it ends by itself", async () => {
    const { world, add, takenCount } = await open();
    const [leaving, heir] = [await add(), await add()];
    await live(world, [leaving.replica, heir.replica], 12_000);
    const runs = await leaving.startMany(2);
    await leaving.replica.leave();
    await heir.replica.tick();
    expect(await takenCount(runs)).toBe(2);
  });
});

describe("an owner that was stopped", () => {
  it("writes nothing more when it wakes up, and takes nothing from those that went on", async () => {
    const { world, store, add, takenCount } = await open();
    const [stopped, other] = [await add(), await add()];
    await live(world, [stopped.replica, other.replica], 20_000);
    const [run] = await stopped.startMany(1);
    const kept = await other.startMany(5);
    await live(world, [other.replica], 14_000);
    const lease = leaseOf(run!);
    expect(await store.runs.openStep(lease, { key: "k1", seq: 1, tool: "t", args: {} })).toBe(false);
    expect(await store.runs.recordStep(lease, finishedOf(2))).toBe(false);
    expect(await store.runs.finish(lease, { status: "succeeded" })).toBe(false);
    expect(await store.runs.steps(run!.id)).toEqual([]);
    // It alone goes on for now: the others look dead to it, and are not.
    await live(world, [stopped.replica], DEAD_AFTER_MS - 2_000);
    await live(world, [stopped.replica, other.replica], 20_000);
    expect(await takenCount(kept)).toBe(0);
  });
});

describe("a sweep that is cut short", () => {
  it.each([
    ["the end cannot be written", "finish"],
    ["the answer to the claim is lost", "claim"],
  ] as const)("goes on at a later turn where %s", async (_, broken) => {
    const { world, store, add, takenCount } = await open();
    let failureCount = 0;
    const fail = async <T>(lost: () => Promise<T>): Promise<T> => {
      failureCount++;
      return lost();
    };
    const dying = await add();
    const heir = await add((runs) => ({
      ...runs,
      finish: (...args) =>
        broken === "finish" && failureCount < 3
          ? fail(() => Promise.reject(new Error("the connection was lost")))
          : runs.finish(...args),
      claim: async (...args) => {
        const claimed = await runs.claim(...args);
        return broken === "claim" && failureCount < 3 ? fail(() => Promise.resolve(undefined)) : claimed;
      },
    }));
    await live(world, [dying.replica, heir.replica], 20_000);
    const runs = await dying.startMany(8);
    await live(world, [heir.replica], 14_000);
    expect(failureCount).toBe(3);
    await live(world, [heir.replica], 12_000);
    expect(await takenCount(runs)).toBe(8);
    const statuses = await Promise.all(runs.map(async ({ id }) => (await store.runs.find(id))!.status));
    expect(new Set(statuses)).toEqual(new Set(["failed"]));
    expect(heir.interrupted).toHaveLength(8);
  });

  it("leaves a claim of one that died to the next, when the claim has run out", async () => {
    const { world, store, add } = await open();
    const dying = await add();
    const half = await add((runs) => ({ ...runs, finish: () => new Promise<never>(() => {}) }));
    const heir = await add();
    await live(world, [dying.replica, half.replica], 20_000);
    const [run] = await dying.startMany(1);
    await live(world, [heir.replica], DEAD_AFTER_MS - 2_000);
    for (let ms = 0; ms < 12_000; ms += 2_000) {
      world.advance(2_000);
      void half.replica.tick();
      await Promise.resolve();
    }
    await live(world, [heir.replica], 24_000);
    expect(await store.runs.find(run!.id)).toMatchObject({
      status: "failed",
      error: { reason: "interrupted" },
    });
  });

  it("ends a run of its own process whose end could not be written", async () => {
    const { world, store, add } = await open();
    const one = await add();
    await live(world, [one.replica], 12_000);
    const [lost, ended, running] = await one.startMany(3);
    await store.runs.finish(leaseOf(ended!), { status: "succeeded" });
    one.unended.add(lost!.id).add(ended!.id);
    await live(world, [one.replica], 2_000);
    expect((await store.runs.find(lost!.id))!.status).toBe("failed");
    expect((await store.runs.find(ended!.id))!.status).toBe("succeeded");
    expect((await store.runs.find(running!.id))!.status).toBe("running");
    expect(one.unended.size).toBe(0);
  });
});
