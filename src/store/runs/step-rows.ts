/** The statements of the journal. Each has one text, whatever is null in it, so that it is compiled once. */
import type { ExpressionBuilder, Kysely } from "kysely";
import type { JsonObject } from "../../core/json.ts";
import type { Lease, Step } from "../../core/store.ts";
import type { Database, StepRow } from "../database.ts";
import { fromColumn } from "../json-column.ts";
import { isHeld } from "./lease.ts";

export type NewStep = Omit<StepRow, "run_id" | "from_run_id">;

export type EndColumns = Pick<
  StepRow,
  "status" | "result" | "result_bytes" | "value_id" | "error" | "finished_at" | "end_seq" | "clock_at"
>;

/** The row that has the key, new or old; undefined when the lease is lost. */
export function insertStep(
  db: Kysely<Database>,
  lease: Lease,
  step: NewStep,
): Promise<Pick<StepRow, "value_id"> | undefined> {
  return (
    db
      .insertInto("steps")
      .columns([
        "run_id",
        "key",
        "seq",
        "tool",
        "args",
        "status",
        "result",
        "result_bytes",
        "value_id",
        "error",
        "started_at",
        "finished_at",
        "end_seq",
        "clock_at",
      ])
      .expression((eb) =>
        eb
          .selectFrom("runs")
          .select((run) => [
            "runs.id",
            run.val(step.key).as("key"),
            run.val(step.seq).as("seq"),
            run.val(step.tool).as("tool"),
            run.val(step.args).as("args"),
            run.val(step.status).as("status"),
            run.val(step.result).as("result"),
            run.val(step.result_bytes).as("result_bytes"),
            run.val(step.value_id).as("value_id"),
            run.val(step.error).as("error"),
            run.val(step.started_at).as("started_at"),
            run.val(step.finished_at).as("finished_at"),
            run.val(step.end_seq).as("end_seq"),
            run.val(step.clock_at).as("clock_at"),
          ])
          .where(isHeld(lease)),
      )
      // An update that changes nothing gives back its row, so that a key that exists is not taken for a lost lease.
      .onConflict((conflict) =>
        conflict.columns(["run_id", "key"]).doUpdateSet((eb) => ({ seq: eb.ref("steps.seq") })),
      )
      .returning("steps.value_id")
      .executeTakeFirst()
  );
}

/** The row as it is when it has ended, now or before; undefined when the lease is lost or there is no such step. */
export function endStep(
  db: Kysely<Database>,
  lease: Lease,
  key: string,
  columns: EndColumns,
): Promise<Pick<StepRow, "value_id"> | undefined> {
  return db
    .updateTable("steps")
    .set((eb) => ({
      status: ifOpen(eb, "status", columns.status),
      result: ifOpen(eb, "result", columns.result),
      result_bytes: ifOpen(eb, "result_bytes", columns.result_bytes),
      value_id: ifOpen(eb, "value_id", columns.value_id),
      error: ifOpen(eb, "error", columns.error),
      finished_at: ifOpen(eb, "finished_at", columns.finished_at),
      end_seq: ifOpen(eb, "end_seq", columns.end_seq),
      clock_at: ifOpen(eb, "clock_at", columns.clock_at),
    }))
    .where("run_id", "=", lease.runId)
    .where("key", "=", key)
    .where((eb) => eb.exists(eb.selectFrom("runs").select("runs.id").where(isHeld(lease))))
    .returning("value_id")
    .executeTakeFirst();
}

type StepBuilder = ExpressionBuilder<Database, "steps">;

/** The value where the step is still open, and what was recorded where it is not. */
function ifOpen<Column extends keyof StepRow>(eb: StepBuilder, column: Column, value: StepRow[Column]) {
  return eb
    .case()
    .when("steps.finished_at", "is", null)
    .then(eb.val(value))
    .else(eb.ref(`steps.${column}`))
    .end();
}

export function stepOf(row: StepRow): Step {
  return {
    runId: row.run_id,
    key: row.key,
    seq: row.seq,
    tool: row.tool,
    args: fromColumn(row.args) as JsonObject,
    status: row.status,
    result: fromColumn(row.result),
    resultBytes: row.result_bytes,
    error: fromColumn(row.error) as JsonObject | null,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    endSeq: row.end_seq,
    clockAt: row.clock_at,
    fromRunId: row.from_run_id,
  };
}
