import {
  Kysely,
  SqliteAdapter,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from "kysely";
import type { Durability } from "../../core/store.ts";
import type { Database } from "../database.ts";
import type { BusyPatience } from "./busy-retry.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { storeErrorOf } from "./sqlite-error.ts";
import type { SqliteHandle } from "./sqlite-handle.ts";

/** An open file and Kysely over it. Closing the connection closes both. */
export interface SqliteSession {
  readonly connection: SqliteConnection;
  readonly db: Kysely<Database>;
  /** The same file, for writes that need not be on disk when they are acknowledged. */
  readonly light: Kysely<Database>;
}

export interface SessionOptions {
  readonly openHandle: (path: string) => SqliteHandle;
  readonly patience: BusyPatience;
}

export function openSession(path: string, { openHandle, patience }: SessionOptions): SqliteSession {
  try {
    const connection = new SqliteConnection(path, openHandle(path), patience);
    return {
      connection,
      db: new Kysely<Database>({ dialect: createSqliteDialect(connection, "disk") }),
      light: new Kysely<Database>({ dialect: createSqliteDialect(connection, "process") }),
    };
  } catch (error) {
    throw storeErrorOf(error, path);
  }
}

/**
 * Kysely over one `SqliteConnection`. The stock driver begins transactions without the write lock and caches no
 * statement.
 */
function createSqliteDialect(connection: SqliteConnection, durability: Durability): Dialect {
  return {
    createDriver: () => createDriver(connection, durability),
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

function createDriver(connection: SqliteConnection, durability: Durability): Driver {
  const own: DatabaseConnection = {
    executeQuery: (query) => connection.executeQuery(query, durability),
    streamQuery: () => connection.streamQuery(),
  };
  return {
    async init() {},
    async acquireConnection(): Promise<DatabaseConnection> {
      await connection.acquire();
      return own;
    },
    async releaseConnection() {
      connection.release();
    },
    beginTransaction: () => connection.begin(durability),
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
