/** What 1, 2 and 4 gateways on one database do together on this machine, and what each of them costs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectHttp, residentBytes } from "../test/rig/http-process.ts";
import type { Postgres } from "../test/rig/postgres.ts";
import { startReplicas } from "../test/rig/replicas.ts";
import { quantile } from "./figures.ts";

const COUNTER = join(import.meta.dirname, "../test/fixtures/counter-server.mjs");
const REPLICA_COUNTS = [1, 2, 4];
const CLIENT_COUNT = 8;
const RUN_COUNT = 200;
const STEP_COUNT = 5;
const IDLE_MS = 10_000;
/** A connection that has become idle tells the server's counters so late what it did. */
const SETTLE_MS = 12_000;

export async function benchProcesses(postgres: Postgres): Promise<void> {
  console.log(
    `\nReplicas on this machine: ${RUN_COUNT} executes of ${STEP_COUNT} writing calls by ${CLIENT_COUNT} clients, round robin`,
  );
  const heads = ["replicas", "runs/s", "steps/s", "p50 ms", "p95 ms", "MB each", "idle tx/s", "connections"];
  console.log(`  ${heads.map((head) => head.padStart(13)).join("")}`);
  for (const count of REPLICA_COUNTS) {
    const figures = await measure(postgres, count);
    console.log(`  ${[count, ...figures].map((figure) => String(figure).padStart(13)).join("")}`);
  }
}

async function measure(postgres: Postgres, count: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const url = await postgres.createDatabase();
  const counter = { command: process.execPath, args: [COUNTER, join(folder, "effects.jsonl")] };
  const config = { mcpServers: { counter }, log: { level: "error" } };
  const replicas = await startReplicas({ count, config, urlOf: () => url });
  const clients = await Promise.all(
    Array.from({ length: CLIENT_COUNT }, () =>
      connectHttp("2026-07-28", replicas.balancer.url, replicas.headers),
    ),
  );
  const execute = async (i: number): Promise<number> => {
    const code = `for (let k = 0; k < ${STEP_COUNT}; k++) await mcp.counter.add({ n: ${i} * 10 + k }); return ${i}`;
    const startedAt = performance.now();
    const answer = await clients[i % CLIENT_COUNT]!.client.callTool({ name: "execute", arguments: { code } });
    if (answer.isError) throw new Error(JSON.stringify(answer.content));
    return performance.now() - startedAt;
  };
  try {
    for (let i = 0; i < CLIENT_COUNT * 2; i++) await execute(i);
    const { times, seconds } = await workAll(execute);
    const memory = replicas.members.map((member) => residentBytes(member.pid()));
    const idle = await idleRate(postgres, url);
    const [row] = await postgres.query<{ n: string }>(
      "select count(*) as n from pg_stat_activity where datname = $1",
      [new URL(url).pathname.slice(1)],
    );
    return [
      (RUN_COUNT / seconds).toFixed(1),
      ((RUN_COUNT * STEP_COUNT) / seconds).toFixed(0),
      quantile(times, 0.5).toFixed(0),
      quantile(times, 0.95).toFixed(0),
      (quantile(memory, 0.5) / 1024 / 1024).toFixed(0),
      idle.toFixed(1),
      row!.n,
    ];
  } finally {
    for (const { client } of clients) await client.close();
    await replicas.close();
    await postgres.dropDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function workAll(
  execute: (i: number) => Promise<number>,
): Promise<{ times: number[]; seconds: number }> {
  const times: number[] = [];
  let next = CLIENT_COUNT * 2;
  const last = next + RUN_COUNT;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CLIENT_COUNT }, async () => {
      while (next < last) times.push(await execute(next++));
    }),
  );
  return { times, seconds: (performance.now() - startedAt) / 1_000 };
}

/** Transactions of the database while no client asks. */
async function idleRate(postgres: Postgres, url: string): Promise<number> {
  await sleep(SETTLE_MS);
  const before = await transactionsOf(postgres, url);
  await sleep(IDLE_MS);
  return ((await transactionsOf(postgres, url)) - before) / (IDLE_MS / 1_000);
}

async function transactionsOf(postgres: Postgres, url: string): Promise<number> {
  const [row] = await postgres.query<{ n: string }>(
    "select xact_commit + xact_rollback as n from pg_stat_database where datname = $1",
    [new URL(url).pathname.slice(1)],
  );
  return Number(row!.n);
}
