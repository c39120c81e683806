import { expect, it } from "vitest";
import type { DatabaseReport } from "../../app/store/database-report.ts";
import { requireConfig } from "../../config/temp-project.testkit.ts";
import { checkDatabase, checkReplica, describeBroken } from "./database-checks.ts";

const sound: DatabaseReport = {
  place: "postgres://db:5432/x",
  version: "15.4",
  versionNumber: 150_004,
  fsync: "on",
  synchronousCommit: "on",
  connectionsMax: 100,
  connectionsReserved: 3,
  clockSkewMs: 12,
  schema: { version: 8, usableFrom: 8 },
  replicaCount: 3,
  hasPooler: false,
};

function check(report: Partial<DatabaseReport>, store: object = {}, env: Record<string, string> = {}) {
  const config = requireConfig({ store: { url: "postgres://u:hidden-word@db:5432/x", ...store } });
  const deps = { store: config.store, options: {}, latestVersion: 8, env };
  const checks = checkDatabase({ ...sound, ...report }, deps);
  expect(JSON.stringify(checks)).not.toContain("hidden-word");
  return checks.map(({ state, message, cure = "" }) => `${state}: ${message} → ${cure}`).join("\n");
}

it("a sound database is one line", () => {
  expect(check({})).toBe("ok: PostgreSQL 15.4 at postgres://db:5432/x, 3 gateways on it → ");
});

it.each<[string, Partial<DatabaseReport>, object, string]>([
  [
    "too old",
    { version: "14.9", versionNumber: 140_009 },
    {},
    "failed: PostgreSQL 14.9 at postgres://db:5432/x is too old",
  ],
  ["without fsync", { fsync: "off" }, {}, "failed: the database has fsync off"],
  ["that forgets", { synchronousCommit: "off" }, {}, "warning: the database has synchronous_commit off"],
  ["ahead", { clockSkewMs: 2_100 }, {}, "warning: the database's clock is 2.1 s ahead of this machine's"],
  ["behind", { clockSkewMs: -9_000 }, {}, "warning: the database's clock is 9.0 s behind this machine's"],
  [
    "full",
    { replicaCount: 10 },
    {},
    "warning: 10 gateways with 10 connections each need 100; the database has 97",
  ],
  ["empty", { schema: undefined, replicaCount: 0 }, {}, "warning: the database has no tables yet"],
  [
    "older",
    { schema: { version: 7, usableFrom: 7 } },
    {},
    "warning: the database has schema version 7; the next gateway brings it to 8 → repertoire migrate",
  ],
  [
    "newer",
    { schema: { version: 9, usableFrom: 9 } },
    {},
    "failed: a newer Repertoire has changed the database to schema version 9",
  ],
  ["newer and usable", { schema: { version: 9, usableFrom: 8 } }, {}, "this one (8) still works on it"],
  ["behind a pooler", { hasPooler: true }, {}, "warning: a pooler such as PgBouncer is in front"],
])("a database that is %s is told with its cure", (_, report, store, told) => {
  expect(check(report, store)).toContain(told);
});

it("the cures name the database without its password", () => {
  expect(check({ fsync: "off" })).toContain(
    "→ psql -h db -p 5432 -d x -c 'alter system set fsync = on' -c 'select pg_reload_conf()'",
  );
  expect(check({ fsync: "off" }, {}, { REPERTOIRE_DATABASE_URL: "set" })).toContain(
    `→ psql "$REPERTOIRE_DATABASE_URL" -c 'alter system`,
  );
});

it("a pooler that is configured is no finding, and its connections are not the server's", () => {
  expect(check({ hasPooler: true, replicaCount: 50 }, { pooler: true })).toMatch(/^ok: [^\n]*$/);
});

it("a database that cannot be reached has a command to ask it by", () => {
  const { store } = requireConfig({ store: { url: "postgres://u:hidden-word@db:5432/x" } });
  const deps = { store, options: {}, latestVersion: 8, env: {} };
  const away = describeBroken({ code: "STORE_BUSY", message: "away" }, deps);
  expect(away).toMatchObject({ state: "failed", cure: "pg_isready -h db -p 5432" });
  const refused = describeBroken({ code: "STORE_REFUSED", message: "no", hint: "Check." }, deps);
  expect(refused).toMatchObject({ cure: "psql -h db -p 5432 -d x -c 'select 1'", advice: "Check." });
});

it("a replica needs a key, an address that answers, and knows what runs once for each", async () => {
  const config = requireConfig(
    {
      mcpServers: {
        git: { command: "git-server" },
        off: { command: "x", enabled: false },
        web: { url: "http://w" },
      },
    },
    { REPERTOIRE_REPLICA_URL: "http://pod-1:7373" },
  );
  const asked: string[] = [];
  const deps = { hasSecretKey: false, makeKey: "make key" };
  const reach = (answer: boolean) => async (url: string) => {
    asked.push(url);
    return answer;
  };
  const checks = await checkReplica(config, { ...deps, reach: reach(false) });
  expect(checks.map(({ state, message }) => `${state}: ${message}`)).toEqual([
    "warning: REPERTOIRE_SECRET_KEY is not set: logins and inputs cannot be stored in the database",
    "warning: nothing answers at http://pod-1:7373 (REPERTOIRE_REPLICA_URL)",
    "ok: one process for each gateway: git",
  ]);
  const sounder = await checkReplica(config, { hasSecretKey: true, makeKey: "", reach: reach(true) });
  expect(sounder.every(({ state }) => state === "ok")).toBe(true);
  expect(asked).toEqual(["http://pod-1:7373", "http://pod-1:7373"]);
});
