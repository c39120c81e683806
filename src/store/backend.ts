import type { Kysely, RawBuilder, Transaction } from "kysely";
import type { Clock } from "../core/clock.ts";
import type { StoreStatus } from "../core/store.ts";
import type { QueueOptions, RunQueue } from "../core/run-queue.ts";
import type { Database } from "./database.ts";

/** What a database brings; all that differs between SQLite and PostgreSQL. */
export interface Backend extends Concurrency {
  readonly db: Kysely<Database>;
  /** The same database, for writes that survive the end of the process and need no more; see `Durability`. */
  readonly light: Kysely<Database>;
  /** Brings light writes to disk. */
  settle(): Promise<void>;
  /** The database's clock in ms. Leases are measured by it alone, so that owners need not agree on the time. */
  readonly databaseNow: RawBuilder<number>;
  /** Whether processes on other machines may use it as well. */
  readonly isShared: boolean;
  status(): StoreStatus;
  /**
   * Puts a job for a run into the database's own queue, as part of the transaction that writes the run. Without it the rows
   * themselves are the queue.
   */
  readonly enqueue?: Enqueue;
  /** The queue of its own; there where `enqueue` is. */
  readonly openQueue?: (options: QueueOptions, stats: RunQueue["stats"]) => RunQueue;
  /** What is wrong with its files or pages. */
  findDamage(): Promise<string[]>;
  /** See `Store`. */
  changeMark(): Promise<string>;
  /** Throws where a write would be refused; see `Store`. */
  check(): Promise<void>;
  /** Lets work in flight end, then closes; every later use throws `STORE_CLOSED`. */
  close(): Promise<void>;
}

export type Enqueue = (trx: Transaction<Database>, runId: string, at: number) => Promise<void>;

/** What several writers at once, and a server that can be away, need beside the SQL. */
export interface Concurrency {
  /**
   * Runs an operation, again where the database has rolled it back in favour of another. Where the connection was lost, its
   * outcome is not known: one that can be repeated is, until the database has been away for too long; any other throws
   * `STORE_UNCERTAIN`. The work is told which attempt it is, from 1.
   */
  readonly attempt: <T>(
    work: (attempt: number) => Promise<T>,
    options?: { readonly canRepeat?: boolean },
  ) => Promise<T>;
  /** The rows that the query reads stay as they are until the end of the transaction; others may read and hold them too. */
  readonly holdRows: <Query extends RowLocking>(query: Query) => Query;
  /** The same, and no other transaction gets past this one. */
  readonly lockRows: <Query extends RowLocking>(query: Query) => Query;
  /** Makes the transactions of one name follow each other. It must be the first statement of the transaction. */
  readonly serialize: (trx: Transaction<Database>, name: string) => Promise<void>;
}

interface RowLocking {
  forShare(): this;
  forUpdate(): this;
}

/** For a database that has one writer at a time and is never away: a transaction has the write lock from its beginning. */
export const ONE_WRITER: Concurrency = {
  attempt: (work) => work(1),
  holdRows: (query) => query,
  lockRows: (query) => query,
  serialize: () => Promise.resolve(),
};

/** What the stores of the single nouns work with. */
export interface StoreContext
  extends Pick<Backend, "db" | "light" | "settle" | "databaseNow" | "isShared">, Concurrency {
  /** Called in the transaction that gives a run a time to be taken up at. */
  readonly enqueue: Enqueue;
  readonly clock: Clock;
  readonly newId: () => string;
}
