/** S17: a store that writes into a file that is no longer under its name says so instead of "saved". */
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Store } from "../../core/store.ts";
import { SCHEMA_VERSION } from "../schema-version.ts";
import { draftOf, save, startRun } from "../testsuite/fixture.ts";
import { createFaultyHandle, sqliteError, type Faults } from "./faulty-handle.testkit.ts";
import { DATABASE_NAME } from "./home.ts";
import { openHandle } from "./sqlite-handle.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";

const CACHED = { server: "s", configHash: "c", definitions: {}, hash: "h", fetchedAt: 1, ttlMs: 1 };

async function openUsed(): Promise<{ store: Store; home: string; path: string }> {
  const home = testHome();
  const store = await openTestStore(home);
  await save(store.capabilities);
  return { store, home, path: join(home, DATABASE_NAME) };
}

function removeAll(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

async function expectNoWrites(store: Store, refusal: { code: string; hint: RegExp }): Promise<void> {
  const expected = { code: refusal.code, hint: expect.stringMatching(refusal.hint) as string };
  // In a transaction, as one statement, and as one that gives rows.
  await expect(store.capabilities.save(draftOf({ action: "late" }))).rejects.toMatchObject(expected);
  await expect(store.serverCache.put(CACHED)).rejects.toMatchObject(expected);
  await expect(startRun(store)).rejects.toMatchObject(expected);
  await expect(store.check()).rejects.toMatchObject(expected);
  expect((await store.capabilities.list(DEFAULT_SCOPE)).map(({ action }) => action)).not.toContain("late");
}

it.each<[string, (path: string, home: string) => void]>([
  ["was deleted", removeAll],
  [
    "was deleted, and another process has made a new one",
    (path) => (removeAll(path), writeFileSync(path, "")),
  ],
  [
    "was replaced by a copy of itself",
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
  ["has lost its -wal file", (path) => rmSync(`${path}-wal`)],
  ["went away with its folder", (_path, home) => renameSync(home, `${home}.moved`)],
])("S17: acknowledges no write once the file %s", async (_name, change) => {
  const { store, home, path } = await openUsed();
  await store.check();
  change(path, home);
  await expectNoWrites(store, { code: "STORE_GONE", hint: /[Rr]estart/ });
  // What was there can be read, so that it can be saved elsewhere.
  expect(await store.capabilities.list(DEFAULT_SCOPE)).toHaveLength(1);
  if (existsSync(`${home}.moved`)) rmSync(`${home}.moved`, { recursive: true });
});

it("S17: writes no more once a newer version has changed the schema, and says that it must be restarted", async () => {
  const { store, path } = await openUsed();
  openRaw(path).exec(`pragma user_version = ${SCHEMA_VERSION + 1}`);
  await expectNoWrites(store, { code: "STORE_NEWER", hint: /[Rr]estart/ });
});

it("S17: takes a file that others write, move forward and close for its own", async () => {
  const { store, home, path } = await openUsed();
  const other = await openTestStore(home);
  await save(other.capabilities, { action: "other" });
  const raw = openRaw(path);
  raw.exec("pragma wal_checkpoint(truncate)");
  raw.close();
  await other.close();
  await save(store.capabilities, { action: "own" });
  await store.check();
  expect(await store.capabilities.list(DEFAULT_SCOPE)).toHaveLength(3);
});

it("S18: is not well while the disk is full, and well again by itself", async () => {
  const faults: Faults = {};
  const store = await openTestStore(testHome(), {
    openHandle: (path) => createFaultyHandle(openHandle(path), faults),
  });
  faults.before = (sql) => {
    if (/^(?:insert|update|commit)/.test(sql)) throw sqliteError(13);
  };
  await store.check();
  await expect(store.serverCache.put(CACHED)).rejects.toMatchObject({ code: "STORE_FULL" });
  for (let times = 0; times < 3; times++) {
    await expect(store.check()).rejects.toMatchObject({ code: "STORE_FULL" });
  }
  delete faults.before;
  await store.check();
  await store.serverCache.put(CACHED);
});
