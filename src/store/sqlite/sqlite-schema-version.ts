import { sql, type QueryExecutorProvider } from "kysely";
import type { SchemaVersion } from "../schema-version.ts";

/** In the file's header, which takes part in transactions. */
export const sqliteSchemaVersion: SchemaVersion = {
  // Every transaction of ours begins with the write lock.
  async lock() {},
  read: readVersion,
  // A file belongs to one machine, where all processes are upgraded together.
  readUsableFrom: readVersion,
  async write(trx, version) {
    await sql`pragma user_version = ${sql.lit(version)}`.execute(trx);
  },
};

async function readVersion(trx: QueryExecutorProvider): Promise<number> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(trx);
  return rows[0]?.user_version ?? 0;
}
