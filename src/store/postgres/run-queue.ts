/**
 * The queue of background runs on PostgreSQL: jobs of pg-boss, in a schema of its own, over the connections of the store.
 * A job is sent in the transaction that writes the run, so there is none without the other. A replica that dies stops
 * refreshing the job that it has; another gets it some seconds later, and looks at the run before it does anything.
 *
 * One loop for each process asks for as many jobs as it has places. Nothing here needs a session of the server (LISTEN,
 * session locks), so that a pooler may be in front. pg-boss is loaded with the first job, or when the process works.
 */
import { randomUUID } from "node:crypto";
import { CompiledQuery, type Transaction } from "kysely";
import type { PgBoss } from "pg-boss";
import { silentLog, type Log } from "../../core/log.ts";
import {
  ATTEMPTS_MAX,
  type DeliveryHandler,
  type QueueOptions,
  type RunQueue,
} from "../../core/run-queue.ts";
import type { Backend, Enqueue } from "../backend.ts";
import type { Database } from "../database.ts";
import type { PostgresPool } from "./postgres-pool.ts";

const SCHEMA = "repertoire_queue";
const RUNS = "runs";
/** Jobs that failed each time, before anything could be counted on the run. */
const DEAD = "runs_dead";

/** A job that was not refreshed for so long is given to another; with the looks of pg-boss, after 8 s on average. */
const HEARTBEAT_S = 10;
const REFRESH_MS = 3_000;
/** Both: jobs whose process died are looked for as often as the shorter of the two allows. */
const SUPERVISE_S = 1;
/** Longer than a run may take, so that only a process that died loses a job. */
const EXPIRE_S = 60 * 60;
/** A wait of a year is still kept; the job has no value after it is done. */
const RETENTION_S = 2 * 365 * 24 * 60 * 60;
const DELETE_S = 60 * 60;
/** How soon a run that another replica queued begins; one of this process begins at once. */
const POLL_MS = 1_000;
/** After its own job was sent: the transaction has ended by then. */
const SOON_MS = 20;
/** Dead letters are rare: one look for so many polls. */
const POLLS_FOR_DEAD = 30;

interface Job {
  readonly id: string;
  readonly retryCount: number;
  readonly data: { readonly runId: string };
}

export interface PostgresQueue {
  readonly enqueue: Enqueue;
  readonly open: NonNullable<Backend["openQueue"]>;
  close(): Promise<void>;
}

export function createPostgresQueue(pool: PostgresPool): PostgresQueue {
  let sender: Promise<PgBoss> | undefined;
  let worker: Promise<PgBoss> | undefined;
  let log: Log = silentLog;
  const soon = new Set<() => void>();

  /** One that works also looks after jobs whose processes died; one that only sends does not. */
  function bossFor(supervises: boolean): Promise<PgBoss> {
    if (worker !== undefined) return worker;
    if (supervises)
      return (worker = startBoss(pool, true, () => log).catch(again(() => (worker = undefined))));
    return (sender ??= startBoss(pool, false, () => log).catch(again(() => (sender = undefined))));
  }

  return {
    async enqueue(trx, runId, at) {
      const boss = await bossFor(false);
      const startAfter = at > Date.now() ? { startAfter: new Date(at) } : {};
      await boss.send(RUNS, { runId }, { ...startAfter, db: on(trx) });
      for (const wake of soon) wake();
    },
    open(options, stats) {
      log = options.log;
      const queue = createWorker(options, stats, () => bossFor(true));
      soon.add(() => queue.wake());
      return queue;
    },
    async close() {
      for (const started of [sender, worker]) {
        const boss = await started?.catch(() => undefined);
        await boss?.stop({ graceful: false, close: false });
      }
    },
  };
}

/** The next use tries again. */
function again(forget: () => void): (error: unknown) => never {
  return (error) => {
    forget();
    throw error;
  };
}

/** Those who wait for it may hold every connection of the pool, so it starts over one of its own. */
async function startBoss(pool: PostgresPool, supervise: boolean, log: () => Log): Promise<PgBoss> {
  const { PgBoss: Boss } = await import("pg-boss");
  const own = pool.openAnother(1);
  let connections = own;
  const boss = new Boss({
    db: { executeSql: (text, values) => connections.executeRaw(text, values) },
    schema: SCHEMA,
    supervise,
    superviseIntervalSeconds: SUPERVISE_S,
    monitorIntervalSeconds: SUPERVISE_S,
    schedule: false,
    // What these look after is the operator's: see the page about the database.
    reindex: false,
    monitorVacuum: false,
  });
  // A database that is away is told of by the store.
  boss.on("error", (error) => log().debug("queue.boss.failed", { error }));
  boss.on("warning", (warning) => log().debug("queue.boss.warned", { warning }));
  try {
    await boss.start();
    await createQueues(boss);
  } finally {
    connections = pool;
    await own.close();
  }
  return boss;
}

async function createQueues(boss: PgBoss): Promise<void> {
  await boss.createQueue(DEAD, { retentionSeconds: RETENTION_S, deleteAfterSeconds: DELETE_S });
  await boss.createQueue(RUNS, {
    deadLetter: DEAD,
    retryLimit: ATTEMPTS_MAX,
    heartbeatSeconds: HEARTBEAT_S,
    expireInSeconds: EXPIRE_S,
    retentionSeconds: RETENTION_S,
    deleteAfterSeconds: DELETE_S,
  });
  // pg-boss reads what it knows of a queue with its first use, which would be within a transaction.
  await boss.getJobById(RUNS, randomUUID());
}

/** pg-boss on the connection of a transaction of ours. */
function on(trx: Transaction<Database>) {
  return {
    async executeSql(text: string, values: unknown[] = []) {
      const { rows } = await trx.executeQuery<object>(CompiledQuery.raw(text, values));
      return { rows };
    },
  };
}

function createWorker(
  { log }: QueueOptions,
  stats: RunQueue["stats"],
  start: () => Promise<PgBoss>,
): RunQueue {
  const underWay = new Map<string, Promise<void>>();
  const draining = new AbortController();
  let deliver: DeliveryHandler | undefined;
  let placeCount = 0;
  let pollCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let beat: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;

  async function handle(boss: PgBoss, queue: string, { id, data, retryCount }: Job): Promise<void> {
    const attempt = queue === DEAD ? ATTEMPTS_MAX + 1 : retryCount + 1;
    try {
      await deliver!(data.runId, { attempt, signal: draining.signal });
      await boss.complete(queue, id);
    } catch (error) {
      log.error("queue.delivery.failed", { runId: data.runId, attempt, error });
      // A job that cannot be given back comes again by itself.
      await boss.fail(queue, id, { message: String(error) }).catch(() => {});
    }
    underWay.delete(id);
    wake();
  }

  async function poll(): Promise<void> {
    const boss = await start();
    const isForDead = pollCount++ % POLLS_FOR_DEAD === 0;
    for (const queue of isForDead ? [RUNS, DEAD] : [RUNS]) {
      const batchSize = placeCount - underWay.size;
      if (batchSize <= 0 || draining.signal.aborted) return;
      const jobs = await boss.fetch<Job["data"]>(queue, { batchSize });
      for (const job of jobs) underWay.set(job.id, handle(boss, queue, job));
    }
  }

  /** For those under way: without it another process would get them too. */
  async function refresh(): Promise<void> {
    if (underWay.size === 0) return;
    const boss = await start();
    await boss.touch(RUNS, [...underWay.keys()]);
  }

  function tick(): void {
    timer = undefined;
    if (draining.signal.aborted) return;
    polling ??= poll()
      .catch((error: unknown) => log.debug("queue.poll.failed", { error }))
      .finally(() => {
        polling = undefined;
        schedule(POLL_MS);
      });
  }

  function schedule(ms: number): void {
    if (deliver === undefined || draining.signal.aborted || polling !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(tick, ms).unref();
  }

  function wake(): void {
    schedule(SOON_MS);
  }

  async function drain(): Promise<void> {
    draining.abort();
    clearTimeout(timer);
    await polling;
  }

  return {
    work(handler, { concurrency }) {
      if (deliver !== undefined) return;
      deliver = handler;
      placeCount = concurrency;
      beat = setInterval(() => void refresh().catch(() => {}), REFRESH_MS).unref();
      schedule(0);
    },
    wake,
    stats,
    drain,
    async close() {
      await drain();
      await Promise.all(underWay.values());
      clearInterval(beat);
    },
  };
}
