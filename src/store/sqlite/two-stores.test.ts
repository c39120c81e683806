/** Two stores on one file, as two gateways have it: what only one of them may do, one of them does. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { INLINE_RESULT_BYTES_MAX, type Store } from "../../core/store.ts";
import { endOf, finishedOf, newRunOf, startRun } from "../testsuite/fixture.ts";
import { DATABASE_NAME } from "./home.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";

const NOTHING = { except: [], decided: [] };
const LARGE = "x".repeat(INLINE_RESULT_BYTES_MAX);

async function openTwo(): Promise<{ stores: readonly [Store, Store]; home: string }> {
  const home = testHome();
  const options = { busyLimitMs: 60_000 };
  return { stores: [await openTestStore(home, options), await openTestStore(home, options)], home };
}

it.each([2, 20])("lets one of %d go on from a run", async (count) => {
  const { stores } = await openTwo();
  for (let round = 0; round < 5; round++) {
    const lease = await startRun(stores[0]);
    await stores[0].runs.recordStep(lease, finishedOf(1, { result: LARGE }));
    const outcomes = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        (i % 2 === 0 ? stores[0] : stores[1]).runs.resume(lease.runId, newRunOf(), NOTHING, `o${i}`, 60_000),
      ),
    );
    const winners = outcomes.flatMap((outcome) => (outcome.kind === "resumed" ? [outcome.run.id] : []));
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.kind === "superseded") expect(outcome.byRunId).toBe(winners[0]);
    for (const store of stores) {
      expect((await store.runs.successor(lease.runId))?.id).toBe(winners[0]);
      expect(await store.runs.stepResult(winners[0] ?? "", "k1")).toBe(LARGE);
    }
  }
});

it("has another mark after a change by the other", async () => {
  const { stores } = await openTwo();
  const [one, other] = stores;
  const before = await one.changeMark();
  await startRun(other);
  const after = await one.changeMark();
  expect(after).not.toBe(before);
  expect(await one.changeMark()).toBe(after);
});

it("lets one answer to a question stand", async () => {
  const { stores } = await openTwo();
  const lease = await startRun(stores[0]);
  await stores[0].runs.openStep(lease, { key: "ask", seq: 1, tool: "a", args: {}, status: "waiting" });
  await stores[0].runs.finish(lease, { status: "paused" });
  const outcomes = await Promise.all(
    stores.map((store, i) => store.runs.decide(lease.runId, "ask", { isApproved: i === 0, by: `v${i}` })),
  );
  expect(outcomes.map((outcome) => outcome.kind).toSorted()).toEqual(["decided", "late"]);
});

it("gives a run whose owner is gone to one of them", async () => {
  const { stores } = await openTwo();
  const { runId } = await startRun(stores[0]);
  const claims = await Promise.all(
    stores.map((store, i) => store.runs.claim(runId, `heir ${i}`, 60_000, { gone: "owner" })),
  );
  expect(claims.filter((run) => run !== undefined)).toHaveLength(1);
});

it("keeps one value for a large result, however often it is written, refused and taken over", async () => {
  const { stores, home } = await openTwo();
  const [store] = stores;
  const lease = await startRun(store);
  await store.runs.openStep(lease, { key: "k", seq: 1, tool: "t", args: {} });
  for (let i = 0; i < 3; i++) {
    expect(await store.runs.closeStep(lease, "k", endOf({ result: LARGE }))).toBe(true);
    expect(await store.runs.recordStep(lease, finishedOf(9, { key: "k", result: LARGE }))).toBe(true);
    const stale = { ...lease, fence: 7 };
    expect(await store.runs.recordStep(stale, finishedOf(2, { result: LARGE }))).toBe(false);
    expect(await store.runs.closeStep(stale, "k", endOf({ result: LARGE }))).toBe(false);
    await expect(store.runs.closeStep(lease, "never", endOf({ result: LARGE }))).rejects.toThrow();
  }
  const decided = [{ key: "k", result: LARGE }];
  for (let i = 0; i < 3; i++)
    await store.runs.resume(lease.runId, newRunOf(), { except: [], decided }, "owner", 60_000);
  const raw = openRaw(join(home, DATABASE_NAME));
  expect(raw.prepare("select count(*) as n from step_values").get()).toEqual({ n: 1 });
  expect(raw.prepare("select count(*) as n from steps").get()).toEqual({ n: 2 });
});
