import { sql, type Kysely, type SelectQueryBuilder } from "kysely";
import type { Database } from "../database.ts";

/**
 * The number after every beginning and end in a run's journal, for an answer that comes while the run is paused: all
 * that it has begun it began before, and all that it has heard it heard before.
 */
export function selectNextSeq(
  db: Kysely<Database>,
  runId: string,
): SelectQueryBuilder<Database, "steps", { next: number }> {
  return db
    .selectFrom("steps")
    .select(sql<number>`max(case when end_seq > seq then end_seq else seq end) + 1`.as("next"))
    .where("run_id", "=", runId);
}
