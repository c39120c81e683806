/** T110: another process holds the lock, and nobody notices but for the wait. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { draftOf, save } from "../testsuite/fixture.ts";
import { retryWhileBusy } from "./busy-retry.ts";
import { sqliteError } from "./faulty-handle.testkit.ts";
import { DATABASE_NAME } from "./home.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";

/** Far more than any wait here needs, so that a slow machine fails no test. */
const PATIENT = { limitMs: 60_000, elapsed: () => performance.now() };

it("waits for a lock without stopping the event loop (T110)", async () => {
  const home = testHome();
  const store = await openTestStore(home, { busyLimitMs: 60_000 });
  const other = openRaw(join(home, DATABASE_NAME));
  other.exec("begin immediate");
  const writes = [
    store.capabilities.save(draftOf()),
    store.serverCache.put({
      server: "s",
      configHash: "c",
      definitions: {},
      hash: "h",
      fetchedAt: 1,
      ttlMs: 1,
    }),
    store.audit.append({ actor: "a", action: "b", subject: "c", details: {} }),
  ];
  let settledCount = 0;
  for (const write of writes) void write.finally(() => settledCount++);
  // The lock is let go by this very loop: a call that blocked it would wait for ever.
  for (let turn = 0; turn < 100; turn++) await sleep(1);
  expect(settledCount).toBe(0);
  other.exec("commit");
  await Promise.all(writes);
  expect(await store.findDamage()).toEqual([]);
});

it("gives up with STORE_BUSY when the lock is held for too long, and works again later (T110)", async () => {
  const home = testHome();
  const store = await openTestStore(home, { busyLimitMs: 30 });
  const other = openRaw(join(home, DATABASE_NAME));
  other.exec("begin immediate");
  const refusal = { code: "STORE_BUSY", hint: expect.stringMatching(/try again/) as string };
  await expect(store.capabilities.save(draftOf())).rejects.toMatchObject(refusal);
  await expect(store.capabilities.recordUse("x", { success: true, elapsedMs: 1 })).rejects.toMatchObject(
    refusal,
  );
  other.exec("rollback");
  expect((await save(store.capabilities)).version.version).toBe(1);
});

it("reads while another process writes (T110)", async () => {
  const home = testHome();
  const store = await openTestStore(home, { busyLimitMs: 0 });
  await save(store.capabilities);
  const other = openRaw(join(home, DATABASE_NAME));
  other.exec("begin immediate; update library_revision set revision = 77");
  expect(await store.capabilities.revision()).toBe(1);
  other.exec("commit");
  expect(await store.capabilities.revision()).toBe(77);
});

it.each([
  ["a writer", "begin exclusive"],
  ["a reader, who lets others read but not turn the WAL on", "begin; select * from library_revision"],
])("opens as soon as it can while the file is held by %s (T110)", async (_name, hold) => {
  const home = testHome();
  const path = join(home, DATABASE_NAME);
  await (await openTestStore(home)).close();
  const other = openRaw(path);
  expect(other.prepare("pragma journal_mode = delete").get()).toEqual({ journal_mode: "delete" });
  other.exec(hold);
  let isOpen = false;
  const opening = openTestStore(home, { busyLimitMs: 60_000 }).finally(() => (isOpen = true));
  await sleep(60);
  expect(isOpen).toBe(false);
  other.exec("commit");
  const store = await opening;
  expect((await save(store.capabilities)).version.version).toBe(1);
  expect(openRaw(path).prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
});

it("tries again until the lock is gone", async () => {
  let count = 0;
  const attempt = (): number => {
    if (++count < 4) throw sqliteError(count === 2 ? 261 : 5);
    return count;
  };
  expect(await retryWhileBusy(attempt, PATIENT)).toBe(4);
});

it("tries nothing again that failed for another reason", async () => {
  let count = 0;
  const attempt = (): never => {
    count++;
    throw sqliteError(13);
  };
  await expect(retryWhileBusy(attempt, PATIENT)).rejects.toMatchObject({ errcode: 13 });
  expect(count).toBe(1);
});

it("makes one attempt more when patience has run out, and no further one", async () => {
  let now = 0;
  let count = 0;
  const attempt = (): never => {
    count++;
    now += 40;
    throw sqliteError(5);
  };
  const patience = { limitMs: 100, elapsed: () => now };
  await expect(retryWhileBusy(attempt, patience)).rejects.toMatchObject({ errcode: 5 });
  expect(count).toBe(3);
});
