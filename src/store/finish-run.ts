/**
 * The end of a run. Alone it is one fenced statement. With a use or steps it is one transaction whose first statement is that
 * same one: it asks for the fence and, on PostgreSQL, locks the run's row, so either everything is written or nothing is.
 */
import type { Kysely } from "kysely";
import type { FinishedStep, Lease, RunOutcome } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import { addUse } from "./capability-use.ts";
import type { Database, StepRow } from "./database.ts";
import { toColumn, toRequiredColumn } from "./json-column.ts";
import { isHeld } from "./lease.ts";

export async function finishRun(
  { db, clock }: StoreContext,
  lease: Lease,
  outcome: RunOutcome,
): Promise<boolean> {
  const { use, steps = [] } = outcome;
  if (use === undefined && steps.length === 0) return endRun(db, lease, outcome, clock.now());
  // Before the transaction: other processes should not wait for our JSON.
  const rows = steps.map((step) => stepRowOf(lease, step));
  return db.transaction().execute(async (trx) => {
    const now = clock.now();
    if (!(await endRun(trx, lease, outcome, now))) return false;
    // One at a time: a statement for each number of steps would fill the cache of compiled ones.
    for (const row of rows) await trx.insertInto("steps").values(row).execute();
    if (use !== undefined) await addUse(trx, use.capabilityId, use, now);
    return true;
  });
}

/** A paused run has not finished, and without a lease anyone may claim it. */
async function endRun(
  db: Kysely<Database>,
  lease: Lease,
  { status, result, error }: RunOutcome,
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

function stepRowOf(lease: Lease, step: FinishedStep): StepRow {
  return {
    run_id: lease.runId,
    key: step.key,
    seq: step.seq,
    tool: step.tool,
    args: toRequiredColumn(step.args),
    status: step.status,
    result: toColumn(step.result),
    error: toColumn(step.error),
    started_at: step.startedAt,
    finished_at: step.finishedAt,
  };
}
