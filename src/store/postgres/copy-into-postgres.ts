/** The database of a home, copied into an empty one on a server. The home's file is only read: a copy of it is migrated. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { copyRows, surveyCopy, type StoreCopied } from "../copy-store.ts";
import { BUSY_LIMIT_MS } from "../sqlite/busy-retry.ts";
import { copyDatabase } from "../sqlite/database-file.ts";
import { DATABASE_NAME } from "../sqlite/home.ts";
import { openHandle } from "../sqlite/sqlite-handle.ts";
import { openSession } from "../sqlite/sqlite-session.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { PostgresPool } from "./postgres-pool.ts";
import { createDatabase, openPostgresStore } from "./postgres-store.ts";

export interface CopyOptions {
  readonly home: string;
  readonly url: string;
  readonly waitMs: number;
  readonly progress?: (table: string, rowCount: number) => void;
  /** Only says what would be copied: nothing is written to the database, and no table is made. */
  readonly isDry?: boolean;
}

/** Many large rows in one statement take longer than any statement of a gateway. */
const STATEMENT_MS = 5 * 60_000;

export async function copyIntoPostgres(options: CopyOptions): Promise<StoreCopied> {
  const { home, url, waitMs, isDry = false } = options;
  // Inside the home, so that other users cannot read it.
  const folder = mkdtempSync(join(home, ".migrate-"));
  try {
    copyDatabase(home, folder);
    await (await openSqliteStore({ home: folder })).close();
    if (!isDry) await (await openPostgresStore({ url, waitMs, pooler: true })).close();
    return await copyFile(join(folder, DATABASE_NAME), options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function copyFile(
  path: string,
  { url, waitMs, progress, isDry = false }: CopyOptions,
): Promise<StoreCopied> {
  const elapsed = () => systemClock.elapsed();
  const source = openSession(path, { openHandle, patience: { limitMs: BUSY_LIMIT_MS, elapsed } });
  const pool = new PostgresPool({
    url,
    poolSize: 1,
    // Without names for statements: it works with a pooler and without, and nothing here is done twice.
    pooler: true,
    waitMs,
    statementMs: STATEMENT_MS,
    elapsed,
  });
  try {
    // A commit whose answer was lost must not be followed by a second copy: the next attempt finds rows.
    const pass = isDry ? surveyCopy : copyRows;
    return await pool.attempt(() => pass(source.db, createDatabase(pool), progress), { canRepeat: false });
  } finally {
    await pool.close();
    await source.connection.close();
  }
}
