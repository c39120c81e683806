/**
 * `npm run bench:openapi`: what the largest public description costs a gateway: GitHub's, 13 MB with 1,223 operations. Each figure of
 * the gateway is one of the bundle as a process; a gateway without a server stands beside it. Times are of this machine as it is;
 * the longest pause is the longest that one ping of many waited while the description was read. Linux only (VmHWM).
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parseDescription } from "../src/openapi/reading/parse-description.ts";
import { readDescription } from "../src/openapi/reading/read-description.ts";
import { declareTools } from "../src/sandbox/types/declarations.ts";

const BIN = join(import.meta.dirname, "../dist/main.js");
const FIXTURE = join(import.meta.dirname, "../test/fixtures/openapi/github.json.gz");
const QUERIES = [
  "create an issue",
  "list pull requests of a repository",
  "merge a pull request",
  "add a label to an issue",
  "who starred my repository",
  "delete a branch",
  "run a workflow again",
  "secrets of an organization",
];
const ROUND_COUNT = 5;
const PING_GAP_MS = 5;

interface Gateway {
  request(method: string, params?: object): Promise<{ readonly line: string }>;
  /** In MB, its highest so far. */
  peakMb(): number;
  close(): void;
}

function startGateway(folder: string, servers: object, exposure: string): Gateway {
  writeFileSync(join(folder, "config.json"), JSON.stringify({ mcpServers: servers, exposure }));
  const env = { PATH: process.env["PATH"], HOME: folder, REPERTOIRE_HOME: join(folder, "home") };
  const args = [BIN, "serve", "--config", "config.json"];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (answer: { readonly line: string }) => void>();
  let parts: string[] = [];
  let nextId = 1;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = chunk.split("\n");
    parts.push(lines[0]!);
    for (const next of lines.slice(1)) {
      const line = parts.join("");
      parts = [next];
      // The id is looked for in both ends: parsing megabytes here would be in the figure.
      const id = /"id":(\d+)/.exec(line.slice(0, 60))?.[1] ?? /"id":(\d+)\}$/.exec(line.slice(-40))?.[1];
      if (id !== undefined) waiting.get(Number(id))?.({ line });
    }
  });
  return {
    request(method, params = {}) {
      const id = nextId++;
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    peakMb: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]) / 1024,
    close: () => void child.kill(),
  };
}

async function open(folder: string, servers: object, exposure = "lean"): Promise<Gateway> {
  const gateway = startGateway(folder, servers, exposure);
  const clientInfo = { name: "bench", version: "1" };
  await gateway.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  return gateway;
}

function search(gateway: Gateway, query: string) {
  return gateway.request("tools/call", { name: "browse_components", arguments: { query } });
}

/** From the first question until there are tools, and the longest that a ping waited meanwhile. */
async function readCold(gateway: Gateway): Promise<{ readonly ms: number; readonly pauseMs: number }> {
  const startedAt = performance.now();
  let pauseMs = 0;
  const over = new AbortController();
  const pinging = (async () => {
    while (!over.signal.aborted) {
      const askedAt = performance.now();
      await gateway.request("ping");
      pauseMs = Math.max(pauseMs, performance.now() - askedAt);
      await new Promise((resolve) => setTimeout(resolve, PING_GAP_MS));
    }
  })();
  while (!(await search(gateway, QUERIES[0]!)).line.includes("github__"));
  const ms = performance.now() - startedAt;
  over.abort();
  await pinging;
  return { ms, pauseMs };
}

async function timeSearches(gateway: Gateway): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUND_COUNT; round++) {
    for (const query of QUERIES) {
      const startedAt = performance.now();
      await search(gateway, query);
      times.push(performance.now() - startedAt);
    }
  }
  return times.sort((a, b) => a - b);
}

/** The declarations that the compiler gets for code with one call, of the usual and of the longest tool. */
function declarationSizes(text: string): { readonly median: number; readonly longest: number } {
  const parsed = parseDescription(text);
  if (!parsed.ok) throw new Error(parsed.message);
  const sizes = readDescription(parsed.root, undefined).tools.map(
    ({ name: tool, inputSchema, answerSchema: outputSchema }) =>
      declareTools([{ namespace: "github", tool, inputSchema, ...(outputSchema && { outputSchema }) }])
        .length,
  );
  sizes.sort((a, b) => a - b);
  return { median: sizes[Math.floor(sizes.length / 2)]!, longest: sizes.at(-1)! };
}

/**
 * The longest that the thread of a gateway in this process stood still by its own work: of a pause, only the time in which the thread
 * had a processor counts, because on a machine that others use it also waits for one.
 */
async function measureStall(folder: string): Promise<number> {
  const { createGateway } = await import("../src/index.ts");
  const configPath = join(folder, "stall.json");
  writeFileSync(configPath, JSON.stringify({ mcpServers: { github: { openapi: "github.json" } } }));
  const gateway = await createGateway({ configPath, home: join(folder, "stall") });
  let worstMs = 0;
  let before = reading();
  const timer = setInterval(() => {
    const now = reading();
    worstMs = Math.max(worstMs, Math.min(now.wallMs - before.wallMs, now.workedMs - before.workedMs));
    before = now;
  }, PING_GAP_MS);
  await gateway.refresh("github");
  // What is kept and indexed afterwards is part of it.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  clearInterval(timer);
  await gateway.close();
  return worstMs;
}

function reading(): { readonly wallMs: number; readonly workedMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { wallMs: performance.now(), workedMs: (user + system) / 1000 };
}

const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
try {
  const text = gunzipSync(readFileSync(FIXTURE)).toString();
  writeFileSync(join(folder, "github.json"), text);
  const servers = { github: { openapi: "github.json" } };
  const empty = await open(folder, {});
  await search(empty, QUERIES[0]!);
  const emptyMb = empty.peakMb();
  empty.close();
  const cold = await open(folder, servers);
  const { ms, pauseMs } = await readCold(cold);
  const peakMb = cold.peakMb();
  const times = await timeSearches(cold);
  cold.close();
  const warm = await open(folder, servers, "full");
  const startedAt = performance.now();
  const list = await warm.request("tools/list");
  const warmMs = performance.now() - startedAt;
  warm.close();
  const stallMs = await measureStall(folder);
  const { median, longest } = declarationSizes(text);
  const count = (list.line.match(/"name":"github__/g) ?? []).length;
  console.log("| figure | value |");
  console.log("|---|---:|");
  const row = (name: string, value: string) => console.log(`| ${name} | ${value} |`);
  row("the description", `${(text.length / 1e6).toFixed(1)} MB`);
  row("first question until its tools are found, nothing kept", `${ms.toFixed(0)} ms`);
  row("longest wait of a ping meanwhile", `${pauseMs.toFixed(0)} ms`);
  row("longest pause of its thread by its own work", `${stallMs.toFixed(0)} ms`);
  row("peak memory of the gateway meanwhile", `${peakMb.toFixed(0)} MB`);
  row("peak memory of a gateway without a server", `${emptyMb.toFixed(0)} MB`);
  row(
    `search among its tools, median of ${times.length}`,
    `${times[Math.floor(times.length / 2)]!.toFixed(1)} ms`,
  );
  row("search among its tools, slowest", `${times.at(-1)!.toFixed(1)} ms`);
  row("tools in a full list", String(count));
  row("the full list", `${(list.line.length / 1e6).toFixed(2)} MB`);
  row("the first full list after a restart, nothing read", `${warmMs.toFixed(0)} ms`);
  row("declarations for code with one call, median", `${median} characters`);
  row("declarations for code with one call, longest", `${longest} characters`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
