/**
 * What the gateway adds to a call: the same client and server, direct and through it, taking turns. Over stdio also through a
 * process that passes bytes on and reads none: what a second process costs, whatever it does.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { printFigures, quantile, takeTurns, type Figures } from "./figures.ts";

const ROUNDS = 30;
const CALLS_A_ROUND = 200;
const GOAL_RATIO = 1.6;

const fixtures = join(import.meta.dirname, "fixtures");
const bin = join(import.meta.dirname, "../dist/main.js");

export async function benchRelay(): Promise<Readonly<Record<string, Figures>>> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const echoServer = join(fixtures, "echo-server.mjs");
  const remote = spawn(process.execPath, [join(fixtures, "echo-http-server.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(remote.stdout, "data")) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}/mcp`;
  const config = join(folder, "config.json");
  const mcpServers = { echo: { command: process.execPath, args: [echoServer] }, remote: { url } };
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const through = await connect(
    spawned([bin, "serve", "--config", config, "--home", join(folder, "home"), "--log-level", "error"]),
  );
  const direct = await connect(spawned([echoServer]));
  const piped = await connect(spawned([join(fixtures, "byte-pipe.mjs"), echoServer]));
  const directRemote = await connect(new StreamableHTTPClientTransport(new URL(url)));
  const figures: Record<string, Figures> = {};
  try {
    for (const atOnce of [1, 32]) {
      figures[`stdio, ${atOnce} at once`] = await compare("stdio", atOnce, [
        { name: "direct", client: direct, tool: "echo" },
        { name: "through a process that passes bytes on", client: piped, tool: "echo" },
        { name: "through repertoire", client: through, tool: "echo__echo" },
      ]);
      const http = await compare("Streamable HTTP", atOnce, [
        { name: "direct", client: directRemote, tool: "echo" },
        { name: "through repertoire", client: through, tool: "remote__echo" },
      ]);
      figures[`HTTP, ${atOnce} at once`] = http;
    }
    return figures;
  } finally {
    for (const client of [direct, piped, directRemote, through]) await client.close();
    remote.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Way {
  readonly name: string;
  readonly client: Client;
  readonly tool: string;
}

async function compare(wire: string, atOnce: number, ways: readonly Way[]): Promise<Figures> {
  const samples = await takeTurns(
    ways.map(({ name, client, tool }) => ({ name, run: () => time(client, tool, atOnce) })),
    ROUNDS,
  );
  const figures = printFigures(
    `A call over ${wire}, ${atOnce} at once (each value is the mean of ${CALLS_A_ROUND})`,
    samples,
    "direct",
  );
  if (wire !== "stdio" || atOnce !== 1) return figures;
  const ratio = quantile(samples.at(-1)!.values, 0.5) / quantile(samples[0]!.values, 0.5);
  console.log(
    `  goal: at most ${GOAL_RATIO} × direct: ${ratio <= GOAL_RATIO ? "met" : "MISSED"} (${ratio.toFixed(2)} ×)`,
  );
  return figures;
}

function spawned(args: string[]): Transport {
  return new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" });
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
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
