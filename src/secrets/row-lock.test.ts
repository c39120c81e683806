import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { silentLog } from "../core/log.ts";
import { openDatabase } from "./sealed-secrets.testkit.ts";
import { createRowLock } from "./row-lock.ts";

async function openOwners(count: number) {
  const home = temporaryFolder();
  const owners = [];
  for (let i = 0; i < count; i++) {
    const { locks } = await openDatabase(home);
    owners.push(createRowLock({ locks, owner: `o${i}`, log: silentLog }));
  }
  return { owners };
}

it("lets one work at a time, of one process and of several", async () => {
  const { owners } = await openOwners(3);
  let [inside, most, done] = [0, 0, 0];
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await sleep(1);
    inside--;
    done++;
  };
  await Promise.all(Array.from({ length: 30 }, (_, i) => owners[i % 3]!("a", work)));
  expect([most, done]).toEqual([1, 30]);
});

it("gives the lock back after work that fails, and hands on its failure", async () => {
  const { owners } = await openOwners(2);
  await expect(owners[0]!("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await owners[1]!("a", () => Promise.resolve("mine"))).toBe("mine");
});

it("does not hold up work under another name", async () => {
  const { owners } = await openOwners(1);
  const first = Promise.withResolvers<void>();
  const waiting = owners[0]!("a", () => first.promise);
  expect(await owners[0]!("b", () => Promise.resolve(1))).toBe(1);
  first.resolve();
  await waiting;
});

it("renews the lock for as long as the work lasts, and not after it", async () => {
  const store = await openDatabase(temporaryFolder());
  const renew = vi.fn(store.locks.renew.bind(store.locks));
  const hold = createRowLock({ locks: { ...store.locks, renew }, owner: "o", log: silentLog, lockMs: 30 });
  const end = Promise.withResolvers<void>();
  const working = hold("a", () => end.promise);
  await vi.waitFor(() => expect(renew.mock.calls.length).toBeGreaterThan(3), { timeout: 30_000 });
  end.resolve();
  await working;
  expect(new Set(renew.mock.calls.map((call) => call.join(" ")))).toEqual(new Set(["a o 30"]));
  const count = renew.mock.calls.length;
  await hold("b", () => Promise.resolve());
  expect(renew.mock.calls).toHaveLength(count);
  expect(await store.locks.take("a", "other", 1)).toBe(true);
});
