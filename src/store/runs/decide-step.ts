import type { JsonObject } from "../../core/json.ts";
import type { DecideOutcome, Decision } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { StepRow } from "../database.ts";
import { toColumn } from "../json-column.ts";
import { selectNextSeq } from "./step-seq.ts";

/**
 * One statement: of two answers at once one is late, and so is an answer to a run that was claimed, has ended or goes
 * on elsewhere. The run itself stays paused; the run that goes on from it finds the answer in its journal.
 */
export async function decideStep(
  { db, clock }: StoreContext,
  runId: string,
  key: string,
  decision: Decision,
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

function answerOf({ isApproved, by }: Decision, now: number): Pick<StepRow, "status" | "result" | "error"> {
  const at = new Date(now).toISOString();
  if (isApproved) return { status: "succeeded", result: toColumn({ approved: true, by, at }), error: null };
  const error: JsonObject = { code: "CANCELLED", reason: "denied", message: `${by} said no.`, by, at };
  return { status: "failed", result: null, error: toColumn(error) };
}
