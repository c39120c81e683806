/** What a request of a client costs the database in statements, beside those that a gateway makes by itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startFaultProxy, type PostgresProxy } from "../test/rig/fault-proxy.ts";
import { connectHttp } from "../test/rig/http-process.ts";
import type { Postgres } from "../test/rig/postgres.ts";
import { startReplicas } from "../test/rig/replicas.ts";

const COUNTER = join(import.meta.dirname, "../test/fixtures/counter-server.mjs");
const COUNT = 100;
const IDLE_MS = 10_000;
/** What is written behind an answer, and in batches, has come by then. */
const SETTLE_MS = 3_000;

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const executeOf = (code: string): Call => ({ name: "execute", arguments: { code } });

const READ = "tools/call of an upstream tool";
const REQUESTS: Readonly<Record<string, (i: number) => Call>> = {
  [READ]: (i) => ({ name: "counter__get", arguments: { n: i } }),
  "tools/call of one that writes": (i) => ({ name: "counter__add", arguments: { n: i } }),
  "execute with one reading call": (i) => executeOf(`return await mcp.counter.get({ n: ${i} })`),
  "execute with five writing calls": (i) =>
    executeOf(`for (let k = 0; k < 5; k++) await mcp.counter.add({ n: ${i} * 10 + k }); return ${i}`),
};

export async function benchRequests(postgres: Postgres): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const proxy = await startFaultProxy(postgres.port);
  const url = proxy.urlOf(await postgres.createDatabase());
  const counter = { command: process.execPath, args: [COUNTER, join(folder, "effects.jsonl")] };
  const config = { mcpServers: { counter }, log: { level: "error" } };
  const replicas = await startReplicas({ count: 1, config, urlOf: () => url });
  const { client } = await connectHttp("2026-07-28", replicas.balancer.url, replicas.headers);
  const call = async (request: Call): Promise<void> => {
    const answer = await client.callTool(request);
    if (answer.isError) throw new Error(JSON.stringify(answer.content));
  };
  try {
    for (const requestOf of Object.values(REQUESTS)) await call(requestOf(0));
    await sleep(SETTLE_MS);
    const idle = await collect(proxy, () => sleep(IDLE_MS));
    console.log(
      `\nStatements for each request, of ${COUNT} one after the other; those of an idle gateway are not counted`,
    );
    console.log(`  an idle gateway: ${((idle.length * 1_000) / IDLE_MS).toFixed(1)}/s`);
    const known = new Set(idle);
    for (const [name, requestOf] of Object.entries(REQUESTS)) {
      const made = await collect(proxy, async () => {
        for (let i = 0; i < COUNT; i++) await call(requestOf(i));
        await sleep(SETTLE_MS);
      });
      const own = made.filter((sql) => !known.has(sql));
      const each = own.length / COUNT;
      console.log(`  ${name.padEnd(34)} ${each.toFixed(2).padStart(6)}   ${summaryOf(own)}`);
    }
    // The log of calls is written behind the answers, in batches: what an answer waits for is shown without a database.
    proxy.refuse();
    proxy.cut();
    for (let i = 0; i < COUNT; i++) await call(REQUESTS[READ]!(i));
    console.log(`  ${READ} while there is no database: ${COUNT} of ${COUNT} answered, so 0 on its way`);
    await proxy.listen();
  } finally {
    await client.close();
    await replicas.close();
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function collect(proxy: PostgresProxy, work: () => Promise<unknown>): Promise<string[]> {
  const before = proxy.statements.length;
  await work();
  return proxy.statements.slice(before).map(({ sql }) => sql);
}

/** What they are, the most frequent first. */
function summaryOf(statements: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const sql of statements) {
    const name =
      /^(?:insert into|update|delete from|select .*? from|begin|commit)(?: "\w+")?/.exec(sql)?.[0] ?? sql;
    const short = name.replace(/^select .* from/, "select").slice(0, 40);
    counts.set(short, (counts.get(short) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 6);
  return sorted.map(([name, count]) => `${count} × ${name}`).join(", ");
}
