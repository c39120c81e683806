/**
 * The queue where the rows are the queue: each process that works looks for runs that are due, and takes them up. Of
 * several processes one takes a run, by a statement that happens only if it is still due (`RunStore.take`).
 *
 * A run under way stays among the due ones: as soon as its process is gone, another takes it. While nothing was written
 * and nothing is due, a look is one question that reads no table.
 */
import type { Kysely } from "kysely";
import type { Clock } from "../../core/clock.ts";
import type { DeliveryHandler, QueueOptions, RunQueue } from "../../core/run-queue.ts";
import type { RunStore } from "../../core/store.ts";
import type { Database } from "../database.ts";

/** How long after another process put something into the queue, or died, this one sees it at the latest. */
const LOOK_MS = 500;
/** More than are ever under way at once, and due ones behind them. */
const DUE_COUNT_MAX = 200;

/** Those who look as soon as this process has put something into the queue. */
export interface Wakes {
  call(): void;
  add(wake: () => void): () => void;
}

export function createWakes(): Wakes {
  const all = new Set<() => void>();
  return {
    call() {
      for (const wake of all) wake();
    },
    add(wake) {
      all.add(wake);
      return () => all.delete(wake);
    },
  };
}

export interface RunSweepDeps extends QueueOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly runs: Pick<RunStore, "queueStats">;
  readonly wakes: Wakes;
  readonly changeMark: () => Promise<string>;
}

interface Due {
  readonly id: string;
  readonly attempt: number;
}

export function createRunSweep(deps: RunSweepDeps): RunQueue {
  const { clock, log } = deps;
  const underWay = new Map<string, Promise<void>>();
  const draining = new AbortController();
  let deliver: DeliveryHandler | undefined;
  let placeCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  /** Nothing needs a look before this time, unless something is written. */
  let quietUntil = 0;
  let seenMark: string | undefined;
  let isWoken = false;
  let forget = (): void => {};

  function begin({ id, attempt }: Due): void {
    underWay.set(id, handle(id, attempt));
  }

  async function handle(id: string, attempt: number): Promise<void> {
    try {
      await deliver!(id, { attempt, dueAt: clock.now(), signal: draining.signal });
      isWoken = true;
    } catch (error) {
      // It is due again at the next look, and not at once: what failed may need a moment.
      quietUntil = 0;
      log.error("queue.delivery.failed", { runId: id, error });
    }
    underWay.delete(id);
    if (isWoken) schedule(0);
  }

  async function look(): Promise<void> {
    const mark = await deps.changeMark();
    if (!isWoken && mark === seenMark && clock.now() < quietUntil) return;
    isWoken = false;
    const now = clock.now();
    const { due, hasOthers } = await findDue(deps, now, underWay);
    const taken = due.slice(0, placeCount - underWay.size);
    const isFull = taken.length < due.length;
    // A process that dies writes nothing; a place that becomes free wakes.
    quietUntil = hasOthers ? 0 : isFull ? Number.POSITIVE_INFINITY : await findNext(deps, now);
    seenMark = mark;
    for (const one of taken) if (!draining.signal.aborted) begin(one);
  }

  function tick(): void {
    timer = undefined;
    if (draining.signal.aborted || deliver === undefined) return;
    looking ??= look()
      .catch((error: unknown) => log.debug("queue.look.failed", { error }))
      .finally(() => {
        looking = undefined;
        schedule(isWoken ? 0 : LOOK_MS);
      });
  }

  function schedule(ms: number): void {
    if (draining.signal.aborted || deliver === undefined || looking !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(tick, ms).unref();
  }

  function wake(): void {
    isWoken = true;
    schedule(0);
  }

  return {
    work(handler, { concurrency }) {
      if (deliver !== undefined) return;
      deliver = handler;
      placeCount = concurrency;
      forget = deps.wakes.add(wake);
      wake();
    },
    wake,
    stats: () => deps.runs.queueStats(deps.scope()),
    async drain() {
      draining.abort();
      clearTimeout(timer);
      forget();
      await looking;
    },
    async close() {
      draining.abort();
      clearTimeout(timer);
      forget();
      await looking;
      await Promise.all(underWay.values());
    },
  };
}

/** Those that this process could take up, the longest due first; and whether others have some under way. */
async function findDue(
  { db, scope, isGone }: RunSweepDeps,
  now: number,
  underWay: ReadonlyMap<string, unknown>,
): Promise<{ readonly due: readonly Due[]; readonly hasOthers: boolean }> {
  const { org, project } = scope();
  const rows = await db
    .selectFrom("runs")
    .select(["id", "status", "lease_owner", "lease_until", "attempt_count"])
    .where("wake_at", "is not", null)
    .where("wake_at", "<=", now)
    .where("org", "=", org)
    .where("project", "=", project)
    .orderBy("wake_at")
    .limit(DUE_COUNT_MAX)
    .execute();
  const others = rows.filter(({ id }) => !underWay.has(id));
  const isHeld = (row: (typeof rows)[number]): boolean =>
    row.status === "running" &&
    row.lease_owner !== null &&
    !isGone(row.lease_owner) &&
    (row.lease_until ?? 0) > now;
  const due = others.filter((row) => !isHeld(row));
  return {
    due: due.map(({ id, attempt_count: count }) => ({ id, attempt: count + 1 })),
    hasOthers: due.length < others.length,
  };
}

async function findNext({ db, scope }: RunSweepDeps, now: number): Promise<number> {
  const { org, project } = scope();
  const row = await db
    .selectFrom("runs")
    .select((eb) => eb.fn.min("wake_at").as("next"))
    .where("wake_at", "is not", null)
    .where("wake_at", ">", now)
    .where("org", "=", org)
    .where("project", "=", project)
    .executeTakeFirst();
  return row?.next ?? Number.POSITIVE_INFINITY;
}
