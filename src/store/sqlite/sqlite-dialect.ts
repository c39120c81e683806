/**
 * Kysely over one `SqliteConnection`. The stock driver begins transactions without the write lock and caches no
 * statement.
 */
import {
  SqliteAdapter,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from "kysely";
import type { SqliteConnection } from "./sqlite-connection.ts";

export function createSqliteDialect(connection: SqliteConnection): Dialect {
  return {
    createDriver: () => createDriver(connection),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new QueuedSqliteAdapter(),
    createIntrospector: () => {
      throw new Error("the store knows its tables and does not ask for them");
    },
  };
}

/** Keeps Kysely from queueing as well: its queue lets newcomers pass, ours does not. */
class QueuedSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function createDriver(connection: SqliteConnection): Driver {
  return {
    async init() {},
    async acquireConnection(): Promise<DatabaseConnection> {
      await connection.acquire();
      return connection;
    },
    async releaseConnection() {
      connection.release();
    },
    beginTransaction: () => connection.begin(),
    async commitTransaction() {
      connection.commit();
    },
    async rollbackTransaction() {
      try {
        connection.rollback();
      } catch {
        // The error that led here says more; the next to acquire the connection rolls back again or is refused.
      }
    },
    destroy: () => connection.close(),
  };
}
