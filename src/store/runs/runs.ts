/**
 * Runs and who owns them. A lease is a run's id and its fence; every write of an owner is one statement, or a
 * transaction that begins with one, that also asks whether the fence is still its own and the run still running. A
 * claim makes the fence grow, so an owner that was frozen and wakes up can write nothing. Whether a lease has run out
 * is decided by the database's clock alone, unless the claimant knows that its owner is gone.
 */
import type { Kysely } from "kysely";
import type { Run, NewRun, RunStore, DecideOutcome, QuestionAnswer, Lease } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { isHeld, leaseEnd } from "./lease.ts";
import { createRunCounts } from "./count-runs.ts";
import { createRunLists } from "./list-runs.ts";
import { resumeRun } from "./resume-run.ts";
import { newRunOf, runOf } from "./run-rows.ts";
import { createSteps, selectNextSeq } from "./steps.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { StepRow, Database } from "../database.ts";
import { toColumn } from "../json-column.ts";
import { addUse } from "../capabilities/capability-use.ts";

export function createRunStore(context: StoreContext): RunStore {
  const { db } = context;
  return {
    ...createSteps(context),
    ...createRunLists(context),
    ...createRunCounts(context),
    ...createCancelRequests(context),
    start: (newRun, owner, leaseMs) => startRun(context, newRun, owner, leaseMs),
    resume: (fromRunId, newRun, taken, owner, leaseMs) =>
      resumeRun(context, fromRunId, newRun, taken, owner, leaseMs),
    claim: (id, owner, leaseMs, gone) => claimRun(context, id, owner, leaseMs, gone),
    finish: (lease, end) => finishRun(context, lease, end),
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

async function startRun(context: StoreContext, newRun: NewRun, owner: string, leaseMs: number): Promise<Run> {
  const row = await context.db
    .insertInto("runs")
    .values({
      ...newRunOf(context, newRun, null),
      lease_owner: owner,
      lease_until: leaseEnd(context, leaseMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return runOf(row);
}

async function claimRun(
  context: StoreContext,
  id: string,
  owner: string,
  leaseMs: number,
  gone: string | undefined,
): Promise<Run | undefined> {
  const row = await context.db
    .updateTable("runs")
    .set((eb) => ({
      status: "running",
      lease_owner: owner,
      lease_until: leaseEnd(context, leaseMs),
      fence: eb("fence", "+", 1),
    }))
    .where("id", "=", id)
    .where("status", "in", ["running", "paused"])
    .where((eb) =>
      eb.or([
        eb("lease_until", "is", null),
        eb("lease_until", "<=", context.databaseNow),
        ...(gone === undefined ? [] : [eb("lease_owner", "=", gone)]),
      ]),
    )
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : runOf(row);
}

/**
 * One statement: of two answers at once one is late, and so is an answer to a run that was claimed, has ended or goes
 * on elsewhere. The run itself stays paused; the run that goes on from it finds the answer in its journal.
 */
async function decideStep(
  { db, clock }: StoreContext,
  runId: string,
  key: string,
  decision: QuestionAnswer,
): Promise<DecideOutcome> {
  const now = clock.now();
  const { numUpdatedRows } = await db
    .updateTable("steps")
    .set({
      ...answerOf(decision, now),
      finished_at: now,
      end_seq: selectNextSeq(db, runId),
    })
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
  return numUpdatedRows > 0n ? { kind: "decided" } : { kind: "late" };
}

function answerOf(
  { isApproved, by }: QuestionAnswer,
  now: number,
): Pick<StepRow, "status" | "result" | "error"> {
  const at = new Date(now).toISOString();
  if (isApproved) return { status: "succeeded", result: toColumn({ approved: true, by, at }), error: null };
  const error: JsonObject = { code: "CANCELLED", reason: "denied", message: `${by} said no.`, by, at };
  return { status: "failed", result: null, error: toColumn(error) };
}

type End = Parameters<RunStore["finish"]>[1];

/**
 * The end of a run. Alone it is one fenced statement. With a use it is one transaction whose first statement is that
 * same one: it asks for the fence and, on PostgreSQL, locks the run's row, so either everything is written or nothing
 * is.
 */
async function finishRun({ db, clock }: StoreContext, lease: Lease, end: End): Promise<boolean> {
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
  { status, result, error, logs = [] }: End,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("runs")
    .set({
      status,
      result: toColumn(result),
      error: toColumn(error),
      logs: logs.length === 0 ? null : toColumn(logs as unknown as Json),
      finished_at: status === "paused" ? null : now,
      lease_owner: null,
      lease_until: null,
    })
    .where(isHeld(lease))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
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
