/** `repertoire migrate`: the schema up to date, and a home that moves to PostgreSQL whole or not at all. */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Store } from "../src/core/store.ts";
import { openHomeTokens } from "../src/server/auth/tokens.testkit.ts";
import { openSecretStore } from "../src/secrets/secrets.ts";
import { COPIED_TABLES, LEFT_TABLES } from "../src/store/copy-store.ts";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import { SCHEMA_VERSION } from "../src/store/schema-version.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { callOf } from "../src/store/testsuite/calls.ts";
import { placeOfDatabase } from "../src/text/database-place.ts";
import { runCli } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { temporaryDatabase } from "./rig/shared-postgres.ts";

const AUDIT_COUNT = 450;

/** A home with more rows of one table than are copied at a time, large values, tokens, drafts and a secret. */
async function fillHome(): Promise<{ folder: string; home: string; value: string }> {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const store = await openSqliteStore({ home });
  for (let i = 0; i < AUDIT_COUNT; i++)
    await store.audit.append({ actor: "test", action: "counted", subject: `${i}`, details: { i } });
  await store.calls.append([callOf({ at: 1, tool: "files__read" }), callOf({ at: 2, tool: "mail__send" })]);
  await store.tokenCounts.put("t", new Map([["a", 1]]));
  await store.close();
  mkdirSync(join(home, "drafts"), { recursive: true });
  writeFileSync(join(home, "drafts/weekly.ts"), "return 1;");
  openHomeTokens(home).create("ci", ["read"]);
  const value = `login-${randomBytes(12).toString("hex")}`;
  await openSecretStore({ home, env: { REPERTOIRE_KEYRING: "off" } }).set("input:key", value);
  return { folder, home, value };
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

async function usePostgres<T>(url: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openPostgresStore({ url });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const SECRETS = { REPERTOIRE_KEYRING: "off", REPERTOIRE_SECRET_KEY: randomBytes(32).toString("base64url") };

describe("migrate --to", () => {
  it("copies rows, tokens, drafts and secrets, and leaves the file as it is", async () => {
    const { folder, home, value } = await fillHome();
    const url = await temporaryDatabase();
    const before = hashOf(join(home, "repertoire.db"));
    const { stdout, stderr, status } = runCli(["migrate", "--to", url, "--json"], { folder, env: SECRETS });
    expect({ stderr, status }).toMatchObject({ status: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      from: home,
      rows: { audit: AUDIT_COUNT, audit_head: 1, calls: 2, token_counts: 1, runs: 0 },
      tokens: 1,
      drafts: 1,
      secrets: 1,
      left_secrets: [],
      audit: { whole: true },
    });
    expect(hashOf(join(home, "repertoire.db"))).toBe(before);
    await usePostgres(url, async (store) => {
      expect(await store.audit.findBreak()).toBeUndefined();
      expect(await store.findDamage()).toEqual([]);
      await store.audit.append({ actor: "test", action: "goes on", subject: "", details: {} });
      expect((await store.audit.newest({ limit: 1 }))[0]?.seq).toBe(AUDIT_COUNT + 1);
      expect((await store.tokens.list()).map(({ name }) => name)).toEqual(["ci"]);
      expect(await store.drafts.find({ org: "local", project: "default" }, "weekly")).toMatchObject({
        text: "return 1;",
      });
      const [secret] = await store.secrets.list("");
      expect(secret).toMatchObject({ name: "input:key" });
      expect(JSON.stringify(secret)).not.toContain(value);
    });
    const again = runCli(["migrate", "--to", url], { folder, env: SECRETS });
    expect(again.stderr).toMatch(/is not empty: its table \w+ has rows\. Nothing was copied/);
    expect(again.status).not.toBe(0);
  });

  it("--dry-run: says the same, finds what would be refused, and makes no table", async () => {
    const { folder } = await fillHome();
    const url = await temporaryDatabase();
    const dry = () => runCli(["migrate", "--to", url, "--dry-run", "--json"], { folder, env: SECRETS });
    const { stdout, status } = dry();
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      dryRun: true,
      from: expect.any(String),
      to: placeOfDatabase(url),
      rows: expect.objectContaining({ audit: AUDIT_COUNT, calls: 2, runs: 0 }),
      tokens: 1,
      drafts: 1,
      secrets: 1,
      left_secrets: [],
    });
    const update = (...more: string[]) =>
      runCli(["migrate", "--json", ...more], { folder, env: { ...SECRETS, REPERTOIRE_DATABASE_URL: url } });
    const version = { kind: "postgresql", from: null, to: SCHEMA_VERSION };
    expect(JSON.parse(update("--dry-run").stdout)).toMatchObject({ dryRun: true, ...version });
    expect(JSON.parse(update().stdout)).toMatchObject(version);
    expect(dry().status).toBe(0);
    await usePostgres(url, (store) => store.tokenCounts.put("t", new Map([["a", 1]])));
    expect(dry().stdout).toContain("token_counts has rows");
  });

  it("says which secrets were left where there is no key for them, and how to switch", async () => {
    const { folder, home } = await fillHome();
    const url = await temporaryDatabase();
    const { stderr, status } = runCli(["migrate", "--to", url], {
      folder,
      env: { REPERTOIRE_KEYRING: "off" },
    });
    expect(stderr).toContain("1 token, 1 draft, 0 secrets to ");
    expect(stderr).toContain("1 stored secret left in the home: they need REPERTOIRE_SECRET_KEY");
    expect(stderr).toContain(
      `${home} is as it was. To use the database from now on, set REPERTOIRE_DATABASE_URL`,
    );
    expect(status).toBe(0);
  });

  it("names rows with a NUL character, and copies nothing", async () => {
    const { folder, home } = await fillHome();
    const url = await temporaryDatabase();
    const raw = new DatabaseSync(join(home, "repertoire.db"));
    raw.exec("update audit set subject = 'a' || char(0) || 'b' where seq = 300");
    raw.close();
    const { stderr, status } = runCli(["migrate", "--to", url], { folder, env: SECRETS });
    expect(stderr).toContain("these texts have one: audit.subject (seq=300). Nothing was copied.");
    expect(status).not.toBe(0);
    await usePostgres(url, async (store) => {
      expect(await store.audit.newest({ limit: 1 })).toEqual([]);
      expect(await store.tokens.list()).toEqual([]);
    });
  });

  it("refuses an address that is none, and a home without a database", () => {
    const wrong = runCli(["migrate", "--to", "mysql://u:hidden-word@h/d"]);
    expect(wrong.stderr).toContain("--to must begin with postgres:// or postgresql://");
    expect(wrong.stderr).not.toContain("hidden-word");
    expect(wrong.status).toBe(2);
    const empty = runCli(["migrate", "--to", "postgres://127.0.0.1:1/d"]);
    expect(empty.stderr).toContain("There is no database to copy");
    expect(empty.status).not.toBe(0);
  });

  it("refuses a home that a gateway serves", async () => {
    const { folder, home } = await fillHome();
    const { createOwner } = await import("../src/runs/journal/owner.ts");
    mkdirSync(join(home, "live"), { recursive: true });
    const live = {
      owner: createOwner(),
      pid: process.pid,
      startedAt: 1,
      serves: "http",
      servers: [],
      calls: [],
    };
    writeFileSync(join(home, "live/1.json"), JSON.stringify(live));
    const { stderr, status } = runCli(["migrate", "--to", "postgres://127.0.0.1:1/d"], { folder });
    expect(stderr).toContain(`A gateway serves ${home} (process ${process.pid})`);
    expect(status).not.toBe(0);
  });
});

describe("migrate", () => {
  it("makes the tables of a database, and says when there is nothing to do", async () => {
    const url = await temporaryDatabase();
    const run = () => runCli(["migrate", "--json"], { env: { REPERTOIRE_DATABASE_URL: url } });
    expect(JSON.parse(run().stdout)).toMatchObject({ kind: "postgresql", from: null, to: SCHEMA_VERSION });
    expect(JSON.parse(run().stdout)).toMatchObject({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
  });

  it("does the same for the file of a home", () => {
    const folder = temporaryFolder();
    expect(runCli(["migrate"], { folder }).stderr).toContain(`schema version ${SCHEMA_VERSION}.`);
    expect(runCli(["migrate"], { folder }).stderr).toContain("is up to date");
  });
});

it("every table is copied or left for a reason", async () => {
  const home = join(temporaryFolder(), "home");
  await (await openSqliteStore({ home })).close();
  const raw = new DatabaseSync(join(home, "repertoire.db"));
  const tables = raw.prepare("select name from sqlite_schema where type = 'table'").all() as {
    name: string;
  }[];
  raw.close();
  expect([...COPIED_TABLES, ...LEFT_TABLES].sort()).toEqual(tables.map(({ name }) => name).sort());
});
