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
 */
import type { FinishedStep, Lease, OpenedStep, RunStore, StepOutcome } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { toColumn, toRequiredColumn } from "../json-column.ts";
import { isHeld } from "./lease.ts";
import { endStep, insertStep, stepOf, type EndColumns, type NewStep } from "./step-rows.ts";
import { placeResult, readResult, writeWithResult } from "./step-results.ts";

type Steps = Pick<RunStore, "openStep" | "closeStep" | "recordStep" | "steps" | "stepResult">;

export function createSteps(context: StoreContext): Steps {
  return {
    openStep: (lease, step) => openStep(context, lease, step),
    closeStep: (lease, key, outcome) => closeStep(context, lease, key, outcome),
    recordStep: (lease, step) => recordStep(context, lease, step),
    stepResult: (runId, key) => readResult(context, runId, key),
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

async function openStep({ db, clock }: StoreContext, lease: Lease, step: OpenedStep): Promise<boolean> {
  const row = await insertStep(db, lease, {
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

async function recordStep(context: StoreContext, lease: Lease, step: FinishedStep): Promise<boolean> {
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
  return writeWithResult(context.db, placed, (db) => insertStep(db, lease, row));
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
  const isClosed = await writeWithResult(context.db, placed, (db) => endStep(db, lease, key, columns));
  if (isClosed) return true;
  // A fence never comes back: held now means held then, so what was missing is the step.
  const held = await context.db.selectFrom("runs").select("id").where(isHeld(lease)).executeTakeFirst();
  if (held !== undefined) throw new Error(`step ${key} of run ${lease.runId} is closed but was never opened`);
  return false;
}
