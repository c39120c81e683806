/**
 * Runs and who owns them. A lease is a run's id and its fence; every write of an owner is one statement, or a
 * transaction that begins with one, that also asks whether the fence is still its own and the run still running. A
 * claim makes the fence grow, so an owner that was frozen and wakes up can write nothing. Whether a lease has run out
 * is decided by the database's clock alone, unless the claimant knows that its owner is gone.
 */
import type { Run, NewRun, RunStore } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { decideStep } from "./decide-step.ts";
import { finishRun } from "./finish-run.ts";
import { isHeld, leaseEnd } from "./lease.ts";
import { createRunLists } from "./list-runs.ts";
import { resumeRun } from "./resume-run.ts";
import { newRunOf, runOf } from "./run-rows.ts";
import { createSteps } from "./steps.ts";

export function createRunStore(context: StoreContext): RunStore {
  const { db } = context;
  return {
    ...createSteps(context),
    ...createRunLists(context),
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
