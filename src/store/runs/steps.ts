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
import {
  prepareEnd,
  prepareInsert,
  type NewStep,
  type StepEnd,
  type StepValueId,
} from "./step-statements.ts";
import { placeResult, readResult, writeWithin, writeWithResult, type PlacedResult } from "./step-results.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ServerTask } from "../../core/tool.ts";
import type { Database, StepRow } from "../database.ts";

type Steps = Pick<
  RunStore,
  | "openStep"
  | "noteTask"
  | "closeStep"
  | "recordStep"
  | "recordSteps"
  | "steps"
  | "step"
  | "stepPage"
  | "stepCount"
  | "stepArgs"
  | "stepResult"
>;

export function createSteps(base: StoreContext): Steps {
  const context: StepContext = { ...base, insertStep: prepareInsert(base), endStep: prepareEnd(base) };
  return {
    ...createStepPages(context),
    openStep: (lease, step) => openStep(context, lease, step),
    noteTask: (lease, key, task) => noteTask(context, lease, key, task),
    closeStep: (lease, key, outcome) => closeStep(context, lease, key, outcome),
    recordStep: (lease, step, durability) => recordSteps(context, lease, [step], durability),
    recordSteps: (lease, steps, durability) => recordSteps(context, lease, steps, durability),
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

interface StepContext extends StoreContext {
  readonly insertStep: ReturnType<typeof prepareInsert>;
  readonly endStep: ReturnType<typeof prepareEnd>;
}

async function openStep(
  { db, clock, insertStep }: StepContext,
  lease: Lease,
  step: OpenedStep,
): Promise<boolean> {
  const { rows } = await insertStep(db, {
    ...lease,
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
  return rows.length > 0;
}

/** In the column of errors, which an open step has no other use for: its end writes over it. */
async function noteTask(
  { db, holdRows }: StepContext,
  lease: Lease,
  key: string,
  task: ServerTask,
): Promise<boolean> {
  const error = toColumn({ task: { ...task } });
  const held = (eb: ExpressionBuilder<Database, "steps">) =>
    eb.exists(holdRows(eb.selectFrom("runs").select("runs.id").where(isHeld(lease))));
  const noted = await db
    .updateTable("steps")
    .set((eb) => ({
      error: eb.case().when("finished_at", "is", null).then(error).else(eb.ref("error")).end(),
    }))
    .where("run_id", "=", lease.runId)
    .where("key", "=", key)
    .where(held)
    .executeTakeFirst();
  return noted.numUpdatedRows > 0n;
}

async function recordSteps(
  context: StepContext,
  lease: Lease,
  steps: readonly FinishedStep[],
  durability: Durability = "disk",
): Promise<boolean> {
  const into = durability === "process" ? context.light : context.db;
  const placed = steps.map((step) => placeStep(context, lease, step));
  const [first] = placed;
  if (first === undefined) return true;
  if (placed.length === 1) return writeWithResult(into, first, (db) => insertPlaced(context, db, first));
  return into.transaction().execute(async (trx) => {
    for (const step of placed) {
      // The first holds the row of the run: where it is written, so are all.
      if (!(await writeWithin(trx, step, () => insertPlaced(context, trx, step)))) return false;
    }
    return true;
  });
}

interface PlacedStep extends PlacedResult {
  readonly row: NewStep;
}

function placeStep(context: StepContext, lease: Lease, step: FinishedStep): PlacedStep {
  const placed = placeResult(context, step.result);
  const row: NewStep = {
    ...lease,
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
  return { ...placed, row };
}

async function insertPlaced(
  { insertStep }: StepContext,
  db: Kysely<Database>,
  { row }: PlacedStep,
): Promise<StepValueId | undefined> {
  return (await insertStep(db, row)).rows[0];
}

async function closeStep(
  context: StepContext,
  lease: Lease,
  key: string,
  outcome: StepOutcome,
): Promise<boolean> {
  const placed = placeResult(context, outcome.result);
  const end: StepEnd = {
    ...lease,
    key,
    status: outcome.status,
    ...placed.columns,
    error: toColumn(outcome.error),
    finished_at: outcome.finishedAt,
    end_seq: outcome.endSeq,
    clock_at: outcome.clockAt,
  };
  const isClosed = await writeWithResult(
    context.db,
    placed,
    async (db) => (await context.endStep(db, end)).rows[0],
  );
  if (isClosed) return true;
  // A fence never comes back: held now means held then, so what was missing is the step.
  const held = await context.db.selectFrom("runs").select("id").where(isHeld(lease)).executeTakeFirst();
  if (held !== undefined) throw new Error(`step ${key} of run ${lease.runId} is closed but was never opened`);
  return false;
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
