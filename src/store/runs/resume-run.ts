/**
 * Going on from a run, in one transaction. After the lock, the first statement takes the place of its successor, of which the database
 * allows one: the second caller learns who was first and writes nothing. Then the steps come over, so a run that is
 * there has all that it goes on from. Large results are shared and not copied.
 *
 * The steps taken over are rows of their own, so that the journal of a run is whole by itself, and each names the run
 * that made its call, also after several runs. Keys are handled one at a time: a statement for each number of them would
 * fill the cache of compiled ones.
 */
import type { Transaction } from "kysely";
import type { ResumeOutcome, NewRun, StepStatus, TakenSteps } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database, RunRow } from "../database.ts";
import { leaseEnd, lockRun } from "./lease.ts";
import { toColumn } from "../json-column.ts";
import { LOOK_AFTER_MS } from "./queued-runs.ts";
import { newRunOf, runOf } from "./run-rows.ts";
import { placeResult, insertValue, type PlacedResult } from "./step-results.ts";
import { selectNextSeq } from "./steps.ts";

export async function resumeRun(
  context: StoreContext,
  fromRunId: string,
  newRun: NewRun,
  { except, going = [], decided }: TakenSteps,
  owner: string,
  leaseMs: number,
): Promise<ResumeOutcome> {
  // Before the transaction: other processes should not wait for our JSON.
  const answers = decided.map(({ key, result, note }): DecidedStep => ({
    key,
    note: toColumn(note),
    ...placeResult(context, result),
  }));
  // The id is made before the first attempt: a repeated one finds the row of the one before.
  const made = newRunOf(context, newRun, fromRunId);
  // A background run stays in the queue while it is under way.
  const row = made.mode === "background" ? { ...made, wake_at: context.clock.now() } : made;
  const resume = async (trx: Transaction<Database>): Promise<ResumeOutcome> => {
    await lockRun(context, trx, fromRunId);
    const inserted = await insertSuccessor(trx, context, row, owner, leaseMs);
    if (inserted === undefined) return readSuccessor(trx, fromRunId, row.id);
    await leaveQueue(trx, fromRunId);
    // One that the queue did not bring has nothing there that would find it if its process died.
    if (row.mode === "background" && row.attempt_count === 0)
      await context.enqueue(trx, row.id, context.clock.now() + LOOK_AFTER_MS);
    const way = { fromRunId, runId: row.id };
    await copySteps(trx, way, { status: ["succeeded", "failed"] });
    await leaveBehind(trx, way, except);
    for (const key of going) await copySteps(trx, way, { status: ["sent"], key });
    await takeDecided(trx, way, answers, context.clock.now());
    return { kind: "resumed", run: runOf(inserted) };
  };
  return context.attempt(() => context.db.transaction().execute(resume));
}

/** The new run is in the queue from now on, if any. */
async function leaveQueue(trx: Transaction<Database>, runId: string): Promise<void> {
  await trx
    .updateTable("runs")
    .set({ wake_at: null })
    .where("id", "=", runId)
    .where("wake_at", "is not", null)
    .execute();
}

function insertSuccessor(
  trx: Transaction<Database>,
  context: StoreContext,
  row: ReturnType<typeof newRunOf>,
  owner: string,
  leaseMs: number,
): Promise<RunRow | undefined> {
  return trx
    .insertInto("runs")
    .values({ ...row, lease_owner: owner, lease_until: leaseEnd(context, leaseMs) })
    .onConflict((conflict) =>
      conflict.column("resumed_from_run_id").where("resumed_from_run_id", "is not", null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Another run goes on already, or an attempt of this one whose answer was lost. */
async function readSuccessor(
  trx: Transaction<Database>,
  fromRunId: string,
  ownId: string,
): Promise<ResumeOutcome> {
  const row = await trx
    .selectFrom("runs")
    .selectAll()
    .where("resumed_from_run_id", "=", fromRunId)
    .executeTakeFirstOrThrow();
  return row.id === ownId ? { kind: "resumed", run: runOf(row) } : { kind: "superseded", byRunId: row.id };
}

/** From which run to which. */
interface Way {
  readonly fromRunId: string;
  readonly runId: string;
}

/** A step that has no answer on record, or failed and was left behind, and the answer that somebody decided on. */
interface DecidedStep extends PlacedResult {
  readonly key: string;
  /** What its column of errors says of the decision. */
  readonly note: string | null;
}

const CALL_COLUMNS = ["key", "seq", "tool", "args", "started_at"] as const;
const END_COLUMNS = [
  "status",
  "result",
  "result_bytes",
  "value_id",
  "error",
  "finished_at",
  "end_seq",
  "clock_at",
] as const;

/** No clock: no guest has heard of it yet. */
const DECIDED_COLUMNS = [
  "status",
  "result",
  "result_bytes",
  "value_id",
  "error",
  "finished_at",
  "end_seq",
] as const satisfies readonly (typeof END_COLUMNS)[number][];

/** All that have one of these states, or the one of a key. */
interface Copied {
  readonly status: readonly StepStatus[];
  readonly key?: string;
}

async function copySteps(
  trx: Transaction<Database>,
  { fromRunId, runId }: Way,
  { status, key }: Copied,
): Promise<void> {
  await trx
    .insertInto("steps")
    .columns(["run_id", "from_run_id", ...CALL_COLUMNS, ...END_COLUMNS])
    .expression((eb) =>
      eb
        .selectFrom("steps as old")
        .select((old) => [
          old.val(runId).as("run_id"),
          old.fn.coalesce("old.from_run_id", "old.run_id").as("from_run_id"),
          ...CALL_COLUMNS,
          ...END_COLUMNS,
        ])
        .where("old.run_id", "=", fromRunId)
        .where("old.status", "in", status)
        .$if(key !== undefined, (old) => old.where("old.key", "=", key!)),
    )
    .execute();
}

async function leaveBehind(
  trx: Transaction<Database>,
  { runId }: Way,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys)
    await trx.deleteFrom("steps").where("run_id", "=", runId).where("key", "=", key).execute();
}

/** Each ends after everything in the old run, in the order in which they are given. */
async function takeDecided(
  trx: Transaction<Database>,
  way: Way,
  steps: readonly DecidedStep[],
  now: number,
): Promise<void> {
  if (steps.length === 0) return;
  const { next } = await selectNextSeq(trx, way.fromRunId).executeTakeFirstOrThrow();
  for (const [i, step] of steps.entries()) {
    const isTaken = await insertDecided(trx, way, step, { finished_at: now, end_seq: next + i });
    if (isTaken && step.value !== undefined) await insertValue(trx, step.value);
    if (!isTaken) await requireStep(trx, way.fromRunId, step.key);
  }
}

async function insertDecided(
  trx: Transaction<Database>,
  { fromRunId, runId }: Way,
  { key, columns, note }: DecidedStep,
  end: { readonly finished_at: number; readonly end_seq: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("steps")
    .columns(["run_id", "from_run_id", ...CALL_COLUMNS, ...DECIDED_COLUMNS])
    .expression((eb) =>
      eb
        .selectFrom("steps as old")
        .select((old) => [
          old.val(runId).as("run_id"),
          old.fn.coalesce("old.from_run_id", "old.run_id").as("from_run_id"),
          ...CALL_COLUMNS,
          old.val("succeeded").as("status"),
          old.val(columns.result).as("result"),
          old.val(columns.result_bytes).as("result_bytes"),
          old.val(columns.value_id).as("value_id"),
          old.val(note).as("error"),
          old.val(end.finished_at).as("finished_at"),
          old.val(end.end_seq).as("end_seq"),
        ])
        .where("old.run_id", "=", fromRunId)
        .where("old.key", "=", key)
        .where("old.status", "in", ["sent", "waiting", "failed"]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** A step that was answered after the decision keeps its answer; one that was never opened is a bug of the caller. */
async function requireStep(trx: Transaction<Database>, runId: string, key: string): Promise<void> {
  const step = await trx
    .selectFrom("steps")
    .select("key")
    .where("run_id", "=", runId)
    .where("key", "=", key)
    .executeTakeFirst();
  if (step === undefined) throw new Error(`step ${key} of run ${runId} is decided but was never opened`);
}
