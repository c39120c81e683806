/**
 * The journal of a run. A step is opened before its call is sent and closed when the call has returned; each is one
 * fenced statement, so a process that dies between the two leaves exactly one step whose fate is unknown (`sent`). A
 * call that may be made again is recorded once, when it has returned: a process that dies before leaves nothing.
 *
 * What was recorded first is kept, because a replay has already answered from it:
 * - opening or recording a key again leaves the row as it is and returns true, so a retry after a lost acknowledgement
 *   is harmless;
 * - closing a closed step leaves its first outcome and returns true;
 * - false means one thing only: the lease is lost.
 * Closing a key that was never opened, or a second key under a `seq` that is in use, is a bug and throws.
 *
 * A fenced statement holds the run's row while it writes. Without that a database with several writers may judge the
 * fence by a snapshot from before a claim that has committed meanwhile.
 *
 * Each statement has one text, whatever is null in it, so that it is compiled once.
 */
import { sql, type ExpressionBuilder, type Kysely, type SelectQueryBuilder } from "kysely";
import type {
  Durability,
  FinishedStep,
  Lease,
  OpenedStep,
  RunStore,
  StepOutcome,
  Step,
} from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { toColumn, toRequiredColumn, fromColumn } from "../json-column.ts";
import { isHeld } from "./lease.ts";
import { createStepPages } from "./step-pages.ts";
import { placeResult, readResult, writeWithResult } from "./step-results.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Database, StepRow } from "../database.ts";

type Steps = Pick<
  RunStore,
  | "openStep"
  | "closeStep"
  | "recordStep"
  | "steps"
  | "step"
  | "stepPage"
  | "stepCount"
  | "stepArgs"
  | "stepResult"
>;

export function createSteps(context: StoreContext): Steps {
  return {
    ...createStepPages(context),
    openStep: (lease, step) => openStep(context, lease, step),
    closeStep: (lease, key, outcome) => closeStep(context, lease, key, outcome),
    recordStep: (lease, step, durability) => recordStep(context, lease, step, durability),
    stepResult: (runId, key) => readResult(context, runId, key),
    async step(runId, number) {
      const row = await context.db
        .selectFrom("steps")
        .selectAll()
        .where("run_id", "=", runId)
        .orderBy("seq")
        .limit(1)
        .offset(Math.max(0, number - 1))
        .executeTakeFirst();
      return row === undefined ? undefined : stepOf(row);
    },
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

async function openStep(context: StoreContext, lease: Lease, step: OpenedStep): Promise<boolean> {
  const { db, clock } = context;
  const row = await insertStep(context, db, lease, {
    key: step.key,
    seq: step.seq,
    tool: step.tool,
    args: toRequiredColumn(step.args),
    status: step.status ?? "sent",
    result: null,
    result_bytes: null,
    value_id: null,
    error: null,
    started_at: clock.now(),
    finished_at: null,
    end_seq: null,
    clock_at: null,
  });
  return row !== undefined;
}

async function recordStep(
  context: StoreContext,
  lease: Lease,
  step: FinishedStep,
  durability: Durability = "disk",
): Promise<boolean> {
  const placed = placeResult(context, step.result);
  const row: NewStep = {
    key: step.key,
    seq: step.seq,
    tool: step.tool,
    args: toRequiredColumn(step.args),
    status: step.status,
    ...placed.columns,
    error: toColumn(step.error),
    started_at: step.startedAt,
    finished_at: step.finishedAt,
    end_seq: step.endSeq,
    clock_at: step.clockAt,
  };
  const into = durability === "process" ? context.light : context.db;
  return writeWithResult(into, placed, (db) => insertStep(context, db, lease, row));
}

async function closeStep(
  context: StoreContext,
  lease: Lease,
  key: string,
  outcome: StepOutcome,
): Promise<boolean> {
  const placed = placeResult(context, outcome.result);
  const columns: EndColumns = {
    status: outcome.status,
    ...placed.columns,
    error: toColumn(outcome.error),
    finished_at: outcome.finishedAt,
    end_seq: outcome.endSeq,
    clock_at: outcome.clockAt,
  };
  const isClosed = await writeWithResult(context.db, placed, (db) =>
    endStep(context, db, lease, key, columns),
  );
  if (isClosed) return true;
  // A fence never comes back: held now means held then, so what was missing is the step.
  const held = await context.db.selectFrom("runs").select("id").where(isHeld(lease)).executeTakeFirst();
  if (held !== undefined) throw new Error(`step ${key} of run ${lease.runId} is closed but was never opened`);
  return false;
}

type NewStep = Omit<StepRow, "run_id" | "from_run_id">;

type EndColumns = Pick<
  StepRow,
  "status" | "result" | "result_bytes" | "value_id" | "error" | "finished_at" | "end_seq" | "clock_at"
>;

/** The row that has the key, new or old; undefined when the lease is lost. */
function insertStep(
  { holdRows }: StoreContext,
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
        holdRows(
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
        ),
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
function endStep(
  { holdRows }: StoreContext,
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
    .where((eb) => eb.exists(holdRows(eb.selectFrom("runs").select("runs.id").where(isHeld(lease)))))
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

function stepOf(row: StepRow): Step {
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
