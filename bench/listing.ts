/** Lists from a warm cache: with 30 servers configured and none started, and with the 364 tools of 29 real servers. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printFigures, quantile, takeTurns, type Figures } from "./figures.ts";
import { openLines, timeToList } from "./lines.ts";

const ROUNDS = 21;
const LIST_ROUNDS = 60;
const GOAL_START_RATIO = 1.2;
const GOAL_LIST_MS = 5;

const bin = join(import.meta.dirname, "../dist/main.js");
const listServer = join(import.meta.dirname, "fixtures/list-server.mjs");
const realTools = join(import.meta.dirname, "../../shared/data/real-servers/tools.json");

interface ListingFigures {
  readonly start: Figures;
  /** Undefined where the real tools are not there. */
  readonly list?: Figures;
}

export async function benchListing(): Promise<ListingFigures> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  try {
    const start = await benchThirtyServers(folder);
    if (existsSync(realTools)) return { start, list: await benchRealTools(folder) };
    console.log(`\nA list of real tools: skipped, ${realTools} is not there`);
    return { start };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchThirtyServers(folder: string): Promise<Figures> {
  const tools = Array.from({ length: 5 }, (_, i) => ({ name: `t${i}`, inputSchema: { type: "object" } }));
  const file = join(folder, "small.json");
  writeFileSync(file, JSON.stringify([{ server: "s", tools }]));
  const none = writeConfig(folder, "none", {});
  const thirty = writeConfig(
    folder,
    "thirty",
    serversOf(file, 30, () => 0),
  );
  warm(thirty);
  const samples = await takeTurns(
    [
      { name: "no servers", run: () => timeToList(serveArgs(none)) },
      { name: "30 servers, warm cache, none started", run: () => timeToList(serveArgs(thirty)) },
    ],
    ROUNDS,
  );
  const figures = printFigures("Start-up to the answer of tools/list", samples, "no servers");
  const ratio = quantile(samples[1]!.values, 0.5) / quantile(samples[0]!.values, 0.5);
  console.log(
    `  goal: at most ${GOAL_START_RATIO} ×: ${ratio <= GOAL_START_RATIO ? "met" : "MISSED"} (${ratio.toFixed(2)} ×)`,
  );
  return figures;
}

async function benchRealTools(folder: string): Promise<Figures> {
  const servers = JSON.parse(readFileSync(realTools, "utf8")) as { tools: unknown[] }[];
  const config = writeConfig(
    folder,
    "real",
    serversOf(realTools, servers.length, (i) => i),
    "full",
  );
  warm(config);
  const lines = await openLines(serveArgs(config));
  const values: number[] = [];
  let toolCount = 0;
  for (let round = 0; round < LIST_ROUNDS; round++) {
    const startedAt = performance.now();
    const text = await lines.request("tools/list");
    values.push(performance.now() - startedAt);
    toolCount = (JSON.parse(text) as { result: { tools: unknown[] } }).result.tools.length;
  }
  await lines.close();
  const warmValues = values.slice(5);
  const figures = printFigures(
    `A warm tools/list of ${toolCount} tools, request to last byte`,
    [{ name: "list", values: warmValues }],
    "list",
  );
  const p50 = quantile(warmValues, 0.5);
  console.log(
    `  goal: under ${GOAL_LIST_MS} ms: ${p50 < GOAL_LIST_MS ? "met" : "MISSED"} (${p50.toFixed(2)} ms)`,
  );
  return figures;
}

function serversOf(file: string, count: number, indexOf: (i: number) => number): Record<string, object> {
  const entry = (i: number) => ({ command: process.execPath, args: [listServer, file, String(indexOf(i))] });
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, entry(i)]));
}

interface BenchConfig {
  readonly file: string;
  readonly home: string;
}

function writeConfig(folder: string, name: string, mcpServers: object, exposure = "auto"): BenchConfig {
  const file = join(folder, `${name}.config.json`);
  writeFileSync(file, JSON.stringify({ mcpServers, exposure, limits: { connectTimeoutMs: 60_000 } }));
  return { file, home: join(folder, `${name}.home`) };
}

function serveArgs({ file, home }: BenchConfig): string[] {
  return [bin, "serve", "--config", file, "--home", home, "--log-level", "error"];
}

/** Reads every server once, so that the next process finds the lists in its cache. */
function warm({ file, home }: BenchConfig): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [bin, "servers", "--check", "--config", file, "--home", home],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the cache was not warmed: ${stderr}`);
}
