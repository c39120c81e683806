import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { draftOf } from "../testsuite/fixture.ts";
import { APPLICATION_ID } from "./database-file.ts";
import { DATABASE_NAME } from "./home.ts";
import { openRaw, openTestStore, testHome } from "./temp-home.testkit.ts";

/** A home whose database was used and closed. */
async function usedHome(): Promise<{ home: string; path: string }> {
  const home = testHome();
  const store = await openTestStore(home);
  for (let i = 0; i < 40; i++) {
    await store.capabilities.save(draftOf({ action: `a${i}`, source: `${i}`.repeat(1000) }));
  }
  await store.close();
  return { home, path: join(home, DATABASE_NAME) };
}

function emptyHome(): { home: string; path: string } {
  const home = testHome();
  mkdirSync(home, { mode: 0o700 });
  return { home, path: join(home, DATABASE_NAME) };
}

async function expectRefusal(home: string, code: string, hint: RegExp): Promise<void> {
  const path = join(home, DATABASE_NAME);
  const before = readFileSync(path);
  await expect(openTestStore(home)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(path) as string,
    hint: expect.stringMatching(hint) as string,
  });
  expect(readFileSync(path).equals(before)).toBe(true);
}

it("refuses an empty file instead of starting empty (T109)", async () => {
  const { home, path } = emptyHome();
  writeFileSync(path, "");
  await expectRefusal(home, "STORE_DAMAGED", /backup/);
});

it.each([
  ["text", Buffer.from("dear diary")],
  ["noise", Buffer.alloc(8192, 0xa5)],
  ["zeroes", Buffer.alloc(8192)],
])("refuses a file of %s (T109)", async (_name, content) => {
  const { home, path } = emptyHome();
  writeFileSync(path, content);
  await expectRefusal(home, "STORE_DAMAGED", /backup/);
});

it("refuses a header without its pages (T109)", async () => {
  const { home, path } = await usedHome();
  truncateSync(path, 100);
  await expectRefusal(home, "STORE_DAMAGED", /backup/);
});

it("refuses a database that lost its last page (T109)", async () => {
  const { home, path } = await usedHome();
  truncateSync(path, statSync(path).size - 4096);
  await expectRefusal(home, "STORE_DAMAGED", /backup/);
});

it("refuses the database of another program, also with work in its WAL (T109)", async () => {
  const { home, path } = emptyHome();
  const foreign = openRaw(path);
  foreign.exec("pragma journal_mode = wal; create table t (a); pragma wal_checkpoint(truncate)");
  foreign.exec("insert into t values (1)");
  await expectRefusal(home, "STORE_FOREIGN", /REPERTOIRE_HOME/);
  expect(foreign.prepare("select a from t").get()).toEqual({ a: 1 });
});

it("refuses a database of a newer version and names both versions (T109, T117)", async () => {
  const { home, path } = await usedHome();
  const raw = openRaw(path);
  raw.exec("pragma user_version = 999");
  raw.close();
  await expectRefusal(home, "STORE_NEWER", /[Uu]pgrade/);
  await expect(openTestStore(home)).rejects.toThrow(/999.*\b8\b/);
});

it("does not touch a newer database that a dead process left with work in its WAL (T109)", async () => {
  const { path } = await usedHome();
  const raw = openRaw(path);
  raw.exec(
    "pragma user_version = 999; pragma wal_checkpoint(truncate); update library_revision set revision = 7",
  );
  const copy = emptyHome();
  for (const suffix of ["", "-wal"]) writeFileSync(copy.path + suffix, readFileSync(path + suffix));
  await expectRefusal(copy.home, "STORE_NEWER", /[Uu]pgrade/);
  expect(readFileSync(`${copy.path}-wal`).equals(readFileSync(`${path}-wal`))).toBe(true);
  expect(readFileSync(`${copy.path}-wal`).length).toBeGreaterThan(4096);
});

it("refuses a newer version that only the WAL knows of (T117)", async () => {
  const { home, path } = await usedHome();
  const raw = openRaw(path);
  raw.exec("pragma user_version = 999");
  expect(readFileSync(path).readInt32BE(60)).toBe(8);
  await expectRefusal(home, "STORE_NEWER", /[Uu]pgrade/);
});

it("refuses a link and a folder under the database's name", async () => {
  const { home, path } = await usedHome();
  const elsewhere = join(testHome());
  renameSync(path, elsewhere);
  symlinkSync(elsewhere, path);
  await expectRefusal(home, "STORE_FOREIGN", /REPERTOIRE_HOME/);
  rmSync(path);
  symlinkSync("nowhere", path);
  await expect(openTestStore(home)).rejects.toMatchObject({ code: "STORE_FOREIGN" });
  rmSync(path);
  mkdirSync(path);
  await expect(openTestStore(home)).rejects.toMatchObject({ code: "STORE_FOREIGN" });
});

it("finds everything again when the -shm file was deleted (T109)", async () => {
  const home = testHome();
  const store = await openTestStore(home);
  await store.capabilities.save(draftOf());
  const copy = testHome();
  mkdirSync(copy, { mode: 0o700 });
  for (const suffix of ["", "-wal"]) {
    writeFileSync(join(copy, DATABASE_NAME + suffix), readFileSync(join(home, DATABASE_NAME + suffix)));
  }
  const restored = await openTestStore(copy);
  expect(await restored.capabilities.list(DEFAULT_SCOPE)).toHaveLength(1);
  expect(await restored.findDamage()).toEqual([]);
});

it("opens at the last checkpoint, undamaged, when the -wal file was deleted (T109)", async () => {
  const { home, path } = await usedHome();
  const store = await openTestStore(home);
  await store.capabilities.save(draftOf({ action: "late" }));
  const copy = emptyHome();
  writeFileSync(copy.path, readFileSync(path));
  const restored = await openTestStore(copy.home);
  expect(await restored.capabilities.list(DEFAULT_SCOPE)).toHaveLength(40);
  expect(await restored.findDamage()).toEqual([]);
});

it("marks its databases with an id and a version that stay", async () => {
  const { path } = await usedHome();
  const raw = new DatabaseSync(path, { readOnly: true });
  expect(raw.prepare("pragma application_id").get()).toEqual({ application_id: 0x52505254 });
  expect(APPLICATION_ID).toBe(0x52505254);
  expect(raw.prepare("pragma user_version").get()).toEqual({ user_version: 8 });
  raw.close();
});
