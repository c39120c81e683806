import { expect, it, onTestFinished } from "vitest";
import { hasPgBouncer, startPgBouncer } from "../../../test/rig/pgbouncer.ts";
import { useDatabase } from "../../../test/rig/shared-postgres.ts";
import { SCHEMA_VERSION } from "../schema-version.ts";
import { inspectDatabase } from "./inspect-database.ts";
import { openPostgresStore } from "./postgres-store.ts";

const database = useDatabase();

it("says what the server is, before there are tables and after", async () => {
  const before = await inspectDatabase(database.url);
  expect(before).toMatchObject({ fsync: "off", hasPooler: false, replicaCount: 0 });
  expect(before.versionNumber).toBeGreaterThanOrEqual(150_000);
  expect(before.version).toMatch(/^\d+\.\d+$/);
  expect(before.connectionsMax).toBe(200);
  expect(before.schema).toBeUndefined();
  expect(Math.abs(before.clockSkewMs)).toBeLessThan(2_000);
  const store = await openPostgresStore({ url: database.url });
  const replica = { id: "r1", owner: "o1", place: "here", url: null, version: "1", isDraining: false };
  await store.replicas.beat(replica);
  const after = await inspectDatabase(database.url);
  expect(after).toMatchObject({ schema: { version: SCHEMA_VERSION }, replicaCount: 1 });
  await store.close();
});

it("a server that is not there is away, and a database that is not there is refused", async () => {
  const elsewhere = Object.assign(new URL(database.url), { port: "1" }).href;
  await expect(inspectDatabase(elsewhere)).rejects.toMatchObject({ code: "STORE_BUSY" });
  const missing = Object.assign(new URL(database.url), { pathname: "/no_such_database" }).href;
  await expect(inspectDatabase(missing)).rejects.toMatchObject({ code: "STORE_REFUSED" });
});

it.skipIf(!hasPgBouncer())("sees that a pooler is in front", async () => {
  const pooler = await startPgBouncer(database.url);
  onTestFinished(() => pooler.close());
  expect(await inspectDatabase(pooler.urlOf(database.url))).toMatchObject({ hasPooler: true });
});
