import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { INLINE_RESULT_BYTES_MAX, type Store } from "../../core/store.ts";
import { draftOf, finishedOf, save, startRun } from "../testsuite/fixture.ts";
import { DATABASE_NAME } from "./home.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";

const ENTRY = { actor: "ada", action: "save", subject: "math:sum", details: { version: 1 } };

async function openWithTrail(entryCount: number): Promise<{ store: Store; raw: DatabaseSync }> {
  const home = testHome();
  const store = await openTestStore(home);
  for (let i = 0; i < entryCount; i++) await store.audit.append(ENTRY);
  return { store, raw: openRaw(join(home, DATABASE_NAME)) };
}

it.each([
  ["an edited actor", "update audit set actor = 'eve' where seq = 3", 3],
  ["an edited time", "update audit set at = at + 1 where seq = 3", 3],
  ["edited details", `update audit set details = '{"version":2}' where seq = 3`, 3],
  ["details that are no JSON", "update audit set details = 'x' where seq = 3", 3],
  ["an edited hash", "update audit set hash = 'x' where seq = 3", 3],
  ["the first entry gone", "delete from audit where seq = 1", 1],
  ["an entry gone from the middle", "delete from audit where seq = 3", 3],
  ["the newest entry gone", "delete from audit where seq = 5", 5],
  ["the newest two gone", "delete from audit where seq > 3", 4],
  ["all entries gone", "delete from audit", 1],
  [
    "two entries swapped",
    "update audit set seq = 99 where seq = 2; update audit set seq = 2 where seq = 3; update audit set seq = 3 where seq = 99",
    2,
  ],
  [
    "an entry added by hand",
    "insert into audit select 6, at, actor, action, subject, details, hash from audit where seq = 5",
    6,
  ],
  ["the head set back with its entry", "delete from audit where seq = 5; update audit_head set seq = 4", 4],
])("shows where the audit trail broke: %s (T159)", async (_name, tampering, seq) => {
  const { store, raw } = await openWithTrail(5);
  raw.exec(tampering);
  expect(await store.audit.findBreak()).toBe(seq);
  expect(await store.findDamage()).toEqual([expect.stringContaining(`entry ${seq}`)]);
});

it("checks a trail that is longer than one page of it (T159)", async () => {
  const { store, raw } = await openWithTrail(510);
  expect(await store.audit.findBreak()).toBeUndefined();
  raw.exec("update audit set subject = 'x' where seq = 505");
  expect(await store.audit.findBreak()).toBe(505);
});

it("reports a row whose owner is missing", async () => {
  const home = testHome();
  const store = await openTestStore(home);
  const { id } = (await save(store.capabilities)).capability;
  const raw = openRaw(join(home, DATABASE_NAME));
  raw.exec("pragma foreign_keys = off");
  raw.prepare("delete from capabilities where id = ?").run(id);
  expect(await store.findDamage()).toEqual([
    expect.stringMatching(/capability_versions.*capabilities.*missing/) as string,
  ]);
});

it.each([
  ["a run that has finished and is running", "update runs set status = 'running'", /Run .* claimed/],
  ["a run that has finished and is paused", "update runs set status = 'paused'", /Run .* claimed/],
  ["a run that has finished and has an owner", "update runs set lease_owner = 'o'", /Run .* claimed/],
  ["a step with two results", "update steps set result = '1' where key = 'large'", /large.* two results/],
  ["a step that is open and has a result", "update steps set status = 'sent' where key = 'k1'", /k1.* half/],
  ["a step that ended at no time", "update steps set finished_at = null where key = 'k1'", /k1.* half/],
  ["a result that is gone", "delete from step_values", /large.* missing/],
])("reports %s", async (_name, tampering, line) => {
  const home = testHome();
  const store = await openTestStore(home);
  const lease = await startRun(store);
  const large = "x".repeat(INLINE_RESULT_BYTES_MAX);
  await store.runs.recordStep(lease, finishedOf(1));
  await store.runs.recordStep(lease, finishedOf(3, { key: "large", result: large }));
  await store.runs.finish(lease, { status: "failed" });
  expect(await store.findDamage()).toEqual([]);
  openRaw(join(home, DATABASE_NAME)).exec(tampering);
  expect(await store.findDamage()).toEqual([expect.stringMatching(line) as string]);
});

it("reports at most 20 of a kind", async () => {
  const home = testHome();
  const store = await openTestStore(home);
  for (let i = 0; i < 30; i++) await store.runs.finish(await startRun(store), { status: "failed" });
  openRaw(join(home, DATABASE_NAME)).exec("update runs set status = 'running'");
  expect(await store.findDamage()).toHaveLength(20);
});

it("does not make up a result that is gone", async () => {
  const home = testHome();
  const store = await openTestStore(home);
  const lease = await startRun(store);
  await store.runs.recordStep(lease, finishedOf(1, { result: "x".repeat(INLINE_RESULT_BYTES_MAX) }));
  openRaw(join(home, DATABASE_NAME)).exec("delete from step_values");
  await expect(store.runs.stepResult(lease.runId, "k1")).rejects.toMatchObject({
    code: "STORE_DAMAGED",
    hint: expect.stringContaining("backup") as string,
  });
});

it("reports a page that was overwritten, and reading it is an error with a way out (T109)", async () => {
  const home = testHome();
  const path = join(home, DATABASE_NAME);
  const first = await openTestStore(home);
  for (let i = 0; i < 20; i++) await save(first.capabilities, { action: `a${i}`, source: "x".repeat(3000) });
  await first.close();
  const page = rootPageOf(path, "capability_versions");
  expect(statSync(path).size).toBeGreaterThan(page * 4096);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(64, 0xff), 0, 64, (page - 1) * 4096);
  closeSync(file);
  const store = await openTestStore(home);
  expect((await store.findDamage()).length).toBeGreaterThan(0);
  await expect(store.capabilities.save(draftOf())).rejects.toMatchObject({
    code: "STORE_DAMAGED",
    hint: expect.stringContaining("backup") as string,
  });
});

function rootPageOf(path: string, table: string): number {
  const raw = openRaw(path);
  const row = raw.prepare("select rootpage from sqlite_schema where name = ?").get(table);
  raw.close();
  return Number(row?.["rootpage"]);
}
