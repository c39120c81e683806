import { sql, type Kysely } from "kysely";
import { RepertoireError } from "../../core/errors.ts";
import type { Database } from "../database.ts";

/** What SQLite itself finds wrong with the file; it reads every page and blocks while it does. */
export async function findSqliteDamage(db: Kysely<Database>): Promise<string[]> {
  try {
    return [...(await findBrokenPages(db)), ...(await findOrphans(db))];
  } catch (error) {
    if (error instanceof RepertoireError && error.code === "STORE_DAMAGED") return [error.message];
    throw error;
  }
}

async function findBrokenPages(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  return rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
}

async function findOrphans(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db);
  return rows.map((row) => `A row of ${row.table} belongs to a row of ${row.parent} that is missing.`);
}
