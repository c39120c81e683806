import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { MIGRATIONS, type Migration } from "../migrations.ts";
import { draftOf } from "../testsuite/fixture.ts";
import { createFaultyHandle, sqliteError, type Faults } from "./faulty-handle.testkit.ts";
import { DATABASE_NAME, requireHome } from "./home.ts";
import { openHandle } from "./sqlite-handle.ts";
import { openTestStore, testHome } from "./temp-home.testkit.ts";

function temporaryFilesIn(home: string): string[] {
  return readdirSync(home).filter((name) => name.includes(".new-"));
}

it("gives openers who meet on an empty home one database", async () => {
  const home = testHome();
  const stores = await Promise.all(Array.from({ length: 5 }, () => openTestStore(home)));
  const saves = await Promise.all(
    stores.map((store, i) => store.capabilities.save(draftOf({ action: `a${i}` }))),
  );
  expect(saves.map((outcome) => outcome.kind)).toEqual(Array.from({ length: 5 }, () => "saved"));
  for (const store of stores) expect(await store.capabilities.list(DEFAULT_SCOPE)).toHaveLength(5);
  expect(temporaryFilesIn(home)).toEqual([]);
});

it("gives no file its name before it is whole", async () => {
  const home = testHome();
  const seen: boolean[] = [];
  const watching: Migration = {
    name: "watching",
    async up() {
      seen.push(existsSync(join(home, DATABASE_NAME)));
    },
  };
  await openTestStore(home, { migrations: [...MIGRATIONS, watching] });
  expect(seen).toEqual([false]);
});

it("leaves an empty home when making the database fails, at whatever call, and makes it later", async () => {
  const home = testHome();
  let failureCount = 0;
  for (let n = 1; ; n++) {
    let count = 0;
    const faults: Faults = {
      before() {
        if (++count === n) throw sqliteError(13);
      },
    };
    let isMade = false;
    const opening = openTestStore(home, {
      openHandle(path) {
        isMade ||= path.endsWith(DATABASE_NAME);
        if (isMade) delete faults.before;
        return createFaultyHandle(openHandle(path), faults);
      },
    });
    const error: unknown = await opening.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) break;
    failureCount++;
    expect(error).toMatchObject({ code: "STORE_FULL" });
    expect(readdirSync(home)).toEqual([]);
  }
  expect(failureCount).toBeGreaterThan(15);
  expect(existsSync(join(home, DATABASE_NAME))).toBe(true);
});

it("uses the database of a process that was faster", async () => {
  const home = testHome();
  const last = MIGRATIONS.at(-1);
  const overtaken: Migration = {
    name: "overtaken",
    async up(db) {
      await last?.up(db);
      await (await openTestStore(home)).capabilities.save(draftOf());
    },
  };
  const store = await openTestStore(home, { migrations: [...MIGRATIONS.slice(0, -1), overtaken] });
  expect(await store.capabilities.list(DEFAULT_SCOPE)).toHaveLength(1);
  expect(temporaryFilesIn(home)).toEqual([]);
});

it("clears away what a process left that died an hour ago, and leaves what may be in use", async () => {
  const home = testHome();
  requireHome(home);
  const [dead, living] = [`${DATABASE_NAME}.new-1-dead`, `${DATABASE_NAME}.new-2-living`];
  for (const name of [dead, living]) writeFileSync(join(home, name), "");
  const twoHoursAgo = Date.now() / 1000 - 7200;
  utimesSync(join(home, dead), twoHoursAgo, twoHoursAgo);
  await openTestStore(home);
  expect(temporaryFilesIn(home)).toEqual([living]);
});

it("leaves one whole file when the last one closes", async () => {
  const home = testHome();
  const stores = [await openTestStore(home), await openTestStore(home)];
  for (const [i, store] of stores.entries()) await store.capabilities.save(draftOf({ action: `a${i}` }));
  expect(readdirSync(home)).toContain(`${DATABASE_NAME}-wal`);
  for (const store of stores) await store.close();
  expect(readdirSync(home)).toEqual([DATABASE_NAME]);
});

it("keeps rows by their owners, syncs every commit and trusts no schema", async () => {
  const pragmas: Record<string, unknown> = {};
  await openTestStore(testHome(), {
    openHandle(path) {
      const handle = openHandle(path);
      const read = (): void => {
        for (const name of ["foreign_keys", "synchronous", "trusted_schema", "busy_timeout", "mmap_size"]) {
          Object.assign(pragmas, handle.prepare(`pragma ${name}`).all()[0]);
        }
      };
      return createFaultyHandle(handle, { after: read });
    },
  });
  expect(pragmas).toMatchObject({ foreign_keys: 1, synchronous: 2, trusted_schema: 0, timeout: 0 });
  expect(pragmas["mmap_size"] ?? 0).toBe(0);
});
