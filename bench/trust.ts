/**
 * What rules, pins and the call log cost a forwarded call: the same gateway without and with them, taking turns. "With"
 * is 1,000 rules, `trust: "ask"` with an approved server, and the log of calls.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printFigures, quantile, takeTurns, type Figures, type Samples } from "./figures.ts";

const BIN = join(import.meta.dirname, "../dist/main.js");
const SERVER = join(import.meta.dirname, "fixtures/sized-server.mjs");
const ROUNDS = 40;
const CALLS = 400;
const RULE_COUNT = 1_000;
/** Of the latency of a call. */
const GOAL = 1.1;

const mcpServers = { sized: { command: process.execPath, args: [SERVER] } };
/** Ten for each of a hundred servers, half of them with a condition. */
const rules = [
  ...Array.from({ length: RULE_COUNT - 1 }, (_, at) => ({
    tool: at % 100 === 0 ? "sized__*" : `server${at % 100}__*`,
    ...(at % 200 < 100 && { when: `args.n === ${at}` }),
    ...(at % 200 >= 100 && { who: `token:t${at}` }),
    do: "refuse",
  })),
  { tool: "sized__*", do: "allow" },
];

const CASES = [
  { name: "without rules, pins and log", config: { mcpServers, calls: { days: 0 } } },
  { name: "with the call log", config: { mcpServers } },
  { name: "with log, pins and 1,000 rules", config: { mcpServers, trust: "ask", rules } },
] as const;

interface Gateway {
  readonly child: ChildProcess;
  readonly ask: (method: string, params: object) => Promise<void>;
}

function open(config: object, folder: string, slot: number): Gateway {
  const [file, home] = [join(folder, `config-${slot}.json`), join(folder, `home-${slot}`)];
  writeFileSync(file, JSON.stringify(config));
  const place = ["--config", file, "--home", home];
  spawnSync(process.execPath, [BIN, "tools", "sized", ...place]);
  spawnSync(process.execPath, [BIN, "approve", "sized", "--yes", ...place]);
  const child = spawn(process.execPath, [BIN, "serve", ...place, "--log-level", "error"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let id = 0;
  let answered: (() => void) | undefined;
  // One call at a time: the end of a line is the end of its answer.
  child.stdout.on("data", (chunk: Buffer) => chunk.at(-1) === 0x0a && answered?.());
  return {
    child,
    ask(method, params) {
      const { promise, resolve } = Promise.withResolvers<void>();
      answered = resolve;
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
      return promise;
    },
  };
}

async function timed({ ask }: Gateway): Promise<number> {
  const startedAt = performance.now();
  for (let call = 0; call < CALLS; call++) await ask("tools/call", { name: "sized__small", arguments: {} });
  return (performance.now() - startedAt) / CALLS;
}

export async function benchTrust(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  // Of two processes the one that started later can be a tenth slower: each case has an early and a late one.
  const order = [...CASES.keys(), ...[...CASES.keys()].toReversed()];
  const gateways = order.map((at, slot) => open(CASES[at]!.config, folder, slot));
  try {
    const clientInfo = { name: "bench", version: "1" };
    for (const { ask } of gateways)
      await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    const turns = await takeTurns(
      gateways.map((gateway, slot) => ({ name: String(slot), run: () => timed(gateway) })),
      ROUNDS,
    );
    const samples = CASES.map(({ name }, at): Samples => ({
      name,
      values: turns.filter((_, slot) => order[slot] === at).flatMap(({ values }) => values),
    }));
    const figures = printFigures(
      `A forwarded call, guarded (each value is the mean of ${CALLS})`,
      samples,
      CASES[0].name,
    );
    const [bare, , whole] = samples.map(({ values }) => quantile(values, 0.5));
    console.log(`  goal: at most ${GOAL.toFixed(2)}×; ${whole! / bare! <= GOAL ? "met" : "missed"}`);
    return figures;
  } finally {
    for (const { child } of gateways) {
      child.kill();
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
