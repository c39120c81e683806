/**
 * The rows of the queue. A run is in it while `wake_at` has a time: queued, paused until then, interrupted, or under way,
 * so that a process that dies leaves it in the queue. What takes a run up counts first: a run that kills its process is
 * given up after `ATTEMPTS_MAX` attempts, wherever it dies.
 */
import { sql, type ExpressionBuilder, type Transaction, type Updateable } from "kysely";
import { ATTEMPTS_MAX, type QueueStats } from "../../core/run-queue.ts";
import type { Scope } from "../../core/names.ts";
import type { EnqueuedRun, Lease, NewRun, QueueEnd, Run, RunStore, RunSummary } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database, RunRow } from "../database.ts";
import { toColumn } from "../json-column.ts";
import { isHeld } from "./lease.ts";
import { newRunOf, runOf, SUMMARY_COLUMNS, summaryOf } from "./run-rows.ts";

type QueuedRuns = Pick<
  RunStore,
  "enqueue" | "detach" | "take" | "requeue" | "dequeue" | "listDead" | "queueStats"
>;

/** When the queue first looks at a run that it did not bring: most have ended by then. */
export const LOOK_AFTER_MS = 30_000;

/** Part of the text: with a parameter in its place the index of the dead is not used. */
const GIVEN_UP = sql.lit(ATTEMPTS_MAX);

export function createQueuedRuns(context: StoreContext): QueuedRuns {
  return {
    enqueue: (newRun, options) => enqueueRun(context, newRun, options),
    detach: (lease, timeoutMs) => detachRun(context, lease, timeoutMs),
    take: (runId, options) => takeRun(context, runId, options),
    requeue: (runId, at, options) => requeueRun(context, runId, at, options?.attemptCount),
    dequeue: (runId, end) => dequeueRun(context, runId, end),
    listDead: (scope, limit) => listDead(context, scope, limit),
    queueStats: (scope) => readStats(context, scope),
  };
}

async function enqueueRun(
  context: StoreContext,
  newRun: NewRun,
  { startKey, at = context.clock.now() }: { readonly startKey?: string; readonly at?: number } = {},
): Promise<EnqueuedRun> {
  // The id is made before the first attempt: a repeated one finds the row of the one before.
  const row = {
    ...newRunOf(context, { ...newRun, mode: "background" }, null),
    status: "queued" as const,
    lease_owner: null,
    lease_until: null,
    wake_at: at,
    start_key: startKey ?? null,
  };
  return context.attempt(() =>
    context.db.transaction().execute(async (trx) => {
      const inserted = await trx
        .insertInto("runs")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (inserted === undefined) return readEnqueued(trx, row.id, startKey);
      await context.enqueue(trx, row.id, at);
      return { run: runOf(inserted), isNew: true };
    }),
  );
}

/** The run that was there first: an attempt of this one whose answer was lost, or that of the start key. */
async function readEnqueued(
  trx: Transaction<Database>,
  ownId: string,
  startKey: string | undefined,
): Promise<EnqueuedRun> {
  const row = await trx
    .selectFrom("runs")
    .selectAll()
    .where((eb) =>
      eb.or([eb("id", "=", ownId), ...(startKey === undefined ? [] : [eb("start_key", "=", startKey)])]),
    )
    .executeTakeFirstOrThrow();
  return { run: runOf(row), isNew: row.id === ownId };
}

/** Once it is a background run nothing is sent again: a repetition after a lost answer leaves one job. */
function detachRun(context: StoreContext, lease: Lease, timeoutMs: number | null): Promise<boolean> {
  const now = context.clock.now();
  return context.db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable("runs")
      .set({ mode: "background", wake_at: now, timeout_ms: timeoutMs })
      .where(isHeld(lease))
      .where("parent_run_id", "is", null)
      .where("mode", "=", "foreground")
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return isDetached(trx, lease);
    await context.enqueue(trx, lease.runId, now + LOOK_AFTER_MS);
    return true;
  });
}

async function isDetached(trx: Transaction<Database>, lease: Lease): Promise<boolean> {
  const row = await trx
    .selectFrom("runs")
    .select("id")
    .where(isHeld(lease))
    .where("mode", "=", "background")
    .executeTakeFirst();
  return row !== undefined;
}

async function takeRun(
  { db }: StoreContext,
  runId: string,
  { until, dueAt }: { readonly until: number; readonly dueAt?: number },
): Promise<Run | undefined> {
  let update = db
    .updateTable("runs")
    .set((eb) => ({ attempt_count: eb("attempt_count", "+", 1), wake_at: until }))
    .where("id", "=", runId)
    .where("status", "in", ["queued", "paused", "failed"])
    .where("wake_at", "is not", null);
  if (dueAt !== undefined) update = update.where("wake_at", "<=", dueAt);
  const row = await update.returningAll().executeTakeFirst();
  return row === undefined ? undefined : runOf(row);
}

function requeueRun(
  context: StoreContext,
  runId: string,
  at: number | null,
  attemptCount: number | undefined,
): Promise<boolean> {
  const change: Updateable<RunRow> = {
    mode: "background",
    wake_at: at,
    ...(attemptCount !== undefined && { attempt_count: attemptCount }),
  };
  return context.db.transaction().execute(async (trx) => {
    const isChanged = await changeStopped(trx, runId, change, ["queued", "paused", "failed", "cancelled"]);
    if (isChanged && at !== null) await context.enqueue(trx, runId, at);
    return isChanged;
  });
}

function dequeueRun(
  { db, clock }: StoreContext,
  runId: string,
  { end, attemptCount, takenUntil }: QueueEnd = {},
): Promise<boolean> {
  const change: Updateable<RunRow> = {
    wake_at: null,
    ...(attemptCount !== undefined && { attempt_count: attemptCount }),
    ...(end !== undefined && {
      status: end.status,
      error: toColumn(end.error),
      finished_at: clock.now(),
    }),
  };
  const statuses = ["queued", "paused", "failed"] as const;
  return db.transaction().execute((trx) => changeStopped(trx, runId, change, statuses, takenUntil));
}

/** Changes a run that nobody owns and that none goes on from. */
async function changeStopped(
  trx: Transaction<Database>,
  runId: string,
  change: Updateable<RunRow>,
  statuses: readonly RunRow["status"][],
  wakeAt?: number,
): Promise<boolean> {
  let update = trx
    .updateTable("runs")
    .set(change)
    .where("id", "=", runId)
    .where("status", "in", statuses)
    .where(hasNoSuccessor);
  if (wakeAt !== undefined) update = update.where("wake_at", "=", wakeAt);
  const { numUpdatedRows } = await update.executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function hasNoSuccessor(eb: ExpressionBuilder<Database, "runs">) {
  return eb.not(
    eb.exists(
      eb
        .selectFrom("runs as next")
        .select("next.resumed_from_run_id")
        .whereRef("next.resumed_from_run_id", "=", "runs.id"),
    ),
  );
}

async function listDead({ db }: StoreContext, scope: Scope, limit: number): Promise<RunSummary[]> {
  const rows = await db
    .selectFrom("runs")
    .select(SUMMARY_COLUMNS)
    .where("attempt_count", ">", GIVEN_UP)
    .where("status", "=", "failed")
    .where("wake_at", "is", null)
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where(hasNoSuccessor)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(summaryOf);
}

async function readStats({ db, clock }: StoreContext, scope: Scope): Promise<QueueStats> {
  const now = clock.now();
  const due = await db
    .selectFrom("runs")
    .select((eb) => [eb.fn.countAll<number>().as("count"), eb.fn.min("wake_at").as("oldest")])
    .where("wake_at", "is not", null)
    .where("wake_at", "<=", now)
    .where("status", "<>", "running")
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .executeTakeFirstOrThrow();
  const dead = await db
    .selectFrom("runs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("attempt_count", ">", GIVEN_UP)
    .where("status", "=", "failed")
    .where("wake_at", "is", null)
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where(hasNoSuccessor)
    .executeTakeFirstOrThrow();
  return {
    queuedCount: due.count,
    oldestMs: due.oldest === null ? null : Math.max(0, now - due.oldest),
    deadCount: dead.count,
  };
}

/** The background run that a paused run belongs to is due: itself, or the newest of the run that started it. */
export async function wakeBackground(
  context: StoreContext,
  trx: Transaction<Database>,
  runId: string,
  now: number,
): Promise<void> {
  const root = await findRoot(trx, runId);
  if (root?.mode !== "background") return;
  const isDue = await changeStopped(trx, root.id, { wake_at: now }, ["paused"]);
  if (isDue) await context.enqueue(trx, root.id, now);
}

/** More than runs start runs, or go on from one another before somebody decides. */
const WAY_LENGTH_MAX = 100;

async function findRoot(
  trx: Transaction<Database>,
  runId: string,
): Promise<Pick<RunRow, "id" | "mode"> | undefined> {
  let at: Pick<RunRow, "id" | "mode" | "parent_run_id"> | undefined = await readWay(trx, "id", runId);
  for (let i = 0; i < WAY_LENGTH_MAX && at !== undefined && at.parent_run_id !== null; i++)
    at = await readWay(trx, "id", at.parent_run_id);
  for (let i = 0; i < WAY_LENGTH_MAX && at !== undefined && at.mode === "background"; i++) {
    const next = await readWay(trx, "resumed_from_run_id", at.id);
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

function readWay(trx: Transaction<Database>, column: "id" | "resumed_from_run_id", value: string) {
  return trx
    .selectFrom("runs")
    .select(["id", "mode", "parent_run_id"])
    .where(column, "=", value)
    .executeTakeFirst();
}
