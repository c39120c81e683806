import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { contextOf } from "../../test/fixtures/tool-source.ts";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import type { Config } from "../config/config.ts";
import { silentLog } from "../core/log.ts";
import { loadConfigWithInputs, openConfigSource, openInputs } from "./inputs.ts";
import { createRegistry } from "../registry/registry.ts";
import { openSecretStore, type Keyring } from "./secrets.ts";
import { createServers } from "../servers/configured-servers.ts";
import { viewServer } from "../app/server-view.ts";

const CANARY = "c4nary".repeat(4);
const OFF = { REPERTOIRE_KEYRING: "off" };

const openFile = (home: string) => openInputs({ home, secrets: openSecretStore({ home, env: OFF }) });

function writeConfig(content: unknown) {
  const folder = temporaryFolder();
  const configPath = join(folder, "repertoire.json");
  writeFileSync(configPath, JSON.stringify(content));
  return {
    home: join(folder, "home"),
    place: { configPath, home: join(folder, "home"), cwd: folder, env: {} },
  };
}

const NEEDY = { mcpServers: { needy: { command: "never-started", env: { KEY: "${input:key}" } } } };

it("values are there after they are loaded, in this process and the next", async () => {
  const home = temporaryFolder();
  const first = openFile(home);
  await first.set("a", "1");
  await first.set("b", "2");
  expect([first.read("a"), first.list(), first.protectionOf("a")]).toEqual(["1", ["a", "b"], "file"]);
  const second = openFile(home);
  expect(second.read("a")).toBeUndefined();
  await second.load();
  expect([second.read("a"), second.read("b"), second.read("constructor")]).toEqual(["1", "2", undefined]);
  expect([await second.forget("a"), await second.forget("a"), second.read("a")]).toEqual([
    true,
    false,
    undefined,
  ]);
  await first.load();
  expect([first.list(), first.read("a"), first.protectionOf("a")]).toEqual([["b"], undefined, undefined]);
});

it("T136: with a keyring the file does not hold a value; without it the input counts as missing and is still listed", async () => {
  const home = temporaryFolder();
  let held: string | undefined;
  const keyring: Keyring = { get: async () => held, set: async (secret) => void (held = secret) };
  const sealed = openInputs({
    home,
    secrets: openSecretStore({ home, env: {}, openKeyring: async () => keyring }),
  });
  await sealed.set("a", CANARY);
  expect(readFileSync(sealed.path, "utf8")).not.toContain(CANARY);
  const bare = openFile(home);
  await bare.load();
  expect([bare.read("a"), bare.list(), bare.protectionOf("a")]).toEqual([undefined, ["a"], "keyring"]);
});

it("a config without inputs touches neither the keyring nor the secrets", async () => {
  const { home, place } = writeConfig({ mcpServers: { a: { command: "x", args: ["${HOME:-y}"] } } });
  const secrets = openSecretStore({
    home,
    env: {},
    openKeyring: () => Promise.reject(new Error("the keyring was asked")),
  });
  const names = () => {
    throw new Error("the secrets were read");
  };
  const inputs = openInputs({ home, secrets: { ...secrets, names } });
  const opened = await openConfigSource({ ...place, isWatched: false }, inputs);
  expect(opened.ok).toBe(true);
  expect(existsSync(home)).toBe(false);
});

it("a file that is not trusted does not even have the values loaded", async () => {
  const { home, place } = writeConfig(NEEDY);
  const { configPath: _, ...project } = place;
  const inputs = { ...openFile(home), load: () => Promise.reject(new Error("the values were read")) };
  const loaded = await loadConfigWithInputs(project, inputs);
  expect(loaded).toMatchObject({
    ok: true,
    config: { servers: [{ trusted: false, missingInputs: ["key"] }] },
  });
});

it("a server that lacks an input says so to everybody, and is started anew when another process gives it", async () => {
  const { home, place } = writeConfig(NEEDY);
  const own = openFile(home);
  await own.set("unrelated", "x");
  const opened = await openConfigSource({ ...place, settleMs: 1 }, own);
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const { source } = opened;
  const registry = createRegistry();
  onTestFinished(async () => {
    source.close();
    await registry.close();
  });
  const servers = createServers({
    registry,
    log: silentLog,
    version: "0",
    home,
    client: () => undefined,
    prefersModern: () => false,
    secrets: openSecretStore({ home, env: OFF }),
  });
  await servers.reconcile(source.current());
  const view = () => viewServer(source.current().servers[0]!, servers.status("needy"), registry.catalogue());
  const said = {
    code: "TOOL_UNAVAILABLE",
    message: "The server needy needs the input key. Run: repertoire input set key",
    reason: "needs_input",
    retryable: false,
    missing: ["key"],
  };
  expect(await registry.call("needy__tool", {}, contextOf())).toMatchObject({ success: false, error: said });
  expect(await registry.describe("needy", contextOf())).toMatchObject({ success: false, error: said });
  const { failed } = await registry.discover({ waitMs: 10_000, force: true }, contextOf());
  expect(failed).toMatchObject([
    { source: "needy", reason: expect.stringContaining("repertoire input set key") },
  ]);
  expect(view()).toMatchObject({ state: "needs_input", missingInputs: ["key"] });
  expect(view().error).toBeUndefined();
  servers.tell("notifications/roots/list_changed", {});
  servers.setLogLevel("debug");

  const reconciled = new Promise<Config>((resolve, reject) => {
    source.subscribe((event) => {
      if (event.kind === "changed") servers.reconcile(event.config).then(() => resolve(event.config), reject);
    });
  });
  await openFile(home).set("key", CANARY);
  const config = await reconciled;
  expect(config.servers[0]).toMatchObject({ missingInputs: [], transport: { env: { KEY: CANARY } } });
  expect(servers.status("needy")).toMatchObject({ state: "idle" });
  expect(view().state).toBe("idle");
  expect(JSON.stringify(view())).not.toContain(CANARY);
});
