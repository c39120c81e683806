/**
 * One connection while it is in use. It knows whether a transaction is open and whether its commit was sent, and with
 * that what a failure means: see `judge`.
 */
import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type pg from "pg";
import { isStatementError, judge, Lost, Undone } from "./postgres-error.ts";

export interface ConnectionOptions {
  readonly statementMs: number;
  readonly names: StatementNames;
}

/**
 * Named statements are planned once for each connection, which is worth twice to three times the speed of one run. A
 * pooler gives the next transaction another connection, which does not know them: the first such error turns them off.
 */
export interface StatementNames {
  isOn: boolean;
  readonly byText: Map<string, string>;
}

/** The store has about 200 texts; those with a varying shape would fill the memory of every connection. */
const NAMED_COUNT_MAX = 400;
/** A statement with more is a batch, whose shape varies. */
const NAMED_PARAMETER_COUNT_MAX = 40;

export class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #options: ConnectionOptions;
  #isInTransaction = false;
  #isLost = false;
  readonly #lost = (): void => {
    this.#isLost = true;
  };

  constructor(client: pg.PoolClient, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
    client.on("error", this.#lost);
    client.on("end", this.#lost);
  }

  /** A connection that failed is not used again: what is left on it is not known. */
  release(): void {
    this.#client.off("error", this.#lost);
    this.#client.off("end", this.#lost);
    this.#client.release(this.#isLost);
  }

  async begin(): Promise<void> {
    this.#isInTransaction = true;
    await this.#query("begin", []);
  }

  async commit(): Promise<void> {
    // From here on nothing says whether it was committed but the answer.
    this.#isInTransaction = false;
    const { command } = await this.#query("commit", []);
    if (command !== "COMMIT") throw new Error("a statement of the transaction had failed");
  }

  /** The error that led here says more than one of the rollback; the connection is then given up. */
  async rollback(): Promise<void> {
    this.#isInTransaction = false;
    if (this.#isLost) return;
    await this.#query("rollback", []).catch(this.#lost);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, command, rowCount } = await this.#query(sql, parameters);
    const isWrite = command === "INSERT" || command === "UPDATE" || command === "DELETE";
    return { rows: rows as Row[], ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  /**
   * A text that may be several statements, of the queue. After an error nothing is known of the connection: a transaction
   * of the text may be open.
   */
  async executeRaw(text: string, values: readonly unknown[]): Promise<{ readonly rows: unknown[] }> {
    const timer = setTimeout(() => this.#destroy(), this.#options.statementMs);
    timer.unref();
    try {
      const result: unknown = await this.#client.query({
        text,
        ...(values.length > 0 && { values: [...values] }),
      });
      const last = Array.isArray(result) ? (result.at(-1) as pg.QueryResult | undefined) : result;
      return { rows: (last as pg.QueryResult | undefined)?.rows ?? [] };
    } catch (error) {
      throw this.#giveUp(error);
    } finally {
      clearTimeout(timer);
    }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("the store reads whole results; streaming would hold the connection between rows");
  }

  async #query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    // It has ended since it was last used: nothing is sent.
    if (!this.#isOpen) throw this.#giveUp(new Undone(undefined, "lost"));
    const name = nameOf(this.#options.names, text, values.length);
    const timer = setTimeout(() => this.#destroy(), this.#options.statementMs);
    timer.unref();
    try {
      return await this.#client.query({ ...(name !== undefined && { name }), text, values: [...values] });
    } catch (error) {
      if (isStatementError(error)) this.#options.names.isOn = false;
      const judged = judge(error, this.#isLost || !this.#isOpen, this.#isInTransaction);
      // What the server said of a conflict leaves the connection whole; anything else of this kind does not.
      const isWhole = judged instanceof Undone ? judged.kind === "conflict" : !(judged instanceof Lost);
      throw isWhole ? judged : this.#giveUp(judged);
    } finally {
      clearTimeout(timer);
    }
  }

  #giveUp(error: unknown): unknown {
    this.#isLost = true;
    return error;
  }

  /** Nothing more comes from the other end, or it comes too late. */
  #destroy(): void {
    this.#isLost = true;
    this.#inside.connection.stream.destroy();
  }

  get #isOpen(): boolean {
    const { _queryable, connection } = this.#inside;
    return _queryable && !connection.stream.destroyed;
  }

  /**
   * `pg` has no other way to see that a connection has ended, and none to give up one that does not answer: its `end` waits
   * for the answer.
   */
  get #inside() {
    return this.#client as unknown as {
      readonly _queryable: boolean;
      readonly connection: { stream: Socket };
    };
  }
}

/** Undefined where the statement stays without a name. */
function nameOf({ isOn, byText }: StatementNames, text: string, count: number): string | undefined {
  if (!isOn || count > NAMED_PARAMETER_COUNT_MAX) return undefined;
  const known = byText.get(text);
  if (known !== undefined || byText.size >= NAMED_COUNT_MAX) return known;
  const name = `r${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  byText.set(text, name);
  return name;
}
