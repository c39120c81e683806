/**
 * Going on from a run, in one transaction. The first statement takes the place of its successor, of which the database
 * allows one: the second caller learns who was first and writes nothing. Then the steps come over, so a run that is
 * there has all that it goes on from. Large results are shared and not copied.
 */
import type { Transaction } from "kysely";
import type { ResumeOutcome, NewRun, TakenSteps } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database, RunRow } from "../database.ts";
import { leaseEnd } from "./lease.ts";
import { toColumn } from "../json-column.ts";
import { newRunOf, runOf } from "./run-rows.ts";
import { placeResult } from "./step-results.ts";
import { copyEndedSteps, leaveBehind, takeDecided, type DecidedStep } from "./taken-steps.ts";

export async function resumeRun(
  context: StoreContext,
  fromRunId: string,
  newRun: NewRun,
  { except, decided }: TakenSteps,
  owner: string,
  leaseMs: number,
): Promise<ResumeOutcome> {
  // Before the transaction: other processes should not wait for our JSON.
  const answers = decided.map(({ key, result, note }): DecidedStep => ({
    key,
    note: toColumn(note),
    ...placeResult(context, result),
  }));
  return context.db.transaction().execute(async (trx): Promise<ResumeOutcome> => {
    const row = await insertSuccessor(trx, context, fromRunId, newRun, owner, leaseMs);
    if (row === undefined) return { kind: "superseded", byRunId: await findSuccessorId(trx, fromRunId) };
    const way = { fromRunId, runId: row.id };
    await copyEndedSteps(trx, way);
    await leaveBehind(trx, way, except);
    await takeDecided(trx, way, answers, context.clock.now());
    return { kind: "resumed", run: runOf(row) };
  });
}

function insertSuccessor(
  trx: Transaction<Database>,
  context: StoreContext,
  fromRunId: string,
  newRun: NewRun,
  owner: string,
  leaseMs: number,
): Promise<RunRow | undefined> {
  return trx
    .insertInto("runs")
    .values({
      ...newRunOf(context, newRun, fromRunId),
      lease_owner: owner,
      lease_until: leaseEnd(context, leaseMs),
    })
    .onConflict((conflict) =>
      conflict.column("resumed_from_run_id").where("resumed_from_run_id", "is not", null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
}

async function findSuccessorId(trx: Transaction<Database>, fromRunId: string): Promise<string> {
  const row = await trx
    .selectFrom("runs")
    .select("id")
    .where("resumed_from_run_id", "=", fromRunId)
    .executeTakeFirstOrThrow();
  return row.id;
}
