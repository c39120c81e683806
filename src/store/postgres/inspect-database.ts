/** What a database server says of itself, for `doctor` and `migrate`: nothing is written, and no schema is made. */
import pg from "pg";
import { DEAD_AFTER_MS } from "../../core/replica-store.ts";
import { awayError, isAway, refusedError } from "./postgres-error.ts";
import { placeOfDatabase } from "../../text/database-place.ts";

export interface DatabaseReport {
  readonly place: string;
  /** Such as 15.4, and as a number 150004. */
  readonly version: string;
  readonly versionNumber: number;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly connectionsMax: number;
  /** Of them for administrators only. */
  readonly connectionsReserved: number;
  /** How far its clock is ahead of ours. */
  readonly clockSkewMs: number;
  /** Absent where there are no tables yet. */
  readonly schema?: { readonly version: number; readonly usableFrom: number };
  /** Replicas that live. */
  readonly replicaCount: number;
  /** Something answers in the place of the server: a pooler, or a proxy that speaks its protocol. */
  readonly hasPooler: boolean;
}

/** Longer than a connect across a continent with TLS takes. */
const CONNECT_MS = 5_000;

export async function inspectDatabase(url: string): Promise<DatabaseReport> {
  const place = placeOfDatabase(url);
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
    application_name: "repertoire",
  });
  // A server that goes while nothing is asked must not end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await inspect(client, place);
  } catch (error) {
    throw isAway(error) ? awayError(place, 0, error) : refusedError(place, error);
  } finally {
    await client.end().catch(() => {});
  }
}

interface SettingsRow {
  readonly version: string;
  readonly number: number;
  readonly fsync: string;
  readonly commit: string;
  readonly most: number;
  readonly reserved: number;
  readonly pid: number;
  readonly tables: string | null;
}

// Settings that a version does not have count as 0.
const SETTINGS = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int as number,
  current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as commit,
  current_setting('max_connections')::int as most,
  current_setting('superuser_reserved_connections')::int
    + coalesce(current_setting('reserved_connections', true), '0')::int as reserved,
  pg_backend_pid() as pid,
  to_regclass('schema_version')::text as tables`;

async function inspect(client: pg.Client, place: string): Promise<DatabaseReport> {
  const { rows } = await client.query<SettingsRow>(SETTINGS);
  const { version, number, fsync, commit, most, reserved, pid, tables } = rows[0]!;
  return {
    place,
    version: version.split(" ")[0]!,
    versionNumber: number,
    fsync,
    synchronousCommit: commit,
    connectionsMax: most,
    connectionsReserved: reserved,
    clockSkewMs: await measureSkew(client),
    ...(tables === null ? { replicaCount: 0 } : await readTables(client)),
    // A pooler makes up the number that a client could cancel its statements by.
    hasPooler: (client as pg.Client & { readonly processID: number | null }).processID !== pid,
  };
}

/** Half of the way there and back is the way back. */
async function measureSkew(client: pg.Client): Promise<number> {
  const before = Date.now();
  const { rows } = await client.query<{ now: string }>(
    "select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now",
  );
  return Math.round(Number(rows[0]!.now) - (before + Date.now()) / 2);
}

async function readTables(client: pg.Client): Promise<Pick<DatabaseReport, "schema" | "replicaCount">> {
  const found = await client.query<{ version: string; usable_from: string }>(
    "select version, usable_from from schema_version where id = 1",
  );
  const [schema] = found.rows;
  const { rows } = await client.query<{ name: string | null }>(
    "select to_regclass('replicas')::text as name",
  );
  return {
    ...(schema !== undefined && {
      schema: { version: Number(schema.version), usableFrom: Number(schema.usable_from) },
    }),
    replicaCount: rows[0]?.name == null ? 0 : await countReplicas(client),
  };
}

async function countReplicas(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `select count(*) as count from replicas
     where seen_at > extract(epoch from clock_timestamp()) * 1000 - ${DEAD_AFTER_MS}`,
  );
  return Number(rows[0]!.count);
}
