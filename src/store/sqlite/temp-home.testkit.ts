/**
 * What tests of the SQLite store need around it: a folder, a store in it, and SQLite itself as somebody else would use
 * it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import type { Store } from "../../core/store.ts";
import { openSqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts";

/** A path that does not exist yet, in a folder that is gone after the test. */
export function testHome(): string {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "home");
}

/** Closed after the test, whatever its outcome. */
export async function openTestStore(home: string, options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({ ...options, home });
  onTestFinished(() => store.close());
  return store;
}

/** A connection that is not ours, as a person with the sqlite3 program would have. */
export function openRaw(path: string): DatabaseSync {
  const raw = new DatabaseSync(path);
  onTestFinished(() => {
    if (raw.isOpen) raw.close();
  });
  return raw;
}
