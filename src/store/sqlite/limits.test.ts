/** Limits in one file: two gateways count together, and what no longer counts is removed. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { DATABASE_NAME } from "./home.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";

const HOUR_MS = 3_600_000;

it("counts the calls of two stores together", async () => {
  const home = testHome();
  const options = { busyLimitMs: 60_000 };
  const stores = [await openTestStore(home, options), await openTestStore(home, options)];
  const windows = [
    { key: "rate", countMax: 7, windowMs: HOUR_MS },
    { key: "total", countMax: 9, windowMs: null },
  ];
  const taken = await Promise.all(
    Array.from({ length: 30 }, (_, i) => stores[i % 2]!.limits.take(windows, [{ key: "s", countMax: 99 }])),
  );
  expect(taken.filter(({ kind }) => kind === "taken")).toHaveLength(7);
  expect(await stores[0]!.limits.used("total")).toBe(7);
});

it("removes what no window reaches any more, and keeps what counts for ever", async () => {
  const home = testHome();
  let now = 1_000_000_000;
  let elapsed = 0;
  const clock = { now: () => now, elapsed: () => elapsed };
  const { limits } = await openTestStore(home, { clock, databaseNow: () => now });
  for (let i = 0; i < 30; i++) await limits.take([{ key: `k${i}`, countMax: 1, windowMs: 1_000 }], []);
  await limits.take([{ key: "total", countMax: 1, windowMs: null }], [{ key: "slot", countMax: 1 }]);
  const raw = openRaw(join(home, DATABASE_NAME));
  const rows = () => [
    raw.prepare("select count(*) as n from limit_buckets").get()?.["n"],
    raw.prepare("select count(*) as n from limit_slots").get()?.["n"],
  ];
  expect(rows()).toEqual([62, 1]);
  now += HOUR_MS;
  elapsed += HOUR_MS;
  await limits.take([{ key: "last", countMax: 1, windowMs: 1_000 }], []);
  expect(rows()).toEqual([3, 0]);
});

it("writes nothing for a call that is refused", async () => {
  const home = testHome();
  const { limits } = await openTestStore(home);
  const windows = [{ key: "k", countMax: 1, windowMs: HOUR_MS }];
  await limits.take(windows, []);
  const raw = openRaw(join(home, DATABASE_NAME));
  const version = () => raw.prepare("pragma data_version").get();
  const before = version();
  for (let i = 0; i < 3; i++) expect((await limits.take(windows, [])).kind).toBe("reached");
  expect(version()).toEqual(before);
});
