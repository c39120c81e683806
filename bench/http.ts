/**
 * `npm run bench:http`: what the gateway over HTTP costs, beside mcp-hub and the SDK's bare servers in the same run.
 * `npm run bench:http -- calls memory` runs these parts alone, `-- --json FILE` writes the figures there.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { benchCalls } from "./http-calls.ts";
import { benchClients } from "./http-clients.ts";
import { startCrowds, type CrowdProcess } from "./http-crowd.ts";
import { benchAccessLog } from "./http-log.ts";
import { benchMemory } from "./http-memory.ts";
import { startBare, startGateway, startHub } from "./http-servers.ts";
import { argsWithoutResult, writeResult } from "./result-file.ts";
import { copyBuild } from "./sandbox-build.ts";

console.log(`Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)} at the start`);
const PARTS = { calls: benchAllCalls, clients: benchClients, log: benchAccessLog, memory: benchMemory };
const asked = argsWithoutResult(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
const figures: Record<string, unknown> = {};
const crowds = startCrowds();
try {
  const { bin } = copyBuild(join(folder, "build"));
  for (const [name, bench] of Object.entries(PARTS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    figures[name] = await bench(crowds, bin, join(folder, name));
  }
  writeResult("http", figures);
} finally {
  await crowds.close();
  rmSync(folder, { recursive: true, force: true });
}

async function benchAllCalls(clients: CrowdProcess, bin: string, home: string) {
  const servers = {
    gateway: await startGateway(bin, join(home, "gateway")),
    hub: await startHub(join(home, "hub")),
    first: await startBare("http-bare-first.mjs"),
    second: await startBare("http-bare-second.mjs"),
  };
  try {
    return await benchCalls(clients, servers);
  } finally {
    for (const server of Object.values(servers)) await server?.close();
  }
}
