import { Kysely } from "kysely";
import type { Database } from "../database.ts";
import type { BusyPatience } from "./busy-retry.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { createSqliteDialect } from "./sqlite-dialect.ts";
import { storeErrorOf } from "./sqlite-error.ts";
import type { SqliteHandle } from "./sqlite-handle.ts";

/** An open file and Kysely over it. Closing the connection closes both. */
export interface SqliteSession {
  readonly connection: SqliteConnection;
  readonly db: Kysely<Database>;
}

export interface SessionOptions {
  readonly openHandle: (path: string) => SqliteHandle;
  readonly patience: BusyPatience;
}

export function openSession(path: string, { openHandle, patience }: SessionOptions): SqliteSession {
  try {
    const connection = new SqliteConnection(path, openHandle(path), patience);
    return { connection, db: new Kysely<Database>({ dialect: createSqliteDialect(connection) }) };
  } catch (error) {
    throw storeErrorOf(error, path);
  }
}
