/**
 * The store on a PostgreSQL server, shared by every replica that knows its url. The tables are in the schema `public`, so
 * that nothing depends on a setting of the session.
 *
 * Opening waits for a server that is away, brings the schema up to date under a lock, and refuses one that a newer
 * version has made unusable for this code.
 */
import {
  CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  sql,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from "kysely";
import { systemClock } from "../../core/clock.ts";
import type { Store } from "../../core/store.ts";
import type { Backend } from "../backend.ts";
import type { Database } from "../database.ts";
import type { Migration } from "../migrations.ts";
import { requireUnchangedVersion, SCHEMA_VERSION } from "../schema-version.ts";
import { createStore, type StoreOptions } from "../store.ts";
import { createUuidV7 } from "../uuid-v7.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { PostgresPool, type PoolOptions } from "./postgres-pool.ts";
import { createPostgresQueue } from "./run-queue.ts";
import { BYTEWISE_TEXT, postgresSchemaVersion, readSchema } from "./postgres-schema-version.ts";

export interface PostgresStoreOptions extends StoreOptions {
  readonly url: string;
  readonly poolSize?: number | undefined;
  readonly pooler?: boolean | undefined;
  readonly waitMs?: number | undefined;
  /** For tests. */
  readonly statementMs?: number;
  readonly migrations?: readonly Migration[];
  /** In place of the database's clock, for tests. */
  readonly databaseNow?: () => number;
}

/** 200 steps at once go through two connections in a second; more connections only cost the server memory. */
const POOL_SIZE = 10;
/** Longer than a restart or a failover takes. */
const WAIT_MS = 30_000;
/** No statement of ours takes longer than some ms; after this the other end is gone. */
const STATEMENT_MS = 10_000;
/** An index on a large table takes minutes. */
const MIGRATION_STATEMENT_MS = 10 * 60_000;

/** ms since 1970 by the clock of the server; it goes on within a transaction. */
const POSTGRES_NOW = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { clock = systemClock, migrations } = options;
  const pool = new PostgresPool(poolOptionsOf(options));
  const db = createDatabase(pool);
  const latest = migrations?.length ?? SCHEMA_VERSION;
  try {
    await prepare(pool, db, latest, options);
    const newest = await pool.attempt(() => readNewestRunId(db));
    const newId = createUuidV7(() => clock.now(), undefined, newest);
    return createStore(backendOf(pool, db, latest, options), { newId, ...options });
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function poolOptionsOf({
  url,
  poolSize,
  pooler,
  waitMs,
  statementMs,
  clock,
}: PostgresStoreOptions): PoolOptions {
  return {
    url,
    poolSize: poolSize ?? POOL_SIZE,
    pooler: pooler ?? false,
    waitMs: waitMs ?? WAIT_MS,
    statementMs: statementMs ?? STATEMENT_MS,
    elapsed: () => (clock ?? systemClock).elapsed(),
  };
}

/** A schema of this version is only read; any other is looked at again under the migrators' lock. */
async function prepare(
  pool: PostgresPool,
  db: Kysely<Database>,
  latest: number,
  options: PostgresStoreOptions,
): Promise<void> {
  const schema = await pool.attempt(() => readSchema(db));
  if (schema?.version === latest) return;
  const { migrate } = await import("../migrate.ts");
  const own = pool.openAnother(1, { statementMs: MIGRATION_STATEMENT_MS });
  const migrated = createDatabase(own).withPlugin(BYTEWISE_TEXT);
  const { migrations } = options;
  try {
    await own.attempt(
      () => migrate(migrated, { version: postgresSchemaVersion, place: own.place, migrations }),
      // As long as another replica may take for the same migration.
      { waitMs: MIGRATION_STATEMENT_MS },
    );
  } finally {
    await own.close();
  }
}

/** A process whose clock is behind makes ids after those that there are. */
async function readNewestRunId(db: Kysely<Database>): Promise<string | undefined> {
  const row = await db
    .selectFrom("runs")
    .select((eb) => eb.fn.max("id").as("newest"))
    .executeTakeFirst();
  return row?.newest ?? undefined;
}

export function createDatabase(pool: PostgresPool): Kysely<Database> {
  const dialect: Dialect = {
    createDriver: () => createDriver(pool),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: () => {
      throw new Error("the store knows its tables and does not ask for them");
    },
  };
  return new Kysely<Database>({ dialect });
}

function createDriver(pool: PostgresPool): Driver {
  const ours = (connection: DatabaseConnection) => connection as PostgresConnection;
  return {
    async init() {},
    acquireConnection: () => pool.acquire(),
    async releaseConnection(connection) {
      pool.release(ours(connection));
    },
    beginTransaction: (connection) => ours(connection).begin(),
    commitTransaction: (connection) => ours(connection).commit(),
    rollbackTransaction: (connection) => ours(connection).rollback(),
    destroy: () => pool.close(),
  };
}

function backendOf(
  pool: PostgresPool,
  db: Kysely<Database>,
  latest: number,
  { databaseNow }: PostgresStoreOptions,
): Backend {
  const queue = createPostgresQueue(pool);
  return {
    db,
    // To leave the flush to the server takes a transaction of four round trips, which costs more than it saves.
    light: db,
    settle: () => Promise.resolve(),
    isShared: true,
    get databaseNow() {
      return databaseNow === undefined ? POSTGRES_NOW : sql<number>`cast(${databaseNow()} as bigint)`;
    },
    attempt: (work, options) => pool.attempt(work, options),
    holdRows: (query) => query.forShare(),
    lockRows: (query) => query.forUpdate(),
    async serialize(trx, name) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`repertoire ${name}`}, 0))`.execute(trx);
    },
    enqueue: queue.enqueue,
    openQueue: queue.open,
    status: () => ({ kind: "postgresql", place: pool.place, ...pool.status }),
    // The server checks its own pages; what can be wrong beyond them is in the tables.
    findDamage: () => Promise.resolve([]),
    changeMark: () => pool.attempt(() => readSnapshot(db)),
    check: () => pool.attempt(() => checkSchema(pool, latest), { waitMs: 0 }),
    async close() {
      await queue.close();
      await pool.close();
    },
  };
}

/** Which transactions have ended, for those who look now. */
async function readSnapshot(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ mark: string }>`select pg_current_snapshot()::text as mark`.execute(db);
  return rows[0]!.mark;
}

/** At once or not at all: who checks wants to know whether the server is away. */
async function checkSchema(pool: PostgresPool, latest: number): Promise<void> {
  const connection = await pool.acquire(0);
  try {
    const { rows } = await connection.executeQuery<{ version: number; usable_from: number }>(SELECT_VERSION);
    const [schema] = rows;
    if (schema !== undefined && schema.version > latest)
      requireUnchangedVersion(schema.usable_from, latest, pool.place);
  } finally {
    pool.release(connection);
  }
}

const SELECT_VERSION = CompiledQuery.raw("select version, usable_from from schema_version where id = 1");
