/** T117: what the first version wrote is all there for this one. */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { newRunOf, save } from "../testsuite/fixture.ts";
import { DATABASE_NAME } from "./home.ts";
import { openRaw, openTestStore } from "./temp-home.testkit.ts";
import { createVersionOne, insertCapability, insertRow } from "./version-one.testkit.ts";

const TABLES = [
  "audit",
  "audit_head",
  "capabilities",
  "capability_aliases",
  "capability_versions",
  "library_revision",
  "runs",
  "server_cache",
  "steps",
];
const LARGE = { org: "local", project: "large" };
const ALIAS = { namespace: "math", action: "old" };

const RUN = {
  id: "run",
  kind: "code",
  source: "return 1",
  inputs: "{}",
  status: "succeeded",
  result: "1",
  seed: "s",
  clock_at: 1,
  fence: 1,
  started_at: 1,
  finished_at: 2,
};
const STEP = { run_id: "run", key: "k", seq: 1, tool: "a__b", args: "{}", status: "sent", started_at: 1 };
const AUDIT_ENTRY = { seq: 1, at: 1, actor: "a", action: "b", subject: "c", details: "{}", hash: "h" };

/** Rows in every table: a small scope with a removed capability, and one with more than are listed. */
async function filledHome(): Promise<string> {
  const home = await createVersionOne();
  const raw = openRaw(join(home, DATABASE_NAME));
  const sum = { scope: DEFAULT_SCOPE, namespace: "math", action: "sum" };
  insertCapability(raw, { id: "sum", ...sum });
  insertCapability(raw, { id: "gone", ...sum, deletedAt: 5 });
  insertRow(raw, "capability_aliases", { ...DEFAULT_SCOPE, ...ALIAS, capability_id: "sum", created_at: 1 });
  for (let i = 0; i < 130; i++) {
    const action = `a${String(i).padStart(3, "0")}`;
    insertCapability(raw, { id: `large-${i}`, scope: LARGE, namespace: "n", action, usageCount: i % 26 });
  }
  insertRow(raw, "runs", { ...RUN, ...DEFAULT_SCOPE });
  insertRow(raw, "steps", STEP);
  insertRow(raw, "server_cache", { server: "s", definitions: "{}", hash: "h", fetched_at: 1, ttl_ms: 2 });
  insertRow(raw, "audit", AUDIT_ENTRY);
  raw.close();
  return home;
}

/** Every table's rows, in the order of insertion. */
function rowsOf(raw: DatabaseSync): Map<string, Record<string, unknown>[]> {
  return new Map(
    TABLES.map((table) => [
      table,
      raw
        .prepare(`select * from ${table} order by rowid`)
        .all()
        .map((row) => ({ ...row })),
    ]),
  );
}

function readRows(home: string): Map<string, Record<string, unknown>[]> {
  const raw = openRaw(join(home, DATABASE_NAME));
  const rows = rowsOf(raw);
  raw.close();
  return rows;
}

it("keeps every row of every table, with every column that it had (T117)", async () => {
  const home = await filledHome();
  const before = readRows(home);
  await (await openTestStore(home)).close();
  const after = readRows(home);
  for (const [table, rows] of before) {
    expect(rows.length, table).toBeGreaterThan(0);
    expect(after.get(table), table).toHaveLength(rows.length);
    expect(after.get(table), table).toMatchObject(rows);
  }
});

it("knows all tables that the first version had", async () => {
  const raw = openRaw(join(await createVersionOne(), DATABASE_NAME));
  const tables = raw.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  // Nothing ever wrote to `tool_pins`; `pins` took its place.
  expect(tables.map((row) => row["name"])).toEqual([...TABLES, "tool_pins"]);
});

it("reads what the first version kept", async () => {
  const { capabilities, runs } = await openTestStore(await filledHome());
  const [current, ...others] = await capabilities.listCurrent(DEFAULT_SCOPE);
  expect(others).toEqual([]);
  expect(current?.capability).toMatchObject({ id: "sum", totalMs: 2.5, lastUsedAt: 7, isListed: true });
  expect(current?.version).toMatchObject({ source: 'return "sum"', fromRunId: "r", shortHash: "hhhh" });
  expect(current?.version.toolsUsed).toEqual([{ tool: "a__b", hash: "x" }]);
  expect(await capabilities.find(DEFAULT_SCOPE, ALIAS)).toEqual(current?.capability);
  expect(await capabilities.example("sum", 1)).toBeUndefined();
  expect(await runs.find("run")).toMatchObject({ source: "return 1", status: "succeeded", result: 1 });
  expect(await runs.steps("run")).toHaveLength(1);
});

it("lists the 100 most used of a scope that has more, before anything is changed in it", async () => {
  const { capabilities } = await openTestStore(await filledHome());
  const all = await capabilities.list(LARGE);
  const expected = all.toSorted((a, b) => b.usageCount - a.usageCount || (a.action < b.action ? -1 : 1));
  const listed = all.filter((capability) => capability.isListed);
  expect(new Set(listed)).toEqual(new Set(expected.slice(0, 100)));
});

it("goes on in a database that the first version made", async () => {
  const { capabilities, runs } = await openTestStore(await filledHome());
  const example = { inputs: {}, calls: [], result: 1 };
  const { version } = await save(capabilities, { overwrite: true, example });
  expect(version.version).toBe(2);
  expect(await capabilities.example("sum", 2)).toEqual(example);
  const run = await runs.start(newRunOf({ source: "return 1" }), "owner", 60_000);
  await runs.finish({ runId: run.id, fence: 1 }, { status: "succeeded" });
  expect((await runs.findSucceeded(DEFAULT_SCOPE, "return 1"))?.id).toBe(run.id);
});

it("lets a process of the first version go on writing to the same file", async () => {
  const home = await filledHome();
  const { capabilities } = await openTestStore(home);
  const raw = openRaw(join(home, DATABASE_NAME));
  insertCapability(raw, { id: "late", scope: DEFAULT_SCOPE, namespace: "math", action: "late" });
  expect(await capabilities.list(DEFAULT_SCOPE)).toMatchObject([
    { id: "late", isListed: true },
    { id: "sum" },
  ]);
});
