/**
 * `npm run bench:forwarded -- <other>/dist/main.js`: what a forwarded call costs in this bundle and in another one, taking turns, by
 * the clock and by the CPU time of the gateway's process. Without a path it compares this bundle with itself, which shows what is
 * noise. Raw lines on both sides, so that nothing but the gateways differs.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printFigures, type Samples } from "./figures.ts";

const ROUNDS = 30;
const CASES = [
  { tool: "small", calls: 400 },
  { tool: "text", calls: 20 },
  { tool: "rows", calls: 10 },
] as const;
/** The unit of CPU times in /proc. */
const TICK_MS = 10;

const OTHER = {
  name: "the other bundle",
  bin: process.argv[2] ?? join(import.meta.dirname, "../dist/main.js"),
};
const OWN = { name: "this bundle", bin: join(import.meta.dirname, "../dist/main.js") };
/** Of two processes of one bundle the one that started later can be a tenth slower: each bundle has an early and a late one. */
const bundles = [OTHER, OWN, OWN, OTHER];

interface Gateway {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ask: (method: string, params: object) => Promise<void>;
}

function open(name: string, bin: string, folder: string, slot: number): Gateway {
  const server = join(import.meta.dirname, "fixtures/sized-server.mjs");
  const config = join(folder, "config.json");
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { sized: { command: process.execPath, args: [server] } } }),
  );
  const args = [bin, "serve", "--config", config, "--home", join(folder, `home-${slot}`)];
  const child = spawn(process.execPath, [...args, "--log-level", "error"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let id = 0;
  let answered: (() => void) | undefined;
  // One call at a time: the end of a line is the end of its answer.
  child.stdout.on("data", (chunk: Buffer) => {
    if (chunk.at(-1) === 0x0a) answered?.();
  });
  return {
    name,
    child,
    ask(method, params) {
      const { promise, resolve } = Promise.withResolvers<void>();
      answered = resolve;
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
      return promise;
    },
  };
}

/** User and system time of a process. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function bench(gateways: readonly Gateway[], tool: string, calls: number): Promise<void> {
  const samples = [OTHER, OWN].map(({ name }): Samples => ({ name, values: [] }));
  const cpu = samples.map(() => 0);
  for (let round = -3; round < ROUNDS; round++) {
    for (const { name, child, ask } of round % 2 === 0 ? gateways : gateways.toReversed()) {
      const at = name === OTHER.name ? 0 : 1;
      const cpuBefore = cpuMs(child.pid!);
      const startedAt = performance.now();
      for (let call = 0; call < calls; call++)
        await ask("tools/call", { name: `sized__${tool}`, arguments: {} });
      if (round < 0) continue;
      samples[at]!.values.push((performance.now() - startedAt) / calls);
      cpu[at]! += cpuMs(child.pid!) - cpuBefore;
    }
  }
  printFigures(`A forwarded call: ${tool} (each value is the mean of ${calls})`, samples, "the other bundle");
  const [other, own] = cpu.map((ms) => ms / (2 * ROUNDS * calls));
  console.log(
    `  CPU of the gateway for a call: ${other!.toFixed(3)} ms and ${own!.toFixed(3)} ms: ${(own! / other!).toFixed(3)} ×`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
const gateways = bundles.map(({ name, bin }, slot) => open(name, bin, folder, slot));
try {
  for (const { ask } of gateways) {
    await ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    });
    await ask("tools/call", { name: "browse_components", arguments: { query: "rows" } });
  }
  for (const { tool, calls } of CASES) await bench(gateways, tool, calls);
} finally {
  for (const { child } of gateways) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
