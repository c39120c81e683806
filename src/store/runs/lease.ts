import {
  sql,
  type ExpressionBuilder,
  type ExpressionWrapper,
  type RawBuilder,
  type SqlBool,
  type Transaction,
} from "kysely";
import { DEAD_AFTER_MS } from "../../core/replica-store.ts";
import type { ClaimGrounds, Lease } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database } from "../database.ts";
import { ago, LEFT_AT } from "../replicas/replicas.ts";

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

/**
 * Whether a claim may have the run. The row of a replica says more than the lease of a run: a long run outlives its lease
 * while its owner is seen, and ends with an owner that is not.
 */
export function isFree(context: StoreContext, { gone, judgesDead = false }: ClaimGrounds) {
  return (eb: RunBuilder): ExpressionWrapper<Database, "runs", SqlBool> => {
    const replica = eb
      .selectFrom("replicas")
      .select("replicas.id")
      .whereRef("replicas.owner", "=", "runs.lease_owner");
    const hasExpired = eb("runs.lease_until", "<=", context.databaseNow);
    const unseenAt = judgesDead ? ago(context, DEAD_AFTER_MS) : sql.lit(LEFT_AT);
    return eb.or([
      eb("runs.lease_until", "is", null),
      ...(gone === undefined ? [] : [eb("runs.lease_owner", "=", gone)]),
      ...(context.isShared
        ? [
            eb.and([hasExpired, eb.not(eb.exists(replica))]),
            eb.exists(replica.where("replicas.seen_at", "<=", unseenAt)),
          ]
        : [hasExpired]),
    ]);
  };
}

/** What claims, resumes or decides a run follows one another; the first statement of a transaction. */
export async function lockRun(
  { lockRows }: StoreContext,
  trx: Transaction<Database>,
  runId: string,
): Promise<void> {
  await lockRows(trx.selectFrom("runs").select("id").where("id", "=", runId)).execute();
}

/** By the database's clock, which is the only one that all owners share. */
export function leaseEnd({ databaseNow }: StoreContext, leaseMs: number): RawBuilder<number> {
  return sql<number>`${databaseNow} + ${leaseMs}`;
}
