import type { Kysely } from "kysely";
import type { Database } from "../database.ts";

/** Adds in the database, so that uses by many processes are all counted. A capability that is gone counts nothing. */
export async function addUse(
  db: Kysely<Database>,
  id: string,
  use: { success: boolean; elapsedMs: number },
  now: number,
): Promise<void> {
  await db
    .updateTable("capabilities")
    .set((eb) => ({
      usage_count: eb("usage_count", "+", 1),
      success_count: eb("success_count", "+", use.success ? 1 : 0),
      total_ms: eb("total_ms", "+", use.elapsedMs),
      last_used_at: now,
    }))
    .where("id", "=", id)
    .execute();
}
