/** T117: what the second version wrote is all there for this one, and a process of it can go on beside this one. */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { MIGRATIONS } from "../migrations.ts";
import { endOf, finishedOf, leaseOf, newRunOf } from "../testsuite/fixture.ts";
import { DATABASE_NAME } from "./home.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";
import { insertRow } from "./version-one.testkit.ts";

const RUN = {
  ...DEFAULT_SCOPE,
  kind: "code",
  source: "return 1",
  source_hash: "h",
  inputs: "{}",
  seed: "s",
  clock_at: 1,
  fence: 1,
  started_at: 1,
};
const STEP = { run_id: "failed", tool: "a__b", args: '{"q":1}', started_at: 1 };

function insertRuns(raw: DatabaseSync): void {
  insertRow(raw, "runs", { ...RUN, id: "done", status: "succeeded", result: "1", finished_at: 2 });
  insertRow(raw, "runs", { ...RUN, id: "failed", status: "failed", error: '{"code":"X"}', finished_at: 2 });
  insertRow(raw, "runs", { ...RUN, id: "going", status: "running", lease_owner: "o", lease_until: 1 });
  insertRow(raw, "runs", { ...RUN, id: "child", status: "running", parent_run_id: "going", lease_until: 1 });
}

function insertSteps(raw: DatabaseSync): void {
  insertRow(raw, "steps", { ...STEP, key: "k", seq: 1, status: "succeeded", result: "[1]", finished_at: 2 });
  insertRow(raw, "steps", { ...STEP, key: "sent", seq: 2, status: "sent" });
}

async function homeWithVersionTwo(): Promise<string> {
  const home = testHome();
  await (await openTestStore(home, { migrations: MIGRATIONS.slice(0, 2) })).close();
  return home;
}

async function filledHome(): Promise<string> {
  const home = await homeWithVersionTwo();
  const raw = openRaw(join(home, DATABASE_NAME));
  insertRuns(raw);
  insertSteps(raw);
  raw.close();
  return home;
}

function rowsOf(home: string, table: string): Record<string, unknown>[] {
  const raw = openRaw(join(home, DATABASE_NAME));
  const rows = raw.prepare(`select * from ${table} order by rowid`).all();
  raw.close();
  return rows.map((row) => ({ ...row }));
}

it("keeps every run and step, with every column that it had (T117)", async () => {
  const home = await filledHome();
  const [runs, steps] = [rowsOf(home, "runs"), rowsOf(home, "steps")];
  await (await openTestStore(home)).close();
  expect(rowsOf(home, "runs")).toMatchObject(runs);
  expect(rowsOf(home, "steps")).toMatchObject(steps);
  expect([runs.length, steps.length]).toEqual([4, 2]);
});

it("reads what the second version kept, and finds no damage in it", async () => {
  const store = await openTestStore(await filledHome());
  expect(await store.runs.find("child")).toMatchObject({ parentRunId: "going", parentStep: null });
  const unknown = { resultBytes: null, endSeq: null, clockAt: null, fromRunId: null };
  expect(await store.runs.steps("failed")).toMatchObject([
    { key: "k", result: [1], ...unknown },
    { key: "sent", status: "sent", ...unknown },
  ]);
  expect(await store.runs.stepResult("failed", "k")).toEqual([1]);
  const unfinished = await store.runs.listUnfinished(DEFAULT_SCOPE, 9);
  expect(unfinished.map((run) => run.id)).toEqual(["going", "failed"]);
  expect((await store.runs.children("going")).map((run) => run.id)).toEqual(["child"]);
  expect(await store.findDamage()).toEqual([]);
});

it("goes on from a run that the second version made", async () => {
  const { runs } = await openTestStore(await filledHome());
  const taken = { except: [], decided: [{ key: "sent", result: "decided" }] };
  const outcome = await runs.resume("failed", newRunOf(), taken, "owner", 60_000);
  if (outcome.kind !== "resumed") throw new Error("nobody else resumes it");
  expect(await runs.steps(outcome.run.id)).toMatchObject([
    { key: "k", result: [1], endSeq: null, fromRunId: "failed" },
    { key: "sent", result: "decided", endSeq: 3, fromRunId: "failed" },
  ]);
  const claimed = await runs.claim("going", "heir", 60_000);
  expect(claimed?.fence).toBe(2);
  expect(await runs.recordStep({ runId: "going", fence: 2 }, finishedOf(1))).toBe(true);
});

it("lets a process of the second version go on writing to the same file", async () => {
  const home = await homeWithVersionTwo();
  const { runs } = await openTestStore(home);
  const raw = openRaw(join(home, DATABASE_NAME));
  insertRuns(raw);
  insertSteps(raw);
  expect(await runs.list(DEFAULT_SCOPE, { limit: 9 })).toHaveLength(3);
  expect(await runs.steps("failed")).toHaveLength(2);
  const lease = leaseOf(await runs.start(newRunOf(), "owner", 600_000));
  insertRow(raw, "steps", { ...STEP, run_id: lease.runId, key: "old", seq: 1, status: "sent" });
  expect(await runs.closeStep(lease, "old", endOf({ result: 1 }))).toBe(true);
  expect(await runs.stepResult(lease.runId, "old")).toBe(1);
});

it("leaves the newest of several runs that went on from one, and loses none of them", async () => {
  const home = await homeWithVersionTwo();
  const raw = openRaw(join(home, DATABASE_NAME));
  for (const [id, from] of [
    ["a", null],
    ["b", "a"],
    ["c", "a"],
    ["d", "c"],
    ["e", "a"],
  ] as const)
    insertRow(raw, "runs", { ...RUN, id, status: "failed", resumed_from_run_id: from, finished_at: 2 });
  raw.close();
  const { runs } = await openTestStore(home);
  expect((await runs.successor("a"))?.id).toBe("e");
  expect((await runs.successor("c"))?.id).toBe("d");
  const all = await runs.list(DEFAULT_SCOPE, { limit: 9 });
  expect(all.map((run) => [run.id, run.resumedFromRunId])).toEqual([
    ["e", "a"],
    ["d", "c"],
    ["c", null],
    ["b", null],
    ["a", null],
  ]);
});
