/**
 * Several gateways on one database, each the bundle that users get, in a process, a home and, where the system allows it, a host name of
 * its own; and a balancer in front. They end with the process that started them, however that ends.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BIN, environmentOf } from "../fixtures/gateway-process.ts";
import { startBalancer, type Balancer } from "./balancer.ts";
import { freePort } from "./free-port.ts";
import { launchWatched, readLog, type ServerProcess } from "./postgres-process.ts";

export interface ReplicasOptions {
  readonly count: number;
  readonly config: object;
  /** Of the database, for each replica: one may be behind a proxy. */
  readonly urlOf: (index: number) => string;
  readonly hasHostNames?: boolean;
  /** Beside the balancer: what else clients reach them as. */
  readonly hosts?: readonly string[];
  readonly bin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ReplicaProcess {
  readonly name: string;
  /** Of the endpoint `/mcp`. */
  readonly url: URL;
  pid(): number;
  isOver(): boolean;
  /** What it wrote to stdout and stderr since its last start. */
  log(): string;
  signal(signal: NodeJS.Signals): void;
  /** Ends it, politely unless another signal is given, and waits for that. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Again, at the same address and with the same home. */
  start(bin?: string): Promise<void>;
}

export interface Replicas {
  readonly members: readonly ReplicaProcess[];
  readonly token: string;
  readonly headers: { readonly Authorization: string };
  readonly balancer: Balancer;
  /** What a command of the CLI needs to use the same store. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Far beyond what a start needs, also on a busy machine. */
const PATIENCE_MS = 120_000;
/** Gives the process a name of its own; it stays the same process. */
const NAMED = ["unshare", "--uts", "sh", "-c", 'hostname "$1" && shift && exec "$@"', "sh"];

export function canNameHosts(): boolean {
  return spawnSync(NAMED[0]!, [...NAMED.slice(1), "tried", "true"]).status === 0;
}

export async function startReplicas(options: ReplicasOptions): Promise<Replicas> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-replicas-"));
  const token = randomBytes(32).toString("base64url");
  const shared = {
    REPERTOIRE_TOKEN: token,
    REPERTOIRE_SECRET_KEY: randomBytes(32).toString("base64url"),
    ...options.env,
  };
  const config = join(folder, "repertoire.json");
  const balancer = await startBalancer([]);
  writeFileSync(
    config,
    JSON.stringify(knownAs([balancer.url.host, ...(options.hosts ?? [])], options.config)),
  );
  const created = Array.from({ length: options.count }, (_, i) =>
    createReplica(options, i, { folder, config, shared }),
  );
  const members = await Promise.all(created);
  try {
    await Promise.all(members.map((member) => member.start()));
  } catch (error) {
    await balancer.close();
    await Promise.all(members.map((member) => member.end("SIGKILL")));
    throw error;
  }
  balancer.setTargets(members.map(({ url }) => url));
  return {
    members,
    token,
    headers: { Authorization: `Bearer ${token}` },
    balancer,
    env: { ...shared, REPERTOIRE_DATABASE_URL: options.urlOf(0) },
    async close() {
      await balancer.close();
      await Promise.all(members.map((member) => member.end("SIGKILL")));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A gateway refuses requests for a host that it is not known as. */
function knownAs(hosts: readonly string[], config: object): object {
  const { http = {} } = config as { http?: object };
  return { ...config, http: { allowedHosts: hosts, ...http } };
}

interface Place {
  readonly folder: string;
  readonly config: string;
  readonly shared: Readonly<Record<string, string>>;
}

async function createReplica(options: ReplicasOptions, index: number, place: Place): Promise<ReplicaProcess> {
  const name = `replica-${index + 1}`;
  const own = join(place.folder, name);
  mkdirSync(own);
  const port = await freePort();
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const env = environmentOf(own, {
    ...place.shared,
    REPERTOIRE_DATABASE_URL: options.urlOf(index),
    REPERTOIRE_REPLICA_URL: url.origin,
  });
  let running: ServerProcess | undefined;
  const log = (): string => (existsSync(join(own, "log")) ? readLog(own) : "");
  return {
    name,
    url,
    pid: () => running?.pid ?? 0,
    isOver: () => running?.isOver() ?? true,
    log,
    signal: (signal) => running?.signal(signal),
    async end(signal = "SIGTERM") {
      await running?.end(signal);
    },
    async start(bin = options.bin ?? BIN) {
      const serve = ["serve", "--http", `127.0.0.1:${port}`, "--ready-json", "--config", place.config];
      const program = [process.execPath, bin, ...serve];
      running = launchWatched(
        { folder: own },
        options.hasHostNames ? [...NAMED, name, ...program] : program,
        env,
      );
      await becomesReady(running, name, log);
    },
  };
}

async function becomesReady(running: ServerProcess, name: string, log: () => string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!/^\{"url":/m.test(log())) {
    if (running.isOver()) throw new Error(`${name} ended before it listened:\n${log()}`);
    if (performance.now() > end) throw new Error(`${name} does not listen:\n${log()}`);
    await sleep(25);
  }
}
