/** Runs of a replica on another machine: waiting for one that lives, going on with one that died. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Principal } from "../../core/principal.ts";
import type { RunStore } from "../../core/store.ts";
import { NO_SECRETS } from "../../text/redactors.ts";
import { newRunOf, leaseOf } from "../../store/testsuite/fixture.ts";
import { createTestReplica, createWorld, live, openSharedStore } from "../replicas/replica.testkit.ts";
import { createTestRuns, LIMITS } from "../runs.testkit.ts";
import { createTraces } from "../trace.ts";

const CODE = "const a = await mcp.notes.add({ n: 1 }); return a + '!'";
const LEASE_MS = 24 * 60 * 60_000;
const ANN: Principal = {
  id: "ann",
  name: "Ann",
  permissions: new Set(["call"]),
  revoked: new AbortController().signal,
};

async function open() {
  const home = mkdtempSync(join(tmpdir(), "repertoire-dead-owner-"));
  const world = createWorld();
  const other = await openSharedStore(home, world);
  const elsewhere = createTestReplica(other.replicas, world).replica;
  await elsewhere.begin();
  const { replica } = createTestReplica(other.replicas, world);
  const asked = { find: 0, claim: 0 };
  const counting = (runs: RunStore): RunStore => ({
    ...runs,
    find: (...args) => (asked.find++, runs.find(...args)),
    claim: (...args) => (asked.claim++, runs.claim(...args)),
  });
  const kit = await createTestRuns(home, () => LIMITS, undefined, undefined, {
    openStore: () => openSharedStore(home, world),
    liveness: replica,
    around: counting,
  });
  replica.sweepWith(() => kit.runs.sweep());
  kit.addSource("notes", { add: () => "added" });
  onTestFinished(async () => {
    await kit.close();
    await other.close();
    rmSync(home, { recursive: true, force: true });
  });
  const part = { source: CODE, principal: "ann" };
  const start = () => other.runs.start(newRunOf(part), elsewhere.owner, LEASE_MS);
  const traces = createTraces({
    store: kit.store.runs,
    liveness: replica,
    scope: () => DEFAULT_SCOPE,
    redactors: NO_SECRETS,
  });
  return { kit, world, other, elsewhere, replica, start, asked, traces };
}

it("goes on in one call with the run of a replica that is dead", async () => {
  const { kit, world, elsewhere, replica, start, traces } = await open();
  await replica.begin();
  await live(world, [elsewhere, replica], 12_000);
  const run = await start();
  // Nothing sweeps meanwhile: the resume itself finds out.
  replica.sweepWith(async () => {});
  await live(world, [replica], 12_000);
  expect(await traces.trace(run.id)).toMatchObject({ data: { status: "interrupted" } });
  const report = await kit.resume(run.id);
  expect(report).toMatchObject({ resumedFrom: run.id, result: { success: true, data: "added!" } });
  expect(kit.calls).toHaveLength(1);
  expect(await kit.store.runs.find(run.id)).toMatchObject({ status: "failed", fence: 2 });
});

it("waits for the verdict where the owner may still live, and then goes on, without claiming meanwhile", async () => {
  const { kit, world, replica, start, asked } = await open();
  const run = await start();
  // A command that has just started: it was never seen itself.
  const resumed = kit.resume(run.id);
  await expect.poll(() => asked.find, { timeout: 20_000 }).toBeGreaterThan(3);
  expect(asked.claim).toBe(1);
  await live(world, [replica], 12_000);
  expect(await resumed).toMatchObject({ resumedFrom: run.id, result: { success: true, data: "added!" } });
});

it("tells how a run of a living replica ended", async () => {
  const { kit, other, start, asked } = await open();
  const run = await start();
  const resumed = kit.resume(run.id);
  await expect.poll(() => asked.find, { timeout: 20_000 }).toBeGreaterThan(2);
  await other.runs.finish(leaseOf(run), { status: "succeeded", result: "there" });
  expect(await resumed).toMatchObject({ resumedFrom: run.id, result: { success: true, data: "there" } });
  expect(kit.calls).toEqual([]);
  expect(asked.claim).toBe(1);
});

it("means the run that was cut short by last, and not an older one that waits", async () => {
  const { kit, world, other, elsewhere, replica, start } = await open();
  await replica.begin();
  await live(world, [elsewhere, replica], 12_000);
  const context = { traceId: "t", signal: new AbortController().signal, principal: ANN };
  const older = await start();
  await other.runs.finish(leaseOf(older), { status: "paused" });
  const cut = await start();
  world.advance(1_000);
  await elsewhere.tick();
  await replica.tick();
  // It lives: what has stopped is the older one.
  const asked = kit.runs.findLast(context);
  world.advance(1_000);
  await elsewhere.tick();
  expect(await asked).toEqual({ success: true, data: older.id });
  // Its beats are missing, and nobody has called it dead yet.
  await live(world, [replica], 6_000);
  expect(await kit.runs.findLast(context)).toEqual({ success: true, data: cut.id });
  await live(world, [replica], 6_000);
  expect(await kit.runs.findLast(context)).toEqual({ success: true, data: cut.id });
});

it("cancels the run of a dead replica at once, and that of one that may live when it turns out to be dead", async () => {
  const { kit, world, elsewhere, replica, start } = await open();
  await replica.begin();
  await live(world, [elsewhere, replica], 12_000);
  const [one, two] = [await start(), await start()];
  const asked = await kit.runs.cancel(one.id, "ann");
  expect(asked).toMatchObject({ data: { status: "requested" } });
  replica.sweepWith(async () => {});
  await live(world, [replica], 10_000);
  expect(await kit.runs.cancel(two.id, "ann")).toMatchObject({ data: { status: "cancelled" } });
  await kit.runs.sweep();
  expect(await kit.store.runs.find(one.id)).toMatchObject({ status: "cancelled", cancelBy: "ann" });
});
