import { sql, type ExpressionBuilder, type ExpressionWrapper, type RawBuilder, type SqlBool } from "kysely";
import type { Lease } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database } from "../database.ts";

type RunBuilder = ExpressionBuilder<Database, "runs">;

/** The fence as a condition: the run is running, and it has not been claimed since this lease was given. */
export function isHeld(lease: Lease) {
  return (eb: RunBuilder): ExpressionWrapper<Database, "runs", SqlBool> =>
    eb.and([
      eb("runs.id", "=", lease.runId),
      eb("runs.fence", "=", lease.fence),
      eb("runs.status", "=", "running"),
    ]);
}

/** By the database's clock, which is the only one that all owners share. */
export function leaseEnd({ databaseNow }: StoreContext, leaseMs: number): RawBuilder<number> {
  return sql<number>`${databaseNow} + ${leaseMs}`;
}
