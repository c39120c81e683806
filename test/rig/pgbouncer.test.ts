import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { hasPgBouncer, startPgBouncer } from "./pgbouncer.ts";
import { startPostgres } from "./postgres.ts";

test.skipIf(!hasPgBouncer())("PgBouncer gives a connection of the server to each transaction", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const pooler = await startPgBouncer(postgres.adminUrl);
  onTestFinished(() => pooler.close());
  const url = pooler.urlOf(await postgres.createDatabase());
  const clients = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  const pids = await Promise.all(
    clients.map(
      async (client) => (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid,
    ),
  );
  expect(new Set(pids).size).toBeLessThanOrEqual(10);
  for (const client of clients) await client.end();
});
