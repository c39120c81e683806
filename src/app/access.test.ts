/** Tokens and secrets of gateways that share a PostgreSQL and nothing else. */
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { startOAuthServer } from "../../test/rig/oauth-server.ts";
import { temporaryDatabase } from "../../test/rig/shared-postgres.ts";
import { locateStore } from "../config/locate-store.ts";
import { silentLog } from "../core/log.ts";
import { openConfigSource } from "../secrets/inputs.ts";
import type { Store } from "../core/store.ts";
import { newKey, openSealed } from "../secrets/sealed-secrets.testkit.ts";
import { createGate } from "../server/auth/gate.ts";
import { openPostgresStore } from "../store/postgres/postgres-store.ts";
import { callTool, openPlace } from "../upstream/oauth/oauth.testkit.ts";
import { openInputsOf, openTokensOf, watchTokensOf } from "./access.ts";
import { createRevisionWatch } from "./store/revision-watch.ts";

async function openStores(url: string, count: number): Promise<Store[]> {
  const stores = [];
  for (let i = 0; i < count; i++) {
    const store = await openPostgresStore({ url, poolSize: 3 });
    onTestFinished(() => store.close());
    stores.push(store);
  }
  return stores;
}

/** The gate of a gateway on this store. */
async function openGateOn(store: Store) {
  const revisions = createRevisionWatch({ revisions: store.revisions, log: silentLog });
  const home = temporaryFolder();
  const gate = createGate({
    tokens: await watchTokensOf({ home, store }, { log: silentLog, revisions }),
    log: silentLog,
  });
  onTestFinished(async () => {
    revisions.close();
    await gate.close();
  });
  const admit = async (token: string): Promise<string> =>
    (await gate.admit({ authorization: `Bearer ${token}`, remote: "10.0.0.1", resource: "/mcp" })).kind;
  /** What the poll of 400 ms does. */
  return { admit, tick: () => revisions.tick() };
}

it("a token of one gateway comes in at two others with their next poll, and goes with the next", async () => {
  const stores = await openStores(await temporaryDatabase(), 3);
  const gates = await Promise.all(stores.map(openGateOn));
  const tokens = openTokensOf({ home: temporaryFolder(), store: stores[0]! });
  const made = await tokens.create("laptop", ["read", "call"]);
  if (!made.success) throw new Error(made.error.message);
  const admitAll = async (): Promise<string[]> => {
    await Promise.all(gates.map(({ tick }) => tick()));
    return Promise.all(gates.map(({ admit }) => admit(made.data.token)));
  };
  expect(await admitAll()).toEqual(["admitted", "admitted", "admitted"]);
  await tokens.revoke("laptop");
  expect(await admitAll()).toEqual(["refused", "refused", "refused"]);
});

it("an input that was set by one process is read by others, and by a gateway that follows its config", async () => {
  vi.stubEnv("REPERTOIRE_SECRET_KEY", newKey());
  onTestFinished(() => void vi.unstubAllEnvs());
  const home = temporaryFolder();
  const file = join(home, "repertoire.json");
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { box: { command: "x", env: { KEY: "${input:box-key}" } } } }),
  );
  const env = { ...process.env, REPERTOIRE_DATABASE_URL: await temporaryDatabase() };
  const options = { configPath: file, home, env };
  const located = await locateStore(options);
  if (!located.ok) throw new Error("the store is not named");
  const opened = await openConfigSource(options, openInputsOf(located));
  if (!opened.ok) throw new Error("the config is not valid");
  onTestFinished(() => opened.source.close());
  const stateOf = () => opened.source.current().inputs.map(({ id, state }) => `${id} ${state}`);
  expect(stateOf()).toEqual(["box-key missing"]);
  const desk = openInputsOf(located);
  await desk.set("box-key", "VALUE-of-the-box");
  expect([desk.list(), desk.protectionOf("box-key")]).toEqual([["box-key"], "database"]);
  await opened.source.check();
  expect(stateOf()).toEqual(["box-key kept"]);
  expect(opened.source.current().secrets).toContain("VALUE-of-the-box");
  expect(existsSync(join(home, "secrets.json"))).toBe(false);
  vi.stubEnv("REPERTOIRE_SECRET_KEY", "");
  const locked = openInputsOf(located);
  await locked.load();
  expect([locked.list(), locked.read("box-key")]).toEqual([["box-key"], undefined]);
  await expect(locked.set("box-key", "x")).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
  expect(await locked.forget("box-key")).toBe(true);
});

/** Every value of every row, as text. */
async function readEverything(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    const texts = [];
    for (const { name } of rows)
      texts.push(JSON.stringify((await client.query(`select * from ${name}`)).rows));
    return texts.join("\n");
  } finally {
    await client.end();
  }
}

const ROUND_COUNT = 100;

it("three gateways renew a login once in each of 100 rounds, and nothing secret is in any table", async () => {
  const url = await temporaryDatabase();
  const rig = await startOAuthServer();
  const key = newKey();
  const stores = await openStores(url, 3);
  const places = stores.map((store) =>
    openPlace(rig, {}, temporaryFolder(), () => openSealed(store, { key })),
  );
  await places[0]!.logIn();
  const fetches = places.map((place) => place.openFetch());
  for (let round = 0; round < ROUND_COUNT; round++) {
    rig.expireTokens();
    rig.seen.length = 0;
    expect(await Promise.all(fetches.map((fetch) => callTool(fetch, rig)))).toEqual([200, 200, 200]);
    expect(rig.at("/token"), `round ${round}`).toHaveLength(1);
  }
  const record = await places[1]!.record();
  const made = await openTokensOf({ home: temporaryFolder(), store: stores[0]! }).create("bot", ["read"]);
  const input = randomBytes(16).toString("hex");
  await openSealed(stores[0]!, { key }).set("input:a", input);
  const everything = await readEverything(url);
  expect(everything).toContain("oauth:box");
  const secret = [
    key,
    input,
    made.success ? made.data.token : "",
    record!.tokens!.access_token,
    record!.tokens!.refresh_token!,
  ];
  for (const text of secret) {
    expect(text.length).toBeGreaterThan(15);
    expect(everything.includes(text)).toBe(false);
  }
}, 120_000);
