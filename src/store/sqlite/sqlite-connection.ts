/**
 * The one connection of a process. Each caller owns it from acquiring to releasing it, in the order in which they
 * asked, so a transaction is never mixed with other statements.
 *
 * A lock held by another process can be met at three places: BEGIN IMMEDIATE, a statement outside a transaction, and
 * the pragmas of opening. Nothing has happened there yet, so these wait and try again. Inside a transaction the write
 * lock is ours, and no error there is tried again.
 *
 * Once it is guarded, nothing is written before the guard has looked whether the file is still the one that others will
 * find, with a schema that this code knows. Reading goes on: what is in a lost file can then be saved elsewhere.
 */
import type { CompiledQuery, QueryResult } from "kysely";
import type { SQLInputValue } from "node:sqlite";
import { RepertoireError } from "../../core/errors.ts";
import type { Durability } from "../../core/store.ts";
import { retryWhileBusy, type BusyPatience } from "./busy-retry.ts";
import { requireUnchangedVersion } from "../schema-version.ts";
import { rememberFile, type OwnFile } from "./database-file.ts";
import type { SqliteHandle, SqliteStatement } from "./sqlite-handle.ts";
import { storeErrorOf } from "./sqlite-error.ts";
import { Mutex } from "../../timing/mutex.ts";
import { createLru } from "../../timing/lru.ts";

export class SqliteConnection {
  readonly path: string;
  readonly #handle: SqliteHandle;
  readonly #patience: BusyPatience;
  readonly #statements: StatementCache;
  readonly #mutex = new Mutex();
  #guard: { readonly file: OwnFile; readonly latestVersion: number } | undefined;
  /** The last write found no room on the disk. */
  #wasFull = false;
  #durability: Durability = "disk";
  #releaseMutex: () => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(path: string, handle: SqliteHandle, patience: BusyPatience) {
    this.path = path;
    this.#handle = handle;
    this.#patience = patience;
    this.#statements = new StatementCache(handle);
  }

  async acquire(): Promise<void> {
    if (this.#closing !== undefined) {
      throw new RepertoireError("STORE_CLOSED", `The store at ${this.path} is closed`, {
        hint: "Open it again before using it.",
      });
    }
    const release = await this.#mutex.acquire();
    try {
      // A rollback that failed would swallow the next writes; nothing may go on before it has worked.
      this.rollback();
    } catch (error) {
      release();
      throw error;
    }
    this.#releaseMutex = release;
  }

  release(): void {
    this.#releaseMutex();
  }

  /** From now on the file must stay the one that it is, and its schema no newer than this. */
  guard(latestVersion: number): void {
    this.#guard = { file: rememberFile(this.path), latestVersion };
  }

  /**
   * Throws where a write would be refused. A disk that was full is written to, so that it is known when there is room
   * again.
   */
  async check(): Promise<void> {
    await this.acquire();
    try {
      await this.retry(() => this.#requireOwn());
      if (this.#wasFull) await this.#tryWriting();
    } finally {
      this.release();
    }
  }

  /** Light commits lie before this one in the same file, and go to disk with it. */
  async settle(): Promise<void> {
    await this.acquire();
    try {
      await this.#tryWriting();
    } finally {
      this.release();
    }
  }

  /** `data_version` says that another connection has committed, `total_changes` that this one has changed something. */
  async changeMark(): Promise<string> {
    await this.acquire();
    try {
      return await this.retry(() => {
        const others = this.#execute<{ data_version: number }>("pragma data_version", []).rows[0];
        const own = this.#execute<{ own: number }>("select total_changes() as own", []).rows[0];
        return `${others?.data_version}.${own?.own}`;
      });
    } finally {
      this.release();
    }
  }

  async begin(durability: Durability = "disk"): Promise<void> {
    await this.retry(() => {
      this.#useDurability(durability);
      this.#handle.exec("begin immediate");
    });
    try {
      this.#once(() => this.#requireOwn());
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  commit(): void {
    this.#once(() => {
      this.#guard?.file.require();
      this.#handle.exec("commit");
      this.#wasFull = false;
    });
  }

  /** SQLite has already rolled back by itself after some errors. */
  rollback(): void {
    if (this.#handle.isTransaction) this.#once(() => this.#handle.exec("rollback"));
  }

  async executeQuery<Row>(
    { sql, parameters, query }: CompiledQuery,
    durability: Durability = "disk",
  ): Promise<QueryResult<Row>> {
    const execute = () => this.#execute<Row>(sql, parameters as readonly SQLInputValue[]);
    if (this.#handle.isTransaction) return this.#once(execute);
    if (query.kind === "SelectQueryNode") return this.retry(execute);
    return this.retry(() => {
      this.#requireOwn();
      this.#useDurability(durability);
      const result = execute();
      this.#wasFull = false;
      return result;
    });
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("the store reads whole results; streaming would hold the connection between rows");
  }

  /** For work outside a transaction only. */
  async retry<T>(attempt: () => T): Promise<T> {
    try {
      return await retryWhileBusy(attempt, this.#patience);
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** Work that was asked for before ends first; calling it again waits for the same end. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Closes a file that turned out not to be usable, and moves nothing in it. */
  abandon(): void {
    this.#closing = Promise.resolve();
    this.#handle.close();
  }

  async #close(): Promise<void> {
    await this.#mutex.acquire();
    try {
      // A passive checkpoint does not wait. What it cannot move now stays in the -wal file and is as safe there.
      this.#handle.exec("pragma wal_checkpoint(passive)");
    } catch {
      // A full disk, for example: the next process that can will move it.
    }
    this.#handle.close();
  }

  #once<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#told(error);
    }
  }

  #told(error: unknown): unknown {
    const told = storeErrorOf(error, this.path);
    if (told instanceof RepertoireError && told.code === "STORE_FULL") this.#wasFull = true;
    return told;
  }

  /** In WAL, NORMAL leaves the commit to the system, and FULL brings it to disk, with all that lie before it. */
  #useDurability(durability: Durability): void {
    if (this.#durability === durability) return;
    this.#handle.exec(`pragma synchronous = ${durability === "disk" ? "full" : "normal"}`);
    this.#durability = durability;
  }

  #requireOwn(): void {
    if (this.#guard === undefined) return;
    this.#guard.file.require();
    const { rows } = this.#execute<{ user_version: number }>("pragma user_version", []);
    requireUnchangedVersion(rows[0]?.user_version ?? 0, this.#guard.latestVersion, this.path);
  }

  /** Writes the header of the file as it is: the least that needs room. */
  async #tryWriting(): Promise<void> {
    await this.begin();
    try {
      this.#once(() => this.#handle.exec(`pragma user_version = ${this.#guard?.latestVersion ?? 0}`));
      this.commit();
    } finally {
      this.rollback();
    }
  }

  #execute<Row>(sql: string, parameters: readonly SQLInputValue[]): QueryResult<Row> {
    const { statement, reads } = this.#statements.get(sql);
    if (reads) return { rows: statement.all(...parameters) as Row[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
  }
}

/** The store has about 40 texts; this leaves room and still bounds what a text with a varying shape could fill. */
export const STATEMENT_COUNT_MAX = 200;

interface CachedStatement {
  readonly statement: SqliteStatement;
  /** Whether it gives rows; SQLite knows after compiling. */
  readonly reads: boolean;
}

/** The most recently used statements, compiled, by their text: compiling costs as much as running. */
export class StatementCache {
  readonly #handle: SqliteHandle;
  readonly #statements = createLru<CachedStatement>({
    countMax: STATEMENT_COUNT_MAX,
    sizeMax: STATEMENT_COUNT_MAX,
  });

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
  }

  get(sql: string): CachedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const cached = this.#prepare(sql);
    this.#statements.set(sql, cached, 1);
    return cached;
  }

  #prepare(sql: string): CachedStatement {
    const statement = this.#handle.prepare(sql);
    return { statement, reads: statement.columns().length > 0 };
  }
}
