import type { Insertable } from "kysely";
import { canonicalJson, DATA_LIMITS, hashText, type JsonObject } from "../../core/json.ts";
import type { NewRun, Run, RunLogLine, RunSummary } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { RunRow } from "../database.ts";
import { fromColumn } from "../json-column.ts";

/** Whatever can be large is left out, so that a list reads none of it. */
export const SUMMARY_COLUMNS = [
  "id",
  "org",
  "project",
  "kind",
  "capability_id",
  "capability_version",
  "intent",
  "status",
  "error",
  "parent_run_id",
  "parent_step",
  "resumed_from_run_id",
  "principal",
  "session",
  "client",
  "cancel_by",
  "mode",
  "profile",
  "wake_at",
  "attempt_count",
  "timeout_ms",
  "seed",
  "clock_at",
  "lease_owner",
  "lease_until",
  "fence",
  "started_at",
  "finished_at",
] as const satisfies readonly (keyof RunRow)[];

export type RunSummaryRow = Pick<RunRow, (typeof SUMMARY_COLUMNS)[number]>;

/** A run that begins now, without its lease. */
export function newRunOf(
  { clock, newId }: StoreContext,
  newRun: NewRun,
  resumedFromRunId: string | null,
): Omit<Insertable<RunRow>, "lease_owner" | "lease_until"> {
  return {
    id: newRun.begun?.id ?? newId(),
    org: newRun.scope.org,
    project: newRun.scope.project,
    kind: newRun.kind,
    source: newRun.source ?? null,
    capability_id: newRun.capabilityId ?? null,
    capability_version: newRun.capabilityVersion ?? null,
    intent: newRun.intent ?? null,
    inputs: canonicalJson(newRun.inputs, DATA_LIMITS),
    status: "running",
    parent_run_id: newRun.parentRunId ?? null,
    parent_step: newRun.parentStep ?? null,
    resumed_from_run_id: resumedFromRunId,
    principal: newRun.principal ?? null,
    session: newRun.session ?? null,
    client: newRun.client ?? null,
    logs: null,
    cancel_by: null,
    mode: newRun.mode ?? "foreground",
    profile: newRun.profile ?? null,
    wake_at: null,
    attempt_count: newRun.attemptCount ?? 0,
    timeout_ms: newRun.timeoutMs ?? null,
    start_key: null,
    seed: newRun.seed,
    clock_at: newRun.clockAt,
    fence: 1,
    started_at: newRun.begun?.at ?? clock.now(),
    result: null,
    error: null,
    finished_at: null,
    source_hash: newRun.source == null ? null : hashText(newRun.source),
  };
}

export function runOf(row: RunRow): Run {
  return {
    ...summaryOf(row),
    source: row.source,
    inputs: fromColumn(row.inputs) as JsonObject,
    result: fromColumn(row.result),
    logs: (fromColumn(row.logs) ?? []) as unknown as RunLogLine[],
  };
}

export function summaryOf(row: RunSummaryRow): RunSummary {
  return {
    id: row.id,
    scope: { org: row.org, project: row.project },
    kind: row.kind,
    capabilityId: row.capability_id,
    capabilityVersion: row.capability_version,
    intent: row.intent,
    status: row.status,
    error: fromColumn(row.error) as JsonObject | null,
    parentRunId: row.parent_run_id,
    parentStep: row.parent_step,
    resumedFromRunId: row.resumed_from_run_id,
    principal: row.principal,
    session: row.session,
    client: row.client,
    cancelBy: row.cancel_by,
    mode: row.mode,
    profile: row.profile,
    wakeAt: row.wake_at,
    attemptCount: row.attempt_count,
    timeoutMs: row.timeout_ms,
    seed: row.seed,
    clockAt: row.clock_at,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    fence: row.fence,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
