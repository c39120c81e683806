/** The two statements that write a step. Each has one text, whatever is null in it, so that it is built and compiled once. */
import type { ExpressionBuilder } from "kysely";
import type { Lease } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database, StepRow } from "../database.ts";
import { prepare } from "../prepared.ts";
import { isHeld } from "./lease.ts";

export type NewStep = Lease & Omit<StepRow, "run_id" | "from_run_id">;

export type StepEnd = Lease &
  Pick<
    StepRow,
    | "key"
    | "status"
    | "result"
    | "result_bytes"
    | "value_id"
    | "error"
    | "finished_at"
    | "end_seq"
    | "clock_at"
  >;

export type StepValueId = Pick<StepRow, "value_id">;

/** Gives the row that has the key, new or old; none when the lease is lost. */
export function prepareInsert({ db, holdRows }: StoreContext) {
  return prepare<NewStep, StepValueId>((place) =>
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
        holdRows(
          eb
            .selectFrom("runs")
            .select((run) => [
              "runs.id",
              run.val(place("key")).as("key"),
              run.val(place("seq")).as("seq"),
              run.val(place("tool")).as("tool"),
              run.val(place("args")).as("args"),
              run.val(place("status")).as("status"),
              run.val(place("result")).as("result"),
              run.val(place("result_bytes")).as("result_bytes"),
              run.val(place("value_id")).as("value_id"),
              run.val(place("error")).as("error"),
              run.val(place("started_at")).as("started_at"),
              run.val(place("finished_at")).as("finished_at"),
              run.val(place("end_seq")).as("end_seq"),
              run.val(place("clock_at")).as("clock_at"),
            ])
            .where(isHeld({ runId: place("runId"), fence: place("fence") })),
        ),
      )
      // An update that changes nothing gives back its row, so that a key that exists is not taken for a lost lease.
      .onConflict((conflict) =>
        conflict.columns(["run_id", "key"]).doUpdateSet((eb) => ({ seq: eb.ref("steps.seq") })),
      )
      .returning("steps.value_id"),
  );
}

/** Gives the row as it is when it has ended, now or before; none when the lease is lost or there is no such step. */
export function prepareEnd({ db, holdRows }: StoreContext) {
  return prepare<StepEnd, StepValueId>((place) =>
    db
      .updateTable("steps")
      .set((eb) => ({
        status: ifOpen(eb, "status", place("status")),
        result: ifOpen(eb, "result", place("result")),
        result_bytes: ifOpen(eb, "result_bytes", place("result_bytes")),
        value_id: ifOpen(eb, "value_id", place("value_id")),
        error: ifOpen(eb, "error", place("error")),
        finished_at: ifOpen(eb, "finished_at", place("finished_at")),
        end_seq: ifOpen(eb, "end_seq", place("end_seq")),
        clock_at: ifOpen(eb, "clock_at", place("clock_at")),
      }))
      .where("run_id", "=", place("runId"))
      .where("key", "=", place("key"))
      .where((eb) =>
        eb.exists(
          holdRows(
            eb
              .selectFrom("runs")
              .select("runs.id")
              .where(isHeld({ runId: place("runId"), fence: place("fence") })),
          ),
        ),
      )
      .returning("value_id"),
  );
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
