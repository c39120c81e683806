import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { startPgBouncer, type PgBouncer } from "../../../test/rig/pgbouncer.ts";
import { useDatabase } from "../../../test/rig/shared-postgres.ts";
import type { Clock } from "../../core/clock.ts";
import { describeSharedStore, describeStore } from "../store.testsuite.ts";
import type { OpenedStore } from "../testsuite/fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

/** Each test gets the same database, emptied: making one for each would take longer than most tests. */
function describeOn(name: string, database: { readonly url: string }, pooler: boolean): void {
  let seeds: ReadonlyMap<string, string> | undefined;

  async function openEmpty(clock: Clock, databaseNow?: () => number): Promise<OpenedStore> {
    const options = { url: database.url, pooler, clock, ...(databaseNow !== undefined && { databaseNow }) };
    if (seeds === undefined) {
      await (await openPostgresStore(options)).close();
      seeds = await readSeeds(database.url);
    } else await empty(database.url, seeds);
    const first = await openPostgresStore(options);
    let current = first;
    return {
      store: first,
      async reopen() {
        await current.close();
        current = await openPostgresStore(options);
        return current;
      },
      dispose: () => current.close(),
    };
  }

  describeStore(name, openEmpty);
  describeSharedStore(name, openEmpty);
}

/** What the migrations put into each table, as JSON. */
async function readSeeds(url: string): Promise<ReadonlyMap<string, string>> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    const seeds = new Map<string, string>();
    for (const { name } of rows) {
      const found = await client.query<{ rows: string }>(
        `select coalesce(json_agg(t), '[]')::text as rows from ${name} t`,
      );
      seeds.set(name, found.rows[0]!.rows);
    }
    return seeds;
  });
}

async function empty(url: string, seeds: ReadonlyMap<string, string>): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`truncate ${[...seeds.keys()].join(", ")}`);
    for (const [name, rows] of seeds) {
      if (rows !== "[]")
        await client.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1)`, [
          rows,
        ]);
    }
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** `npm run soak:replicas` runs the suite behind a pooler, where one is installed. */
if (process.env["TEST_POOLER"] === undefined) describeOn("the PostgreSQL store", useDatabase(), false);
else describeOn("the PostgreSQL store behind PgBouncer", usePooler(useDatabase()), true);

/** The database through a pooler of this file's own. */
function usePooler(database: { readonly url: string }): { readonly url: string } {
  let pooler: PgBouncer;
  beforeAll(async () => {
    pooler = await startPgBouncer(database.url);
  });
  afterAll(() => pooler.close());
  return {
    get url() {
      return pooler.urlOf(database.url);
    },
  };
}
