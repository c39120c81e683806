import { createLru } from "../../timing/lru.ts";
import type { SqliteHandle, SqliteStatement } from "./sqlite-handle.ts";

/** The store has about 40 texts; this leaves room and still bounds what a text with a varying shape could fill. */
export const STATEMENT_COUNT_MAX = 200;

export interface CachedStatement {
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
