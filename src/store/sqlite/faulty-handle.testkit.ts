/** For tests: a real handle whose calls fail where they are told to. */
import type { SqliteHandle, SqliteStatement } from "./sqlite-handle.ts";

export interface Faults {
  /** Called with every call's text before it is made and after; what it throws is what SQLite would have thrown. */
  before?: (sql: string) => void;
  after?: (sql: string) => void;
}

export function sqliteError(errcode: number): Error {
  return Object.assign(new Error(`injected ${errcode}`), { code: "ERR_SQLITE_ERROR", errcode });
}

/** The faults can be changed while the handle is in use; without any it is the handle itself. */
export function createFaultyHandle(handle: SqliteHandle, faults: Faults): SqliteHandle {
  const call = <T>(sql: string, work: () => T): T => {
    faults.before?.(sql);
    const result = work();
    faults.after?.(sql);
    return result;
  };
  return {
    get isTransaction() {
      return handle.isTransaction;
    },
    exec: (sql) => call(sql, () => handle.exec(sql)),
    close: () => handle.close(),
    prepare(sql) {
      const statement = handle.prepare(sql);
      return {
        all: (...parameters) => call(sql, () => statement.all(...parameters)),
        run: (...parameters) => call(sql, () => statement.run(...parameters)),
        columns: () => statement.columns(),
      } satisfies SqliteStatement;
    },
  };
}
