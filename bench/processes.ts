/**
 * `npm run bench:processes`: what the servers of several clients come to on one machine. Each stdio client starts a gateway of its own,
 * and each gateway its own servers: five clients with ten servers each are five gateways and fifty servers. The figures of one client
 * are what one gateway that all of them share would take.
 *
 * Memory is PSS: what several processes share is counted once, divided among them. Linux only.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const CLIENT_COUNT = 5;
const SERVER_COUNT = 10;
const BIN = join(import.meta.dirname, "../dist/main.js");
const require = createRequire(import.meta.url);

/** A real server of the SDK, which comes with its dependencies in one process. */
const MEMORY = join(
  dirname(require.resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist/index.js",
);

interface Gateway {
  readonly child: ChildProcess;
  request(method: string, params?: object): Promise<unknown>;
}

function startGateway(home: string, args: readonly string[], env: Record<string, string>): Gateway {
  const child = spawn(process.execPath, [BIN, "serve", ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map<number, (answer: unknown) => void>();
  let nextId = 1;
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const { id, result } = JSON.parse(line) as { id?: number; result?: unknown };
      if (id !== undefined) waiting.get(id)?.(result);
    }
  });
  const request = (method: string, params: object = {}): Promise<unknown> => {
    const id = nextId++;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  return { child, request };
}

async function serveClient(home: string, args: readonly string[], env: Record<string, string>) {
  const gateway = startGateway(home, args, env);
  const clientInfo = { name: "bench", version: "1" };
  await gateway.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  gateway.child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const calls = Array.from({ length: SERVER_COUNT }, (_, at) =>
    gateway.request("tools/call", { name: `s${at}__echo`, arguments: { message: "x" } }),
  );
  await Promise.all(calls);
  return gateway;
}

/** The process and all below it. The watcher of a server belongs to the server's group, and to no parent any more. */
function treeOf(root: number): number[] {
  const parents = new Map<number, { parent: number; group: number }>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent, group] = /\) \S (\d+) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))!;
      parents.set(Number(name), { parent: Number(parent), group: Number(group) });
    } catch {
      // It has just ended.
    }
  }
  const tree = new Set([root]);
  for (let before = 0; before !== tree.size;) {
    before = tree.size;
    for (const [pid, { parent, group }] of parents) if (tree.has(parent) || tree.has(group)) tree.add(pid);
  }
  return [...tree];
}

function pssKb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, 2).join(" ");
  } catch {
    return "";
  }
};

function report(what: string, ms: number, roots: readonly number[]): void {
  const pids = [...new Set(roots.flatMap(treeOf))];
  const groups = Object.entries(
    Object.groupBy(pids, (pid) => {
      if (roots.includes(pid)) return "gateways";
      return commandOf(pid).includes(MEMORY) ? "servers" : "watchers and the rest";
    }),
  );
  const mb = (some: readonly number[]) =>
    `${(some.reduce((sum, pid) => sum + pssKb(pid), 0) / 1024).toFixed(0)} MB`;
  console.log(
    `${what}: all answered after ${(ms / 1000).toFixed(1)} s; ${pids.length} processes, ${mb(pids)} PSS`,
  );
  for (const [name, some = []] of groups) console.log(`  ${name}: ${some.length} processes, ${mb(some)}`);
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const env = { HOME: home, REPERTOIRE_HOME: join(home, "home"), XDG_CONFIG_HOME: join(home, "config") };
  mkdirSync(join(home, "config"));
  const file = join(home, "config.json");
  const servers = Array.from({ length: SERVER_COUNT }, (_, at) => [
    `s${at}`,
    { command: process.execPath, args: [MEMORY] },
  ]);
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(servers), exposure: "lean" }));
  const args = ["--config", file, "--log-level", "silent"];
  const gateways: Gateway[] = [];
  try {
    for (const count of [1, CLIENT_COUNT]) {
      const startedAt = performance.now();
      const missing = Array.from({ length: count - gateways.length }, () => serveClient(home, args, env));
      gateways.push(...(await Promise.all(missing)));
      const roots = gateways.map(({ child }) => child.pid!);
      report(`${count} stdio client(s) × ${SERVER_COUNT} servers`, performance.now() - startedAt, roots);
    }
  } finally {
    for (const { child } of gateways) child.stdin!.end();
    await Promise.all(gateways.map(({ child }) => new Promise((resolve) => child.once("exit", resolve))));
    rmSync(home, { recursive: true, force: true });
  }
}

await main();
