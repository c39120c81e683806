/** Gateways on one PostgreSQL behind a balancer, with a server that logs each effect and one that asks its client, and a plain client. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../src/core/store.ts";
import { messageOf, modernRequest, type Message } from "../rig/http-process.ts";
import type { Postgres } from "../rig/postgres.ts";
import { canNameHosts, startReplicas, type Replicas } from "../rig/replicas.ts";
import { openStore } from "./stores.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const CAN_BE_ASKED = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
/** Far beyond what it takes, also on a busy machine. */
const PATIENCE_MS = 120_000;
const POLL_MS = 20;

/** What a meta-tool answered. */
export type Told = Readonly<Record<string, unknown>> & { readonly run_id?: string };

export interface HttpStand {
  readonly postgres: Postgres;
  readonly databaseUrl: string;
  readonly replicas: Replicas;
  /** The state beside the gateways. */
  readonly store: Store;
  /** The numbers that this tool of the counter was called with, in order. */
  calls(tool: "add" | "get"): number[];
  close(): Promise<void>;
}

export async function openHttpStand(postgres: Postgres, more: object = {}): Promise<HttpStand> {
  const databaseUrl = await postgres.createDatabase();
  const folder = mkdtempSync(join(tmpdir(), "repertoire-stand-"));
  const log = join(folder, "effects.jsonl");
  const node = (...args: string[]) => ({ command: process.execPath, args });
  const mcpServers = {
    counter: node(join(FIXTURES, "counter-server.mjs"), log),
    cell: node(join(FIXTURES, "cell-server.ts"), "legacy", "stdio", folder),
  };
  const config = {
    mcpServers,
    limits: { connectTimeoutMs: PATIENCE_MS },
    sandbox: { timeoutMs: 300_000 },
    ...more,
  };
  const urlOf = (): string => databaseUrl;
  const replicas = await startReplicas({ count: 3, config, urlOf, hasHostNames: canNameHosts() });
  const store = await openStore(databaseUrl);
  await Promise.all(replicas.members.map(({ url }) => warm(url, replicas.headers)));
  return {
    postgres,
    databaseUrl,
    replicas,
    store,
    calls: (tool) => (existsSync(log) ? numbersIn(readFileSync(log, "utf8"), tool) : []),
    async close() {
      await store.close();
      await replicas.close();
      await postgres.dropDatabase(databaseUrl);
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
  more: object = {},
): Promise<T> {
  const stand = await openHttpStand(postgres, more);
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
