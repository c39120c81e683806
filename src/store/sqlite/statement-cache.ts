import type { SqliteHandle, SqliteStatement } from "./sqlite-handle.ts";

/** The store has about 40 texts; this leaves room and still bounds what a text with a varying shape could fill. */
export const STATEMENT_COUNT_MAX = 200;

export interface CachedStatement {
  readonly statement: SqliteStatement;
  /** Whether it gives rows; SQLite knows after compiling. */
  readonly reads: boolean;
}

/** Compiled statements by their text, the longest unused leaving first: compiling costs as much as running. */
export class StatementCache {
  readonly #handle: SqliteHandle;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
  }

  get size(): number {
    return this.#statements.size;
  }

  get(sql: string): CachedStatement {
    const known = this.#statements.get(sql);
    // A Map lists its keys in the order of insertion: putting it back makes it the newest.
    if (known !== undefined) this.#statements.delete(sql);
    const cached = known ?? this.#prepare(sql);
    this.#statements.set(sql, cached);
    if (this.#statements.size > STATEMENT_COUNT_MAX) this.#dropOldest();
    return cached;
  }

  #prepare(sql: string): CachedStatement {
    const statement = this.#handle.prepare(sql);
    return { statement, reads: statement.columns().length > 0 };
  }

  #dropOldest(): void {
    for (const oldest of this.#statements.keys()) {
      this.#statements.delete(oldest);
      return;
    }
  }
}
