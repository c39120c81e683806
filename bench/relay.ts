/** What the gateway adds to a call over stdio: the same client and server, direct and through it, taking turns. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { printFigures, quantile, type Samples } from "./figures.ts";

const ROUNDS = 40;
const CALLS_A_ROUND = 200;
const GOAL_RATIO = 2.5;

const echoServer = join(import.meta.dirname, "fixtures/echo-server.mjs");
const bin = join(import.meta.dirname, "../dist/main.js");

export async function benchRelay(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const config = join(folder, "config.json");
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [echoServer] } } }),
  );
  const direct = await connect([echoServer]);
  const through = await connect([
    bin,
    "serve",
    "--config",
    config,
    "--home",
    join(folder, "home"),
    "--log-level",
    "error",
  ]);
  try {
    for (const atOnce of [1, 32]) {
      const samples: Samples[] = [
        { name: "direct", values: [] },
        { name: "through repertoire", values: [] },
      ];
      await time(direct, "echo", atOnce);
      await time(through, "echo__echo", atOnce);
      for (let round = 0; round < ROUNDS; round++) {
        samples[0]!.values.push(await time(direct, "echo", atOnce));
        samples[1]!.values.push(await time(through, "echo__echo", atOnce));
      }
      printFigures(
        `A call over stdio, ${atOnce} at once (ms for each call, mean of ${CALLS_A_ROUND})`,
        samples,
        "direct",
      );
      const ratio = quantile(samples[1]!.values, 0.5) / quantile(samples[0]!.values, 0.5);
      if (atOnce === 1) {
        console.log(
          `  goal: at most ${GOAL_RATIO} × direct: ${ratio <= GOAL_RATIO ? "met" : "MISSED"} (${ratio.toFixed(2)} ×)`,
        );
      }
    }
  } finally {
    await direct.close();
    await through.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function connect(args: string[]): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
  return client;
}

/** ms for each call. */
async function time(client: Client, name: string, atOnce: number): Promise<number> {
  const startedAt = performance.now();
  const call = () => client.callTool({ name, arguments: { text: "hello" } });
  for (let sent = 0; sent < CALLS_A_ROUND; sent += atOnce) {
    const answers = await Promise.all(Array.from({ length: Math.min(atOnce, CALLS_A_ROUND - sent) }, call));
    if (answers.some((answer) => answer.isError === true)) throw new Error(JSON.stringify(answers[0]));
  }
  return (performance.now() - startedAt) / CALLS_A_ROUND;
}
