/** T117: a schema moves forward wholly or not at all, once, and never back. */
import { join } from "node:path";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { MIGRATIONS, type Migration } from "../migrations.ts";
import { draftOf } from "../testsuite/fixture.ts";
import { createFaultyHandle, sqliteError, type Faults } from "./faulty-handle.testkit.ts";
import { DATABASE_NAME } from "./home.ts";
import { openHandle } from "./sqlite-handle.ts";
import { openRaw, openTestStore } from "./temp-home.testkit.ts";
import { createVersionOne, insertCapability } from "./version-one.testkit.ts";

/** What a next version might do: a table, its rows, a column. */
const NEXT: Migration = {
  name: "notes",
  async up(db) {
    await db.schema.createTable("notes").addColumn("id", "text").execute();
    await sql`insert into notes (id) values ('first')`.execute(db);
    await db.schema.alterTable("runs").addColumn("note", "text").execute();
  },
};

const NEXT_VERSION = MIGRATIONS.length + 1;

const BROKEN: Migration = {
  name: "broken",
  async up(db) {
    await db.schema.createTable("half").addColumn("id", "text").execute();
    throw new Error("power cut");
  },
};

async function homeWithVersionOne(): Promise<string> {
  const home = await createVersionOne();
  const raw = openRaw(join(home, DATABASE_NAME));
  insertCapability(raw, { id: "c", ...draftOf() });
  raw.close();
  return home;
}

function schemaOf(home: string): { version: unknown; sql: unknown[]; notes?: unknown[] } {
  const raw = openRaw(join(home, DATABASE_NAME));
  const version = raw.prepare("pragma user_version").get()?.["user_version"];
  const texts = raw.prepare("select sql from sqlite_schema where sql is not null order by name").all();
  const notes = texts.some((row) => String(row["sql"]).includes('"notes"'))
    ? { notes: raw.prepare("select id from notes").all() }
    : {};
  raw.close();
  return { version, sql: texts.map((row) => row["sql"]), ...notes };
}

it("applies what is missing, keeps the rows and writes the version", async () => {
  const home = await homeWithVersionOne();
  const store = await openTestStore(home, { migrations: [...MIGRATIONS, NEXT] });
  expect(await store.capabilities.list(DEFAULT_SCOPE)).toHaveLength(1);
  expect(schemaOf(home)).toMatchObject({ version: NEXT_VERSION, notes: [{ id: "first" }] });
});

it("leaves schema, version and rows as they were when a migration fails in the middle (T117)", async () => {
  const home = await homeWithVersionOne();
  const before = schemaOf(home);
  const migrations = [...MIGRATIONS, NEXT, BROKEN];
  await expect(openTestStore(home, { migrations })).rejects.toThrow("power cut");
  expect(schemaOf(home)).toEqual(before);
  const store = await openTestStore(home);
  expect((await store.capabilities.save(draftOf())).kind).toBe("taken");
});

it("comes back whole from a failure at any call of a migration (T117)", async () => {
  const home = await homeWithVersionOne();
  const before = schemaOf(home);
  const migrations = [...MIGRATIONS, NEXT];
  let failureCount = 0;
  for (let n = 1; ; n++) {
    let count = 0;
    const faults: Faults = {
      before() {
        if (++count === n) throw sqliteError(10);
      },
    };
    const opening = openTestStore(home, {
      migrations,
      openHandle: (path) => createFaultyHandle(openHandle(path), faults),
    });
    const error: unknown = await opening.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) break;
    failureCount++;
    expect(error).toMatchObject({ code: "STORE_DAMAGED" });
    expect(schemaOf(home)).toEqual(before);
  }
  expect(failureCount).toBeGreaterThan(8);
  expect(schemaOf(home)).toMatchObject({ version: NEXT_VERSION, notes: [{ id: "first" }] });
});

it("migrates once when several start at the same time (T117)", async () => {
  const home = await homeWithVersionOne();
  const options = { migrations: [...MIGRATIONS, NEXT], busyLimitMs: 60_000 };
  await Promise.all(Array.from({ length: 5 }, () => openTestStore(home, options)));
  expect(schemaOf(home)).toMatchObject({ version: NEXT_VERSION, notes: [{ id: "first" }] });
});

it("does not go back to an older version (T117)", async () => {
  const home = await homeWithVersionOne();
  await (await openTestStore(home, { migrations: [...MIGRATIONS, NEXT] })).close();
  const before = schemaOf(home);
  await expect(openTestStore(home)).rejects.toMatchObject({
    code: "STORE_NEWER",
    hint: expect.stringMatching(/[Uu]pgrade/) as string,
  });
  expect(schemaOf(home)).toEqual(before);
});
