/**
 * The connections of one process to PostgreSQL.
 *
 * - **Away is no error.** A server that restarts, is full or read only is waited for, with a backoff, for as long as
 *   `waitMs` says; callers notice nothing but the time.
 * - **Every statement has an end.** A socket can stay open while its other end is gone; a timer of our own destroys it, and
 *   the statement counts as lost. The server has its own limits for what it was left with.
 * - **An operation in flight ends before the pool does.** Closing refuses new operations, waits for those under way, and
 *   then ends the connections.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { RepertoireError } from "../../core/errors.ts";
import { placeOfDatabase } from "../../text/database-place.ts";
import { fullJitterMs, type Backoff } from "../../timing/backoff.ts";
import { PostgresConnection, type StatementNames } from "./postgres-connection.ts";
import {
  awayError,
  isAway,
  refusedError,
  storeErrorOf,
  Lost,
  uncertainError,
  Undone,
  type RetryKind,
} from "./postgres-error.ts";

export interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  /** A pooler in front gives a connection to one transaction at a time: no named statements, no settings of a session. */
  readonly pooler: boolean;
  /** How long an operation waits for a server that is away. */
  readonly waitMs: number;
  /** How long a statement may take. */
  readonly statementMs: number;
  readonly elapsed: () => number;
}

/** Longer than a connect across a continent with TLS takes. */
const CONNECT_MS = 5_000;
/** The server gives up what a frozen or lost process has left, a little after that process does itself. */
const SERVER_SLACK_MS = 5_000;
/** A server that restarts is back within a second or two; one that is overloaded is not asked by all at once. */
const BACKOFF: Backoff = { firstMs: 20, maxMs: 500, minMs: 5 };

const INT8 = 20;
const NUMERIC = 1700;

/** Per pool and not in the global table of `pg`. All our numbers are times, counts and sums below 2^53. */
const parsers = new pg.TypeOverrides();
parsers.setTypeParser(INT8, Number);
parsers.setTypeParser(NUMERIC, Number);

export class PostgresPool {
  /** Host and database, for messages: the url has a password in it. */
  readonly place: string;
  readonly #options: PoolOptions;
  readonly #pool: pg.Pool;
  readonly #names: StatementNames;
  readonly #retries = new Map<RetryKind, number>();
  #waitedMs = 0;
  #inUse = 0;
  #awaySince: number | undefined;
  #operations = 0;
  #allEnded: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  #isEnded = false;

  constructor(options: PoolOptions) {
    const { url, poolSize, pooler, statementMs } = options;
    const limitMs = statementMs + SERVER_SLACK_MS;
    this.#options = options;
    this.place = placeOfDatabase(url);
    this.#names = { isOn: !pooler, byText: new Map() };
    this.#pool = new pg.Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: "repertoire",
      types: parsers,
      // A pooler refuses settings of a session, or passes them to whom they are not meant for.
      ...(!pooler && { statement_timeout: limitMs, idle_in_transaction_session_timeout: limitMs }),
    });
    // An idle connection that ends is replaced with the next use. Without a listener it would end the process.
    this.#pool.on("error", () => {});
    // The same for one in use: the statement under way fails by itself.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** Connections of its own to the same database, for work that those of this pool wait for. */
  openAnother(poolSize: number, options: Partial<PoolOptions> = {}): PostgresPool {
    return new PostgresPool({ ...this.#options, ...options, poolSize });
  }

  get status() {
    return {
      awaySince: this.#awaySince,
      size: this.#options.poolSize,
      inUse: this.#inUse,
      waitedMs: this.#waitedMs,
      retries: Object.fromEntries(this.#retries),
    };
  }

  /** See `Concurrency.attempt`. */
  async attempt<T>(
    work: (attempt: number) => Promise<T>,
    { canRepeat = true, waitMs = this.#options.waitMs }: { canRepeat?: boolean; waitMs?: number } = {},
  ): Promise<T> {
    if (this.#closing !== undefined) throw closedError(this.place);
    this.#operations++;
    try {
      return await this.#attemptUntil(work, canRepeat, waitMs);
    } catch (error) {
      throw storeErrorOf(error, this.place);
    } finally {
      if (--this.#operations === 0) this.#allEnded?.();
    }
  }

  async #attemptUntil<T>(
    work: (attempt: number) => Promise<T>,
    canRepeat: boolean,
    waitMs: number,
  ): Promise<T> {
    // Counted from the first failure: a process that was stopped during an attempt makes at least one more.
    let failedAt: number | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(attempt);
      } catch (error) {
        if (!(error instanceof Undone || error instanceof Lost)) throw error;
        if (error instanceof Lost && !canRepeat) throw uncertainError(this.place, error.cause);
        failedAt ??= this.#options.elapsed();
        const waitedMs = this.#options.elapsed() - failedAt;
        if (waitedMs >= waitMs) throw awayError(this.place, waitedMs, error.cause);
        this.#retries.set(error.kind, (this.#retries.get(error.kind) ?? 0) + 1);
      }
      await sleep(fullJitterMs(BACKOFF, attempt, Math.random()));
    }
  }

  /** Waits while the server is away. */
  async acquire(waitMs = this.#options.waitMs): Promise<PostgresConnection> {
    const { elapsed, statementMs } = this.#options;
    const startedAt = elapsed();
    let failedAt: number | undefined;
    for (let failures = 1; ; failures++) {
      if (this.#isEnded) throw closedError(this.place);
      try {
        const client = await this.#pool.connect();
        this.#awaySince = undefined;
        this.#inUse++;
        this.#waitedMs += elapsed() - startedAt;
        return new PostgresConnection(client, { statementMs, names: this.#names });
      } catch (error) {
        if (!isAway(error)) throw refusedError(this.place, error);
        this.#awaySince ??= elapsed();
        failedAt ??= elapsed();
        const waitedMs = elapsed() - failedAt;
        if (waitedMs >= waitMs) throw awayError(this.place, waitedMs, error);
      }
      await sleep(fullJitterMs(BACKOFF, failures, Math.random()));
    }
  }

  /** For the queue, which repeats by itself what failed. */
  async executeRaw(text: string, values: readonly unknown[] = []): Promise<{ readonly rows: unknown[] }> {
    if (this.#closing !== undefined) throw closedError(this.place);
    this.#operations++;
    try {
      const connection = await this.acquire();
      try {
        return await connection.executeRaw(text, values);
      } finally {
        this.release(connection);
      }
    } finally {
      if (--this.#operations === 0) this.#allEnded?.();
    }
  }

  release(connection: PostgresConnection): void {
    this.#inUse--;
    connection.release();
  }

  /** Operations under way end first; calling it again waits for the same end. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#operations > 0) await new Promise<void>((resolve) => (this.#allEnded = resolve));
    this.#isEnded = true;
    await this.#pool.end();
  }
}

function closedError(place: string): RepertoireError {
  return new RepertoireError("STORE_CLOSED", `The store at ${place} is closed`, {
    hint: "Open it again before using it.",
  });
}
