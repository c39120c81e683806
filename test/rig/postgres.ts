/**
 * A real PostgreSQL for tests, on loopback, with its data in a folder for temporary files. It runs as another user where the tests run
 * as root, and it is gone when it is closed or when the process that started it ends.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { initialize, readLog, startServer, type StopMode } from "./postgres-process.ts";
import { findAccount, findPrograms, type Binaries } from "./postgres-programs.ts";

export interface PostgresOptions {
  readonly port?: number;
  /** Beside ours, or in their place. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What npm installs, unless another is asked for. */
  readonly binaries?: Binaries;
  /** Off unless it is asked for: no test cuts the power. */
  readonly fsync?: boolean;
}

export interface DatabaseOptions {
  /** Sorts by the rules of this language, as many hosted databases do, and not by bytes. */
  readonly icuLocale?: string;
  /** The url of another database of this server, of which it becomes a copy. Nothing may be connected to that one. */
  readonly template?: string;
  readonly tablespace?: string;
}

export interface Postgres {
  readonly port: number;
  /** Of a superuser, without a password. */
  readonly adminUrl: string;
  pid(): number;
  /** What the server wrote since its last start. */
  log(): string;
  /** An empty one; the answer is its address. */
  createDatabase(options?: DatabaseOptions): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** The same database for a user who needs a password. */
  withPassword(url: string): Promise<string>;
  stop(mode: StopMode): Promise<void>;
  start(): Promise<void>;
  restart(mode: StopMode): Promise<void>;
  /** Ends every connection but the one that asks; the answer is how many there were. */
  terminateBackends(): Promise<number>;
  /** Over a connection of its own. */
  query<Row = Record<string, unknown>>(
    sql: string,
    params?: readonly unknown[],
    url?: string,
  ): Promise<Row[]>;
  close(): Promise<void>;
}

/** `max_connections` is for tests with many replicas; what a test looks at is in the log. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  logging_collector: "off",
  // Many small servers on one machine: none needs a large cache.
  shared_buffers: "32MB",
  max_wal_size: "256MB",
  autovacuum_naptime: "10s",
};
/** A commit still waits until the system has it: without that, a server that is stopped at once loses what it acknowledged. */
const WITHOUT_DISK = { fsync: "off", full_page_writes: "off" };

const GUARDED = "guarded";
/** The first line that fits counts. */
const ACCESS = `host all ${GUARDED} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n`;

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const { binaries = "embedded", fsync = false, settings = {} } = options;
  const account = findAccount();
  const folder = mkdtempSync(join(tmpdir(), "repertoire-postgres-"));
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o755);
  const programs = findPrograms(binaries, folder, account);
  const place = { folder, programs, account, port: options.port ?? (await freePort()) };
  const user = `admin_${randomBytes(4).toString("hex")}`;
  initialize(place, user);
  writeFileSync(join(folder, "data/pg_hba.conf"), ACCESS);
  const all = { ...SETTINGS, ...(fsync ? {} : WITHOUT_DISK), ...settings };
  const server = { now: await startServer(place, all) };
  const adminUrl = `postgres://${user}@127.0.0.1:${place.port}/postgres`;
  const query = <Row>(sql: string, params: readonly unknown[] = [], url = adminUrl): Promise<Row[]> =>
    ask<Row>(url, sql, params);
  const start = async (): Promise<void> => {
    if (server.now.isOver()) server.now = await startServer(place, all);
  };
  const stop = (mode: StopMode): Promise<void> => server.now.stop(mode);
  return {
    port: place.port,
    adminUrl,
    pid: () => server.now.pid,
    log: () => readLog(folder),
    ...databasesOf(adminUrl, query),
    query,
    start,
    stop,
    async restart(mode) {
      await stop(mode);
      await start();
    },
    async close() {
      await stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Query = Postgres["query"];

function databasesOf(adminUrl: string, query: Query) {
  const urlOf = (name: string): string => Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  return {
    async createDatabase(options: DatabaseOptions = {}): Promise<string> {
      const { icuLocale, template, tablespace = "pg_default" } = options;
      const name = `test_${randomBytes(6).toString("hex")}`;
      const locale =
        icuLocale === undefined ? "" : ` locale_provider icu icu_locale '${icuLocale}' locale 'C'`;
      const from = template === undefined ? "template0" : new URL(template).pathname.slice(1);
      await query(`create database ${name} template ${from}${locale} tablespace ${tablespace}`);
      return urlOf(name);
    },
    async dropDatabase(url: string): Promise<void> {
      await query(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);
    },
    async withPassword(url: string): Promise<string> {
      const password = randomBytes(12).toString("base64url");
      const [row] = await query("select from pg_roles where rolname = $1", [GUARDED]);
      await query(
        `${row === undefined ? "create" : "alter"} role ${GUARDED} superuser login password '${password}'`,
      );
      return Object.assign(new URL(url), { username: GUARDED, password }).href;
    },
    async terminateBackends(): Promise<number> {
      const sql =
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'";
      return (await query(sql)).length;
    },
  };
}

async function ask<Row>(url: string, sql: string, params: readonly unknown[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // A server that goes while nothing is asked must not end the test process.
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query(sql, [...params]);
    return rows as Row[];
  } finally {
    await client.end().catch(() => {});
  }
}
