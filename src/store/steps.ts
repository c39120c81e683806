/**
 * The journal of a run. A step is opened before its call is sent and closed when the call has returned; each is one fenced
 * statement, so a process that dies between the two leaves exactly one step whose fate is unknown (`sent`).
 *
 * What was recorded first stands, because a replay has already answered from it:
 * - opening a key again leaves the row as it is and returns true, so a retry after a lost acknowledgement is harmless;
 * - closing a closed step leaves its first outcome and returns true;
 * - false means one thing only: the lease is lost.
 * Closing a key that was never opened, or opening a second key under a `seq` that is in use, is a bug and throws.
 */
import type { ExpressionBuilder } from "kysely";
import { canonicalJson, type JsonObject } from "../core/json.ts";
import type { Lease, RunStore, Step } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import type { Database, StepRow } from "./database.ts";
import { fromColumn, toColumn } from "./json-column.ts";
import { isHeld } from "./lease.ts";

type Steps = Pick<RunStore, "openStep" | "closeStep" | "steps">;

export function createSteps(context: StoreContext): Steps {
  return {
    openStep: (lease, step) => openStep(context, lease, step),
    closeStep: (lease, key, outcome) => closeStep(context, lease, key, outcome),
    async steps(runId) {
      const rows = await context.db
        .selectFrom("steps")
        .selectAll()
        .where("run_id", "=", runId)
        .orderBy("seq")
        .execute();
      return rows.map(stepOf);
    },
  };
}

async function openStep(
  { db, clock }: StoreContext,
  lease: Lease,
  step: Parameters<Steps["openStep"]>[1],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("steps")
    .columns(["run_id", "key", "seq", "tool", "args", "status", "started_at"])
    .expression((eb) =>
      eb
        .selectFrom("runs")
        .select((run) => [
          "runs.id",
          run.val(step.key).as("key"),
          run.val(step.seq).as("seq"),
          run.val(step.tool).as("tool"),
          run.val(canonicalJson(step.args)).as("args"),
          run.val("sent").as("status"),
          run.val(clock.now()).as("started_at"),
        ])
        .where(isHeld(lease)),
    )
    // An update that changes nothing counts as a row, so that "already open" is not taken for a lost lease.
    .onConflict((conflict) =>
      conflict.columns(["run_id", "key"]).doUpdateSet((eb) => ({ seq: eb.ref("steps.seq") })),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

async function closeStep(
  { db, clock }: StoreContext,
  lease: Lease,
  key: string,
  outcome: Parameters<Steps["closeStep"]>[2],
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("steps")
    .set((eb) => ({
      status: ifSent(eb, "status", outcome.status),
      result: ifSent(eb, "result", toColumn(outcome.result)),
      error: ifSent(eb, "error", toColumn(outcome.error)),
      finished_at: ifSent(eb, "finished_at", clock.now()),
    }))
    .where("run_id", "=", lease.runId)
    .where("key", "=", key)
    .where((eb) => eb.exists(eb.selectFrom("runs").select("runs.id").where(isHeld(lease))))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 1n) return true;
  // A fence never comes back: held now means held then, so what was missing is the step.
  const held = await db.selectFrom("runs").select("id").where(isHeld(lease)).executeTakeFirst();
  if (held !== undefined) throw new Error(`step ${key} of run ${lease.runId} is closed but was never opened`);
  return false;
}

type StepBuilder = ExpressionBuilder<Database, "steps">;

/** The value where the step is still open, and what was recorded where it is not. */
function ifSent<Column extends keyof StepRow>(eb: StepBuilder, column: Column, value: StepRow[Column]) {
  return eb
    .case()
    .when("steps.status", "=", "sent")
    .then(value)
    .else(eb.ref(`steps.${column}`))
    .end();
}

function stepOf(row: StepRow): Step {
  return {
    runId: row.run_id,
    key: row.key,
    seq: row.seq,
    tool: row.tool,
    args: fromColumn(row.args) as JsonObject,
    status: row.status,
    result: fromColumn(row.result),
    error: fromColumn(row.error) as JsonObject | null,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
