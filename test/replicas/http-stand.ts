/** Gateways on one PostgreSQL behind a balancer, with a server that logs each effect and one that asks its client, and a plain client. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../src/core/store.ts";
import { startFaultProxy, type PostgresProxy } from "../rig/fault-proxy.ts";
import { freePort } from "../rig/free-port.ts";
import { messageOf, modernRequest, SCRIPTED, type Message } from "../rig/http-process.ts";
import { launchOAuthServer, type OAuthRig } from "../rig/oauth-server.ts";
import type { Postgres } from "../rig/postgres.ts";
import { canNameHosts, startReplicas, type Replicas } from "../rig/replicas.ts";
import { openStore } from "./stores.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const CAN_BE_ASKED = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
/** Far beyond what it takes, also on a busy machine. */
const PATIENCE_MS = 120_000;
const POLL_MS = 20;
const COUNT = 3;

/** What a meta-tool answered. */
export type Told = Readonly<Record<string, unknown>> & { readonly run_id?: string };

export interface StandOptions {
  /** Beside what the gateways of every stand are told, or in its place. */
  readonly config?: object;
  /** Each replica reaches PostgreSQL through a proxy of its own. */
  readonly isProxied?: boolean;
  /** With a server that wants a login: `box`. */
  readonly hasLogin?: boolean;
}

export interface HttpStand {
  readonly postgres: Postgres;
  readonly databaseUrl: string;
  readonly replicas: Replicas;
  /** The state beside the gateways. */
  readonly store: Store;
  /** One for each replica, where the stand has them. */
  readonly proxies: readonly PostgresProxy[];
  /** Of the server that wants a login, where the stand has one. */
  readonly issuer: OAuthRig | undefined;
  /** Free, for another balancer: the gateways answer to this address too. */
  readonly frontPort: number;
  /** The numbers that this tool of the counter was called with, in order. */
  calls(tool: "add" | "get"): number[];
  /** How often `scripted.wait` was called with this key, by whichever replica. */
  waitCount(key: string): number;
  /** Lets every `scripted.wait` with this key answer, from now on. */
  release(key: string): void;
  close(): Promise<void>;
}

export async function openHttpStand(postgres: Postgres, options: StandOptions = {}): Promise<HttpStand> {
  const databaseUrl = await postgres.createDatabase();
  const folder = mkdtempSync(join(tmpdir(), "repertoire-stand-"));
  const log = join(folder, "effects.jsonl");
  const heard = join(folder, "heard.jsonl");
  const proxies = await Promise.all(
    options.isProxied ? Array.from({ length: COUNT }, () => startFaultProxy(postgres.port)) : [],
  );
  const issuer = options.hasLogin ? await launchOAuthServer() : undefined;
  const config = configOf({ folder, log, heard, issuer }, options.config);
  const frontPort = await freePort();
  const replicas = await startReplicas({
    count: COUNT,
    config,
    urlOf: (index) => proxies[index]?.urlOf(databaseUrl) ?? databaseUrl,
    hasHostNames: canNameHosts(),
    hosts: [`127.0.0.1:${frontPort}`],
  });
  const store = await openStore(databaseUrl);
  await Promise.all(replicas.members.map(({ url }) => warm(url, replicas.headers)));
  const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return {
    postgres,
    databaseUrl,
    replicas,
    store,
    proxies,
    issuer,
    frontPort,
    calls: (tool) => numbersIn(textOf(log), tool),
    waitCount: (key) => textOf(heard).split(`"arguments":{"key":"${key}"}`).length - 1,
    release: (key) => writeFileSync(`${heard}.${key}`, ""),
    async close() {
      await store.close();
      await replicas.close();
      for (const proxy of proxies) proxy.close();
      issuer?.close();
      await postgres.dropDatabase(databaseUrl);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly folder: string;
  readonly log: string;
  readonly heard: string;
  readonly issuer: OAuthRig | undefined;
}

function configOf({ folder, log, heard, issuer }: Place, more: object = {}): object {
  const node = (...args: string[]) => ({ command: process.execPath, args });
  const mcpServers = {
    counter: node(join(FIXTURES, "counter-server.mjs"), log),
    cell: node(join(FIXTURES, "cell-server.ts"), "legacy", "stdio", folder),
    scripted: node(SCRIPTED, heard),
    ...(issuer !== undefined && { box: { url: issuer.url } }),
  };
  return { mcpServers, limits: { connectTimeoutMs: PATIENCE_MS }, sandbox: { timeoutMs: 300_000 }, ...more };
}

/** A first run starts workers, a sandbox and the counter: no case is about these. */
async function warm(url: URL, headers: Readonly<Record<string, string>>): Promise<void> {
  const params = { name: "execute", arguments: { code: "return await mcp.counter.get({ n: 0 })" } };
  await msUntil(`a run at ${url.host}`, async () => {
    const { result } = await request(url, headers, "tools/call", params);
    return JSON.stringify(result).includes('"success":true');
  });
}

export async function withHttpStand<T>(
  postgres: Postgres,
  work: (stand: HttpStand) => Promise<T>,
  options: StandOptions = {},
): Promise<T> {
  const stand = await openHttpStand(postgres, options);
  try {
    return await work(stand);
  } finally {
    await stand.close();
  }
}

function numbersIn(text: string, wanted: string): number[] {
  const lines = text.split("\n").slice(0, -1);
  const calls = lines.map((line) => JSON.parse(line) as { tool: string; args: { n: number } });
  return calls.filter(({ tool }) => tool === wanted).map(({ args }) => args.n);
}

let requestCount = 0;

/** One request of the modern era. An answer that is not 200 is an error. */
export async function request(
  url: URL,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Message> {
  const made = modernRequest(`r${++requestCount}`, method, params, CAN_BE_ASKED);
  const { status, text } = await post(url, { ...headers, ...made.headers }, made.body);
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 300)}`);
  return messageOf(text);
}

export async function post(url: URL, headers: Readonly<Record<string, string>>, body: string) {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body,
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** A meta-tool, by default through the balancer. */
export async function call(
  { replicas }: HttpStand,
  name: string,
  args: object,
  url = replicas.balancer.url,
): Promise<Told> {
  const { result, error } = await request(url, replicas.headers, "tools/call", { name, arguments: args });
  if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`);
  return (result["structuredContent"] ?? result) as Told;
}

/** Waits until it holds; how many ms it took. */
export async function msUntil(what: string, holds: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`waited in vain for ${what}`);
    await sleep(POLL_MS);
  }
  return performance.now() - startedAt;
}
