import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DEAD_AFTER_MS } from "../../core/replica-store.ts";
import type { Clock } from "../../core/clock.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createReplica, type OwnReplica } from "./replica.ts";
import { createTestReplica, createWorld, live, openSharedStore } from "./replica.testkit.ts";

async function open() {
  const home = mkdtempSync(join(tmpdir(), "repertoire-replica-"));
  const world = createWorld();
  const store = await openSharedStore(home, world);
  onTestFinished(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });
  const add = (clock: Clock = world) => createTestReplica(store.replicas, clock);
  const swept: string[] = [];
  const watch = ({ replica }: { readonly replica: OwnReplica }) =>
    replica.sweepWith(async () => void swept.push(replica.id));
  return { home, world, store, add, watch, swept };
}

it("is on record when it has begun, and gone when it has left", async () => {
  const { store, add } = await open();
  const { replica } = add();
  expect(await store.replicas.list()).toEqual([]);
  await replica.begin();
  expect(await store.replicas.list()).toMatchObject([
    { id: replica.id, owner: replica.owner, url: null, isDraining: false, ageMs: 0 },
  ]);
  await replica.listenAt("http://a:7357");
  await replica.drain();
  expect(await store.replicas.find(replica.id)).toMatchObject({ url: "http://a:7357", isDraining: true });
  await replica.leave();
  expect(await store.replicas.list()).toEqual([]);
});

it("tells nobody of a process that owns nothing", async () => {
  const { store, add } = await open();
  const { replica } = add();
  await replica.look();
  await replica.drain();
  await replica.leave();
  expect(await store.replicas.ages()).toEqual(new Map());
});

it("beats nowhere on a store of its own machine", async () => {
  const { home } = await open();
  const store = await openSqliteStore({ home });
  const replica = createReplica({ store: store.replicas });
  await replica.begin();
  await replica.tick();
  expect(await store.replicas.ages()).toEqual(new Map());
  expect(replica.isShared).toBe(false);
  await store.close();
});

it("calls nobody dead before it has lived for long enough itself, and beats before it sweeps", async () => {
  const { world, add, watch, swept } = await open();
  const one = add();
  watch(one);
  await one.replica.begin();
  await live(world, [one.replica], DEAD_AFTER_MS - 2_000);
  expect([one.replica.judgesDead(), swept]).toEqual([false, []]);
  await live(world, [one.replica], 2_000);
  expect([one.replica.judgesDead(), swept]).toEqual([true, [one.replica.id]]);
});

it("calls an owner dead that was not seen for long, and no other", async () => {
  const { world, add } = await open();
  const [one, two, command] = [add(), add(), add()].map(({ replica }) => replica) as [
    OwnReplica,
    OwnReplica,
    OwnReplica,
  ];
  await Promise.all([one.begin(), two.begin()]);
  await live(world, [one, two], 12_000);
  await live(world, [one], DEAD_AFTER_MS - 2_000);
  // The processes of this test are on one machine and alive: only the rows can tell.
  expect(one.isGone(two.owner)).toBe(false);
  await live(world, [one], 2_000);
  expect([one.isGone(two.owner), one.isGone(one.owner), one.isGone("unknown")]).toEqual([true, false, false]);
  await command.look();
  expect([command.isGone(two.owner), command.isGone(one.owner)]).toEqual([true, false]);
  // Looking is not taking over.
  expect(command.groundsFor(two.owner)).toEqual({ judgesDead: false });
  expect(one.groundsFor(two.owner)).toEqual({ judgesDead: true });
});

it.each(["fails", "hangs"] as const)(
  "knows of no death for ten seconds after a beat that %s",
  async (how) => {
    const { world, add, watch, swept } = await open();
    const one = add();
    watch(one);
    await one.replica.begin();
    await live(world, [one.replica], 12_000);
    expect(one.replica.judgesDead()).toBe(true);
    swept.length = 0;
    const end = one.cut(how);
    const late = one.replica.tick();
    world.advance(how === "hangs" ? 5_001 : 100);
    end();
    await late;
    await one.replica.tick();
    expect([one.replica.judgesDead(), swept]).toEqual([false, []]);
    await live(world, [one.replica], DEAD_AFTER_MS);
    expect(one.replica.judgesDead()).toBe(true);
  },
);

it("counts a timer that came late as a gap, before the beat and after it", async () => {
  const { world, add, watch, swept } = await open();
  const one = add();
  watch(one);
  await one.replica.begin();
  await live(world, [one.replica], 12_000);
  swept.length = 0;
  // Stopped by a signal, or blocked: nothing ran in between.
  world.advance(60_000);
  expect(one.replica.judgesDead()).toBe(false);
  await one.replica.tick();
  expect([one.replica.judgesDead(), swept]).toEqual([false, []]);
});

it("counts the sleep of a machine as a gap, while which its monotonic clock stands still", async () => {
  const { world, add } = await open();
  let asleepMs = 0;
  const { replica } = add({ now: () => world.now(), elapsed: () => world.now() - asleepMs });
  await replica.begin();
  await live(world, [replica], 12_000);
  expect(replica.judgesDead()).toBe(true);
  asleepMs = 60_000;
  world.advance(60_000);
  expect(replica.judgesDead()).toBe(false);
});

it("takes an owner for silent that misses its beats, and waits for the next beat of one that may live", async () => {
  const { world, add } = await open();
  const [one, two] = [add().replica, add().replica];
  await Promise.all([one.begin(), two.begin()]);
  world.advance(1_500);
  const asked = one.isSilent(two.owner);
  world.advance(500);
  await two.tick();
  expect(await asked).toBe(false);
  world.advance(1_500);
  const again = one.isSilent(two.owner);
  world.advance(4_000);
  expect(await again).toBe(true);
  expect([await one.isSilent(one.owner), await one.isSilent("unknown")]).toEqual([false, false]);
});
