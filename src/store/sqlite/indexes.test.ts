/** What must stay cheap in a large store is found through an index; the text is the one that the store sends. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { hashText } from "../../core/json.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Store } from "../../core/store.ts";
import { endOf, finishedOf, newRunOf, save, startRun } from "../testsuite/fixture.ts";
import { createFaultyHandle } from "./faulty-handle.testkit.ts";
import { DATABASE_NAME } from "./home.ts";
import { openHandle } from "./sqlite-handle.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";

/** How SQLite goes about the one statement of an operation that mentions a word. */
async function planOf(word: string, operation: (store: Store) => Promise<unknown>): Promise<string> {
  const home = testHome();
  const texts: string[] = [];
  const store = await openTestStore(home, {
    openHandle: (path) => createFaultyHandle(openHandle(path), { before: (sql) => void texts.push(sql) }),
  });
  texts.length = 0;
  await operation(store);
  const [text, ...others] = texts.filter((sql) => sql.includes(word));
  expect(others).toEqual([]);
  const raw = openRaw(join(home, DATABASE_NAME));
  const nothing = Array.from({ length: (text ?? "").split("?").length - 1 }, () => null);
  const steps = raw.prepare(`explain query plan ${text}`).all(...nothing);
  return steps.map((step) => step["detail"]).join("\n");
}

it("finds a succeeded run by the hash of its source, sorted already", async () => {
  const plan = await planOf("source_hash", (store) => store.runs.findSucceeded(DEFAULT_SCOPE, "return 1"));
  expect(plan).toContain("USING INDEX runs_succeeded_source (org=? AND project=? AND source_hash=?)");
  expect(plan).not.toContain("TEMP B-TREE");
});

it.each([
  ["runs that no other started", "runs_root", {}],
  ["those of them before another", "runs_root", { beforeId: "x" }],
  ["those of them that succeeded", "runs_root", { status: "succeeded" }],
  ["those of them that are paused", "runs_root_unfinished", { status: "paused" }],
  ["a page of those that failed", "runs_root_unfinished", { status: "failed", beforeId: "x" }],
  ["all runs", "runs_scope", { children: true }],
] as const)("lists %s from an index, sorted already", async (_name, index, options) => {
  const plan = await planOf('from "runs"', (store) =>
    store.runs.list(DEFAULT_SCOPE, { limit: 9, ...options }),
  );
  expect(plan).toContain(`USING INDEX ${index} (org=? AND project=?`);
  expect(plan).not.toContain("TEMP B-TREE");
});

it("lists what is unfinished without looking at what has succeeded", async () => {
  const plan = await planOf('from "runs"', (store) => store.runs.listUnfinished(DEFAULT_SCOPE, 9));
  expect(plan).toContain("USING INDEX runs_root_unfinished (org=? AND project=?)");
  expect(plan).toContain("USING COVERING INDEX runs_resumed_from (resumed_from_run_id=?)");
  expect(plan).not.toContain("TEMP B-TREE");
});

it("A1: finds the newest runs of a session without looking at those of others", async () => {
  const starter = { principal: null, session: "stdio:1" };
  const plans = [
    await planOf('from "runs"', (store) => store.runs.listUnfinished(DEFAULT_SCOPE, 9, starter)),
    await planOf('from "runs"', (store) => store.runs.list(DEFAULT_SCOPE, { limit: 1, starter })),
  ];
  for (const plan of plans) {
    expect(plan).toContain("USING INDEX runs_session (org=? AND project=? AND session=?)");
    expect(plan).not.toContain("TEMP B-TREE");
  }
});

it.each([
  ["children", "runs_parent (parent_run_id=?)", (store: Store) => store.runs.children("r")],
  ["successor", "runs_resumed_from (resumed_from_run_id=?)", (store: Store) => store.runs.successor("r")],
])("finds the %s of a run through an index, sorted already", async (_name, index, operation) => {
  const plan = await planOf('from "runs"', operation);
  expect(plan).toContain(`USING INDEX ${index}`);
  expect(plan).not.toContain("TEMP B-TREE");
});

it("finds the steps of a run through an index, sorted already", async () => {
  const plan = await planOf('from "steps"', (store) => store.runs.steps("r"));
  expect(plan).toContain("(run_id=?)");
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});

it("finds the calls of a run and of a principal through an index", async () => {
  const ofRun = await planOf('from "calls"', (store) => store.calls.list({ limit: 9, runId: "r" }));
  expect(ofRun).toContain("USING INDEX calls_run (run_id=?");
  const ofOwner = await planOf('from "calls"', (store) => store.calls.list({ limit: 9, owner: "token:a" }));
  expect(ofOwner).toContain("USING INDEX calls_principal (principal=?");
});

it("counts the runs of a day, and looks at what is open, without reading all runs", async () => {
  const counted = await planOf('from "runs"', (store) => store.runs.count(DEFAULT_SCOPE, {}, 1_000, 5));
  expect(counted).toContain("USING INDEX runs_root_started (org=? AND project=? AND started_at>?)");
  const active = await planOf('from "runs"', (store) => store.runs.activity(DEFAULT_SCOPE, 50));
  expect(active).toContain("USING INDEX runs_open (org=? AND project=?)");
  expect(active).not.toMatch(/SCAN (?:runs|seen|next|steps)/);
  const cancelled = await planOf('from "runs"', (store) => store.runs.cancelRequests("owner"));
  expect(cancelled).toContain("USING INDEX runs_cancel (lease_owner=?)");
});

it("answers a question without reading through a table", async () => {
  const plan = await planOf('update "steps"', (store) =>
    store.runs.decide("r", "k", { isApproved: true, by: "ada" }),
  );
  expect(plan).not.toContain("SCAN");
});

it("journals a step with one statement each, whatever its result", async () => {
  const texts: string[] = [];
  const store = await openTestStore(testHome(), {
    openHandle: (path) => createFaultyHandle(openHandle(path), { before: (sql) => void texts.push(sql) }),
  });
  const lease = await startRun(store);
  texts.length = 0;
  for (const [i, result] of [1, null, "x".repeat(60_000), { a: [1] }].entries()) {
    const seq = 10 * i;
    await store.runs.openStep(lease, { key: `opened ${i}`, seq, tool: "t", args: {} });
    await store.runs.closeStep(lease, `opened ${i}`, endOf({ result }));
    await store.runs.recordStep(lease, finishedOf(seq + 1, { result }));
  }
  // Before each, the version of the schema is looked at: see own-file.test.ts.
  const writes = texts.filter((text) => text !== "pragma user_version");
  expect(writes).toHaveLength(12);
  // Opening and recording share their text.
  expect(new Set(writes).size).toBe(2);
});

it("chooses the most used by an index, and sorts only by age", async () => {
  const plan = await planOf("octet_length", (store) => save(store.capabilities));
  expect(plan).toContain("USING INDEX capabilities_most_used");
  // The newest, and of those that are equally used the newer: no index has the age.
  expect(plan).toContain("TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY");
  expect(plan).not.toContain("SCAN");
});

it("lets the text decide where a hash has two", async () => {
  const home = testHome();
  const { runs } = await openTestStore(home);
  const run = await runs.start(newRunOf({ source: "return 1" }), "owner", 60_000);
  await runs.finish({ runId: run.id, fence: 1 }, { status: "succeeded" });
  openRaw(join(home, DATABASE_NAME)).prepare("update runs set source_hash = ?").run(hashText("return 2"));
  expect(await runs.findSucceeded(DEFAULT_SCOPE, "return 2")).toBeUndefined();
});

it.each([
  [
    "runs of clients",
    "count(distinct",
    ["runs USING INDEX runs_root_started (org=? AND project=? AND started_at>?)"],
  ],
  [
    "calls in runs",
    "inner join",
    [
      "runs USING INDEX runs_scope (org=? AND project=? AND id>?)",
      "steps USING INDEX sqlite_autoindex_steps_2 (run_id=?)",
    ],
  ],
])("sums up %s of a time without reading what was before", async (_name, word, found) => {
  const range = { scope: DEFAULT_SCOPE, since: 1, bucketFrom: 0, bucketMs: 1, personalClient: "console" };
  const plan = await planOf(word, (store) => store.usage.read(range));
  for (const index of found) expect(plan).toContain(`SEARCH ${index}`);
});
