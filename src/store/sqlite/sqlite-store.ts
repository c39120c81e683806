/**
 * The store in a file of the home folder, shared by every process of this user on this machine.
 *
 * A file that is there is never replaced, emptied or migrated unless it is provably ours. A file that is missing is
 * made whole before it gets its name. A warm start opens the file, reads its version, sets the pragmas, and loads no
 * migration.
 */
import { resolve } from "node:path";
import { sql, type Kysely } from "kysely";
import { systemClock } from "../../core/clock.ts";
import { RepertoireError } from "../../core/errors.ts";
import type { Store } from "../../core/store.ts";
import { ONE_WRITER, type Backend } from "../backend.ts";
import type { Database } from "../database.ts";
import type { Migration } from "../migrations.ts";
import { SCHEMA_VERSION } from "../schema-version.ts";
import { createStore, type StoreOptions } from "../store.ts";
import { createUuidV7 } from "../uuid-v7.ts";
import { BUSY_LIMIT_MS } from "./busy-retry.ts";
import { isPresent, requireOwnDatabase } from "./database-file.ts";
import { DATABASE_NAME, requireHome } from "./home.ts";
import { openHandle, requireSqliteVersion, type SqliteHandle } from "./sqlite-handle.ts";
import { sqliteSchemaVersion } from "./sqlite-schema-version.ts";
import { openSession, type SessionOptions, type SqliteSession } from "./sqlite-session.ts";

export interface SqliteStoreOptions extends StoreOptions {
  /** The folder of the database; made when it is missing. */
  readonly home: string;
  /** How long a write waits for other processes before it gives up with `STORE_BUSY`. */
  readonly busyLimitMs?: number;
  /** Tests put in a handle that fails, and a schema that goes on. */
  readonly openHandle?: (path: string) => SqliteHandle;
  readonly migrations?: readonly Migration[];
  /** In place of the database's clock, for tests. */
  readonly databaseNow?: () => number;
  /** As if other machines used it too, for tests of what then differs. */
  readonly isShared?: boolean;
}

/** ms since 1970 by the clock of the machine that holds the file. */
const SQLITE_NOW = sql<number>`cast(round(unixepoch('subsec') * 1000) as integer)`;

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const path = resolve(options.home, DATABASE_NAME);
  const latestVersion = options.migrations?.length ?? SCHEMA_VERSION;
  const open = (file: string): SqliteSession => openSession(file, sessionOptionsOf(options));
  requireSqliteVersion();
  requireHome(options.home);
  if (!isPresent(path)) {
    const { createDatabase } = await import("./create-database.ts");
    await createDatabase(path, { open, migrations: options.migrations });
  }
  requireOwnDatabase(path, latestVersion);
  const session = open(path);
  try {
    await prepare(session, latestVersion, options.migrations);
    session.connection.guard(latestVersion);
  } catch (error) {
    session.connection.abandon();
    throw error;
  }
  return createStore(backendOf(session, options), { newId: await continueIds(session, options), ...options });
}

/** A process that starts after the clock went back makes ids behind those that there are. */
async function continueIds({ db }: SqliteSession, { clock = systemClock }: SqliteStoreOptions) {
  // Whatever is wrong with the file is reported by the first statement that needs it.
  const row = await db
    .selectFrom("runs")
    .select((eb) => eb.fn.max("id").as("newest"))
    .executeTakeFirst()
    .catch(() => undefined);
  return createUuidV7(() => clock.now(), undefined, row?.newest ?? undefined);
}

function sessionOptionsOf(options: SqliteStoreOptions): SessionOptions {
  const { clock = systemClock, busyLimitMs = BUSY_LIMIT_MS } = options;
  const patience = { limitMs: busyLimitMs, elapsed: () => clock.elapsed() };
  return { openHandle: options.openHandle ?? openHandle, patience };
}

/** Reads before it writes: the pragma that turns the WAL on would change the file. */
async function prepare(
  { db, connection: { path } }: SqliteSession,
  latestVersion: number,
  migrations: readonly Migration[] | undefined,
): Promise<void> {
  const version = await sqliteSchemaVersion.read(db);
  await requireWal(db, path);
  // FULL brings every commit to disk before it is acknowledged; in WAL the default may lose the last ones.
  await sql`pragma synchronous = full`.execute(db);
  await sql`pragma trusted_schema = off`.execute(db);
  if (version === latestVersion) return;
  // Also where the version is newer, as only the WAL may say: the migrator refuses it.
  const { migrate } = await import("../migrate.ts");
  await migrate(db, { version: sqliteSchemaVersion, place: path, migrations });
}

async function requireWal(db: Kysely<Database>, path: string): Promise<void> {
  const { rows } = await sql<{ journal_mode: string }>`pragma journal_mode = wal`.execute(db);
  if (rows[0]?.journal_mode === "wal") return;
  throw new RepertoireError(
    "STORE_UNSUPPORTED",
    `The file system of ${path} cannot share memory between processes`,
    {
      hint: "Set REPERTOIRE_HOME to a folder on a local disk; network folders cannot hold a database that is shared.",
    },
  );
}

function backendOf(
  { db, light, connection }: SqliteSession,
  { databaseNow, isShared = false }: SqliteStoreOptions,
): Backend {
  return {
    ...ONE_WRITER,
    db,
    light,
    settle: () => connection.settle(),
    isShared,
    get databaseNow() {
      return databaseNow === undefined ? SQLITE_NOW : sql<number>`${databaseNow()}`;
    },
    status: () => ({ kind: "sqlite", place: connection.path }),
    findDamage: () => findSqliteDamage(db),
    changeMark: () => connection.changeMark(),
    check: () => connection.check(),
    close: () => connection.close(),
  };
}

/** What SQLite itself finds wrong with the file; it reads every page and blocks while it does. */
async function findSqliteDamage(db: Kysely<Database>): Promise<string[]> {
  try {
    return [...(await findBrokenPages(db)), ...(await findOrphans(db))];
  } catch (error) {
    if (error instanceof RepertoireError && error.code === "STORE_DAMAGED") return [error.message];
    throw error;
  }
}

async function findBrokenPages(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  return rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
}

async function findOrphans(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ table: string; parent: string }>`pragma foreign_key_check`.execute(db);
  return rows.map((row) => `A row of ${row.table} belongs to a row of ${row.parent} that is missing.`);
}
