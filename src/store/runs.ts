/**
 * Runs and who owns them. A lease is a run's id and its fence; every write of an owner is one statement, or a
 * transaction that begins with one, that also asks whether the fence is still its own and the run still running. Whoever
 * claims the run makes the fence grow, so an owner that was frozen and wakes up can write nothing. Whether a lease has run out
 * is decided by the database's clock alone.
 */
import { sql, type RawBuilder } from "kysely";
import { canonicalJson, hashText, type JsonObject } from "../core/json.ts";
import type { Scope } from "../core/names.ts";
import type { Run, RunDraft, RunStore } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import type { RunRow } from "./database.ts";
import { finishRun } from "./finish-run.ts";
import { fromColumn } from "./json-column.ts";
import { isHeld } from "./lease.ts";
import { createSteps } from "./steps.ts";

export function createRunStore(context: StoreContext): RunStore {
  const { db } = context;
  return {
    ...createSteps(context),
    start: (draft, owner, leaseMs) => startRun(context, draft, owner, leaseMs),
    claim: (id, owner, leaseMs) => claimRun(context, id, owner, leaseMs),
    finish: (lease, outcome) => finishRun(context, lease, outcome),
    findSucceeded: (scope, source) => findSucceeded(context, scope, source),
    async find(id) {
      const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : runOf(row);
    },
    async list(scope, { limit, beforeId }) {
      const rows = await db
        .selectFrom("runs")
        .selectAll()
        .where("org", "=", scope.org)
        .where("project", "=", scope.project)
        .$if(beforeId !== undefined, (query) => query.where("id", "<", beforeId ?? ""))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(runOf);
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

async function startRun(
  context: StoreContext,
  draft: RunDraft,
  owner: string,
  leaseMs: number,
): Promise<Run> {
  const row = await context.db
    .insertInto("runs")
    .values({
      id: context.newId(),
      org: draft.scope.org,
      project: draft.scope.project,
      kind: draft.kind,
      source: draft.source ?? null,
      capability_id: draft.capabilityId ?? null,
      capability_version: draft.capabilityVersion ?? null,
      intent: draft.intent ?? null,
      inputs: canonicalJson(draft.inputs),
      status: "running",
      parent_run_id: draft.parentRunId ?? null,
      resumed_from_run_id: draft.resumedFromRunId ?? null,
      seed: draft.seed,
      clock_at: draft.clockAt,
      lease_owner: owner,
      lease_until: leaseEnd(context, leaseMs),
      fence: 1,
      started_at: context.clock.now(),
      result: null,
      error: null,
      finished_at: null,
      source_hash: draft.source == null ? null : hashText(draft.source),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return runOf(row);
}

/** The hash finds it, the text decides. The status is part of the statement's text, or the index is not used. */
async function findSucceeded({ db }: StoreContext, scope: Scope, source: string): Promise<Run | undefined> {
  const row = await db
    .selectFrom("runs")
    .selectAll()
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where("source_hash", "=", hashText(source))
    .where("source", "=", source)
    .where("status", "=", sql.lit("succeeded"))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : runOf(row);
}

async function claimRun(
  context: StoreContext,
  id: string,
  owner: string,
  leaseMs: number,
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
    .where((eb) => eb.or([eb("lease_until", "is", null), eb("lease_until", "<=", context.databaseNow)]))
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : runOf(row);
}

function leaseEnd({ databaseNow }: StoreContext, leaseMs: number): RawBuilder<number> {
  return sql<number>`${databaseNow} + ${leaseMs}`;
}

function runOf(row: RunRow): Run {
  return {
    id: row.id,
    scope: { org: row.org, project: row.project },
    kind: row.kind,
    source: row.source,
    capabilityId: row.capability_id,
    capabilityVersion: row.capability_version,
    intent: row.intent,
    inputs: fromColumn(row.inputs) as JsonObject,
    status: row.status,
    result: fromColumn(row.result),
    error: fromColumn(row.error) as JsonObject | null,
    parentRunId: row.parent_run_id,
    resumedFromRunId: row.resumed_from_run_id,
    seed: row.seed,
    clockAt: row.clock_at,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    fence: row.fence,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
