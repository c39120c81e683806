/**
 * Runs and who owns them. A lease is a run's id and its fence; every write of an owner is one statement, or a
 * transaction that begins with one, that also asks whether the fence is still its own and the run still running. A
 * claim makes the fence grow, so an owner that was frozen and wakes up can write nothing. Whether a lease has run out
 * is decided by the database's clock alone, unless the claimant knows that its owner is gone, or the owner is a replica.
 */
import type { InsertObject, Kysely } from "kysely";
import { RepertoireError } from "../../core/errors.ts";
import type {
  ClaimGrounds,
  Durability,
  Run,
  NewRun,
  RunStore,
  DecideOutcome,
  QuestionAnswer,
  Lease,
} from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { isFree, isHeld, leaseEnd, lockRun } from "./lease.ts";
import { createRunCounts } from "./count-runs.ts";
import { createRunLists } from "./list-runs.ts";
import { createQueuedRuns, wakeBackground } from "./queued-runs.ts";
import { resumeRun } from "./resume-run.ts";
import { newRunOf, runOf } from "./run-rows.ts";
import { createSteps, selectNextSeq } from "./steps.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Database, RunRow, StepRow } from "../database.ts";
import { toColumn } from "../json-column.ts";
import { addUse } from "../capabilities/capability-use.ts";

export function createRunStore(context: StoreContext): RunStore {
  const { db } = context;
  return {
    ...createSteps(context),
    ...createRunLists(context),
    ...createRunCounts(context),
    ...createCancelRequests(context),
    ...createQueuedRuns(context),
    newId: context.newId,
    start: (newRun, owner, leaseMs, durability) => startRun(context, newRun, owner, leaseMs, durability),
    record: (newRun, end, durability) => recordRun(context, newRun, end, durability),
    settle: () => context.settle(),
    resume: (fromRunId, newRun, taken, owner, leaseMs) =>
      resumeRun(context, fromRunId, newRun, taken, owner, leaseMs),
    claim: (id, owner, leaseMs, grounds = {}) => claimRun(context, id, owner, leaseMs, grounds),
    finish: (lease, end, durability) => finishRun(context, lease, end, durability),
    decide: (runId, key, decision) => decideStep(context, runId, key, decision),
    async find(id) {
      const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : runOf(row);
    },
    async renew(lease, leaseMs) {
      const { numUpdatedRows } = await db
        .updateTable("runs")
        .set({ lease_until: leaseEnd(context, leaseMs) })
        .where(isHeld(lease))
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}

function databaseFor({ db, light }: StoreContext, durability: Durability = "disk"): Kysely<Database> {
  return durability === "process" ? light : db;
}

async function startRun(
  context: StoreContext,
  newRun: NewRun,
  owner: string,
  leaseMs: number,
  durability: Durability | undefined,
): Promise<Run> {
  const lease = { lease_owner: owner, lease_until: leaseEnd(context, leaseMs) };
  // The id is made before the first attempt: a repeated one finds the row of the one before.
  const row = { ...newRunOf(context, newRun, null), ...lease };
  return runOf(await context.attempt(() => insertRun(databaseFor(context, durability), row)));
}

function insertRun(db: Kysely<Database>, row: InsertObject<Database, "runs">): Promise<RunRow> {
  return db
    .insertInto("runs")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet((eb) => ({ fence: eb.ref("runs.fence") })))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A repeated attempt counts no use twice: it comes only after one that was rolled back, or it finds the row. */
async function recordRun(
  context: StoreContext,
  newRun: NewRun,
  end: End,
  durability: Durability | undefined,
): Promise<Run> {
  const { clock, attempt } = context;
  const db = databaseFor(context, durability);
  const now = clock.now();
  const row = { ...newRunOf(context, newRun, null), ...endColumns(end, now) };
  const { use } = end;
  if (use === undefined) return runOf(await attempt(() => insertRun(db, row)));
  const insert = (): Promise<RunRow> =>
    db.transaction().execute(async (trx) => {
      const inserted = await insertRun(trx, row);
      await addUse(trx, use.capabilityId, use, now);
      return inserted;
    });
  const isThere = () => db.selectFrom("runs").selectAll().where("id", "=", row.id).executeTakeFirst();
  return runOf(await attempt(async (count) => (count > 1 ? await isThere() : undefined) ?? (await insert())));
}

/** Not repeated where its outcome is not known: it counts as not taken, and the lease of a claim is short. */
async function claimRun(
  context: StoreContext,
  id: string,
  owner: string,
  leaseMs: number,
  grounds: ClaimGrounds,
): Promise<Run | undefined> {
  const claim = () => claimOnce(context, id, owner, leaseMs, grounds);
  try {
    return await context.attempt(claim, { canRepeat: false });
  } catch (error) {
    if (error instanceof RepertoireError && error.code === "STORE_UNCERTAIN") return undefined;
    throw error;
  }
}

async function claimOnce(
  context: StoreContext,
  id: string,
  owner: string,
  leaseMs: number,
  grounds: ClaimGrounds,
): Promise<Run | undefined> {
  const now = context.clock.now();
  const row = await context.db
    .updateTable("runs")
    .set((eb) => {
      // A run that was queued begins now, and the queue sees at once that it is under way.
      const ifQueued = (column: "started_at" | "clock_at" | "wake_at") =>
        eb.case().when("status", "=", "queued").then(now).else(eb.ref(column)).end();
      return {
        status: "running",
        lease_owner: owner,
        lease_until: leaseEnd(context, leaseMs),
        fence: eb("fence", "+", 1),
        started_at: ifQueued("started_at").$castTo<number>(),
        clock_at: ifQueued("clock_at").$castTo<number>(),
        wake_at: ifQueued("wake_at"),
      };
    })
    .where("id", "=", id)
    .where("status", "in", ["queued", "running", "paused"])
    .where(isFree(context, grounds))
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : runOf(row);
}

/**
 * Of two answers at once one is late, and so is an answer to a run that was claimed, has ended or goes on elsewhere: the
 * run's row is locked first, as it is by who resumes or claims it. The run itself stays paused; the run that goes on from
 * it finds the answer in its journal.
 */
async function decideStep(
  context: StoreContext,
  runId: string,
  key: string,
  decision: QuestionAnswer,
): Promise<DecideOutcome> {
  const { db, clock, attempt } = context;
  const now = clock.now();
  const answer = answerOf(decision, now);
  const isDecided = await attempt(async (count) => {
    const isWritten = await db.transaction().execute(async (trx) => {
      await lockRun(context, trx, runId);
      if (!(await writeAnswer(trx, runId, key, answer, now))) return false;
      if (decision.isApproved) await wakeBackground(context, trx, runId, now);
      return true;
    });
    return isWritten || (count > 1 && (await hasAnswer(db, runId, key, answer)));
  });
  return { kind: isDecided ? "decided" : "late" };
}

type Answer = Pick<StepRow, "status" | "result" | "error">;

/** After an answer was lost: whether it is the one on record. The time in it tells it from an equal one. */
async function hasAnswer(db: Kysely<Database>, runId: string, key: string, answer: Answer): Promise<boolean> {
  const row = await db
    .selectFrom("steps")
    .select(["status", "result", "error"])
    .where("run_id", "=", runId)
    .where("key", "=", key)
    .executeTakeFirst();
  return row?.status === answer.status && row.result === answer.result && row.error === answer.error;
}

async function writeAnswer(
  db: Kysely<Database>,
  runId: string,
  key: string,
  answer: Answer,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("steps")
    .set({ ...answer, finished_at: now, end_seq: selectNextSeq(db, runId) })
    .where("steps.run_id", "=", runId)
    .where("steps.key", "=", key)
    .where("steps.status", "=", "waiting")
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("runs")
          .select("runs.id")
          .where("runs.id", "=", runId)
          .where("runs.status", "=", "paused"),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("runs as next")
            .select("next.resumed_from_run_id")
            .where("next.resumed_from_run_id", "=", runId),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function answerOf({ isApproved, by }: QuestionAnswer, now: number): Answer {
  const at = new Date(now).toISOString();
  if (isApproved) return { status: "succeeded", result: toColumn({ approved: true, by, at }), error: null };
  const error: JsonObject = { code: "CANCELLED", reason: "denied", message: `${by} said no.`, by, at };
  return { status: "failed", result: null, error: toColumn(error) };
}

type End = Parameters<RunStore["finish"]>[1];

/**
 * The end of a run. Alone it is one fenced statement. With a use, or a time to go on, it is one transaction whose first statement is that
 * same one: it asks for the fence and, on PostgreSQL, locks the run's row, so either everything is written or nothing
 * is.
 */
function finishRun(
  context: StoreContext,
  lease: Lease,
  end: End,
  durability: Durability | undefined,
): Promise<boolean> {
  const { clock, attempt } = context;
  const db = databaseFor(context, durability);
  const { use, wakeAt } = end;
  const now = clock.now();
  const finish = (): Promise<boolean> => {
    if (use === undefined && wakeAt === undefined) return endRun(db, lease, end, now);
    return db.transaction().execute(async (trx) => {
      if (!(await endRun(trx, lease, end, now))) return false;
      if (use !== undefined) await addUse(trx, use.capabilityId, use, now);
      if (wakeAt !== undefined) await context.enqueue(trx, lease.runId, wakeAt);
      return true;
    });
  };
  return attempt(async (count) => (await finish()) || (count > 1 && (await hasEnded(db, lease, end))));
}

/** After an answer was lost: a claim would have changed the fence, so an end under this one is our own. */
async function hasEnded(db: Kysely<Database>, { runId, fence }: Lease, { status }: End): Promise<boolean> {
  const row = await db
    .selectFrom("runs")
    .select("id")
    .where("id", "=", runId)
    .where("fence", "=", fence)
    .where("status", "=", status)
    .executeTakeFirst();
  return row !== undefined;
}

async function endRun(db: Kysely<Database>, lease: Lease, end: End, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("runs")
    .set(endColumns(end, now))
    .where(isHeld(lease))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** A paused run has not finished, and without a lease anyone may claim it. */
function endColumns({ status, result, error, logs = [], wakeAt, attemptCount }: End, now: number) {
  return {
    status,
    result: toColumn(result),
    error: toColumn(error),
    logs: logs.length === 0 ? null : toColumn(logs as unknown as Json),
    finished_at: status === "paused" ? null : now,
    lease_owner: null,
    lease_until: null,
    wake_at: wakeAt ?? null,
    ...(attemptCount !== undefined && { attempt_count: attemptCount }),
  };
}

/** Wishes to end a run, for the process that owns it: it alone knows what is under way. */
function createCancelRequests({ db }: StoreContext): Pick<RunStore, "requestCancel" | "cancelRequests"> {
  return {
    async requestCancel(runId, by) {
      const { numUpdatedRows } = await db
        .updateTable("runs")
        .set((eb) => ({ cancel_by: eb.fn.coalesce("cancel_by", eb.val(by)) }))
        .where("id", "=", runId)
        .where("status", "=", "running")
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async cancelRequests(owner) {
      const rows = await db
        .selectFrom("runs")
        .select(["id", "cancel_by"])
        .where("lease_owner", "=", owner)
        .where("cancel_by", "is not", null)
        .where("status", "=", "running")
        .execute();
      return rows.map(({ id, cancel_by: by }) => ({ runId: id, by: by! }));
    },
  };
}
