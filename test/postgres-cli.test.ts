/** Every command works on the store that the config names: here a PostgreSQL database, with nothing in the home. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import { callOf } from "../src/store/testsuite/calls.ts";
import { runCli, startGateway } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { useDatabase } from "./rig/shared-postgres.ts";

const SECRET = "a-very-hidden-word";
const database = useDatabase();
const another = useDatabase();

/** The server trusts everybody on loopback, so that any password will do. */
function withPassword(url: string): string {
  return Object.assign(new URL(url), { password: SECRET }).href;
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

it("reads the database that the environment names, and makes no home", async () => {
  const url = withPassword(database.url);
  const store = await openPostgresStore({ url });
  await store.audit.append({ actor: "test", action: "tested", subject: "it", details: {} });
  await store.calls.append([callOf({ at: Date.now(), tool: "files__read" })]);
  await store.close();
  const folder = temporaryFolder();
  const env = { REPERTOIRE_DATABASE_URL: url };
  const run = (...args: string[]) => runCli([...args, "--json"], { folder, env });
  expect(JSON.parse(run("audit", "verify").stdout)).toMatchObject({ whole: true, entries: 1 });
  expect(run("audit").stdout).toContain('"tested"');
  expect(run("calls").stdout).toContain("files__read");
  expect(run("runs").status).toBe(0);
  expect(run("list").status).toBe(0);
  expect(existsSync(join(folder, "home"))).toBe(false);
});

it("reads the database that the user's file names, and shows its place alone", () => {
  const url = withPassword(another.url);
  const folder = temporaryFolder();
  mkdirSync(join(folder, "config/repertoire"), { recursive: true });
  writeFileSync(join(folder, "config/repertoire/repertoire.json"), JSON.stringify({ store: { url } }));
  const checked = runCli(["config", "check", "--json"], { folder });
  expect(JSON.parse(checked.stdout)).toMatchObject({ config: { store: { place: placeOf(url) } } });
  const shown = [
    checked,
    runCli(["audit", "verify"], { folder }),
    runCli(["status", "--json"], { folder }),
    runCli(["doctor", "--json"], { folder }),
    runCli(["bug-report"], { folder }),
  ];
  expect(JSON.parse(shown[2]!.stdout)).toMatchObject({ store: { kind: "postgresql", replicas: 0 } });
  // The server of tests does without the disk, which no gateway should.
  const told = JSON.parse(shown[3]!.stdout) as { ok: boolean; checks: { state: string; message: string }[] };
  const failed = told.checks.filter(({ state }) => state === "failed").map(({ message }) => message);
  expect(failed).toEqual([expect.stringContaining("the database has fsync off")]);
  expect(told.checks.map(({ message }) => message).join()).toContain("REPERTOIRE_SECRET_KEY is not set");
  for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain(SECRET);
  expect(existsSync(join(folder, "home"))).toBe(false);
});

it("refuses a dry run, which works on a copy", () => {
  const { status, stderr } = runCli(["delete", "a:b", "--dry-run"], {
    env: { REPERTOIRE_DATABASE_URL: withPassword(database.url) },
  });
  expect(stderr).toContain(
    `--dry-run works on a copy of the store, and ${placeOf(database.url)} is not copied`,
  );
  expect(stderr).not.toContain(SECRET);
  expect(status).toBe(2);
});

it("says what is wrong with the address of the database", () => {
  const { status, stderr } = runCli(["audit", "verify"], {
    env: { REPERTOIRE_DATABASE_URL: `mysql://u:${SECRET}@h/d` },
  });
  expect(stderr).toContain("REPERTOIRE_DATABASE_URL: must begin with postgres:// or postgresql://");
  expect(stderr).not.toContain(SECRET);
  expect(status).toBe(2);
});

it("serves over HTTP without a home, and says where its store is", async () => {
  const folder = temporaryFolder();
  const token = randomBytes(32).toString("hex");
  const env = { REPERTOIRE_DATABASE_URL: withPassword(database.url), REPERTOIRE_TOKEN: token };
  const gateway = startGateway({ folder, env, args: ["--http", "127.0.0.1:0", "--ready-json"] });
  const ready = await eventually(`the address (${gateway.stderr()})`, () =>
    gateway.stdout().includes("\n") ? (JSON.parse(gateway.stdout()) as { url: string }) : undefined,
  );
  const get = async (path: string) => {
    const response = await fetch(new URL(path, ready.url), { headers: { Authorization: `Bearer ${token}` } });
    return { status: response.status, text: await response.text() };
  };
  const health = await get("/health");
  expect(JSON.parse(health.text)).toMatchObject({ status: "ok", store: { kind: "postgresql", replicas: 1 } });
  const metrics = await get("/metrics");
  expect(metrics.text).toMatch(/^repertoire_store_up\{replica="[\w-]+"\} 1$/m);
  expect(metrics.text).toMatch(/^repertoire_replicas\{replica="[\w-]+"\} 1$/m);
  gateway.child.kill("SIGTERM");
  expect(await gateway.exited()).toMatchObject({ code: 143 });
  for (const text of [health.text, metrics.text, gateway.stdout(), gateway.stderr()])
    expect(text).not.toContain(SECRET);
  expect(existsSync(join(folder, "home"))).toBe(false);
});
