/**
 * The end of a run. Alone it is one fenced statement. With a use it is one transaction whose first statement is that
 * same one: it asks for the fence and, on PostgreSQL, locks the run's row, so either everything is written or nothing
 * is.
 */
import type { Kysely } from "kysely";
import type { Lease, RunStore } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { addUse } from "../capabilities/capability-use.ts";
import type { Database } from "../database.ts";
import { toColumn } from "../json-column.ts";
import { isHeld } from "./lease.ts";

type End = Parameters<RunStore["finish"]>[1];

export async function finishRun({ db, clock }: StoreContext, lease: Lease, end: End): Promise<boolean> {
  const { use } = end;
  if (use === undefined) return endRun(db, lease, end, clock.now());
  return db.transaction().execute(async (trx) => {
    const now = clock.now();
    if (!(await endRun(trx, lease, end, now))) return false;
    await addUse(trx, use.capabilityId, use, now);
    return true;
  });
}

/** A paused run has not finished, and without a lease anyone may claim it. */
async function endRun(
  db: Kysely<Database>,
  lease: Lease,
  { status, result, error }: End,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("runs")
    .set({
      status,
      result: toColumn(result),
      error: toColumn(error),
      finished_at: status === "paused" ? null : now,
      lease_owner: null,
      lease_until: null,
    })
    .where(isHeld(lease))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
