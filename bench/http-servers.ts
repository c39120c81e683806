/** What the HTTP bench calls: the gateway as it is built, mcp-hub, and the SDK's servers with nothing behind them. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Target } from "./http-crowd.ts";

export interface RunningServer {
  readonly pid: number;
  readonly url: string;
  readonly token?: string;
  close(): Promise<void>;
}

const HUB_START_MS = 20_000;
const fixture = (name: string) => join(import.meta.dirname, "fixtures", name);

export const ECHO_SERVER = fixture("echo-server.mjs");
/** Where others are installed: they are no dependencies of ours. */
const peersFolder = process.env["REPERTOIRE_BENCH_PEERS"] ?? join(import.meta.dirname, "..");
const hubBin = join(peersFolder, "node_modules/mcp-hub/dist/cli.js");

const mcpServers = { echo: { command: process.execPath, args: [ECHO_SERVER] } };

/** `log` is what the config says; the default of the bench is silence, as the others have. */
export async function startGateway(bin: string, folder: string, log: object = {}): Promise<RunningServer> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ mcpServers, log: { level: "error", ...log } }));
  const args = ["serve", "--http", "127.0.0.1:0", "--ready-json", "--config", config];
  const child = start([bin, ...args, "--home", join(folder, "home")]);
  const { url, tokenFile } = JSON.parse(await firstLine(child)) as { url: string; tokenFile: string };
  const { tokens } = JSON.parse(readFileSync(tokenFile, "utf8")) as { tokens: { value: string }[] };
  return { pid: child.pid!, url, token: tokens[0]!.value, close: () => end(child) };
}

/** Undefined when it is not installed. */
export async function startHub(folder: string): Promise<RunningServer | undefined> {
  if (!existsSync(hubBin)) return undefined;
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const port = await findFreePort();
  const child = start([hubBin, "--port", String(port), "--config", config], folder);
  child.stdout!.resume();
  const url = `http://127.0.0.1:${port}`;
  await waitForTool(`${url}/api/servers/tools`);
  return { pid: child.pid!, url, close: () => end(child) };
}

export async function startBare(
  name: "http-bare-first.mjs" | "http-bare-second.mjs",
): Promise<RunningServer> {
  const child = start([fixture(name)]);
  const url = `http://127.0.0.1:${await firstLine(child)}/mcp`;
  return { pid: child.pid!, url, close: () => end(child) };
}

export const ofGateway = ({ url, token }: RunningServer, way: "legacy" | "modern"): Target => ({
  way,
  url,
  token: token!,
  tool: "echo__echo",
});

export const ofHub = ({ url }: RunningServer, way: "hub_rest" | "hub_sse"): Target =>
  way === "hub_rest"
    ? { way, url: `${url}/api/servers/tools`, tool: "echo" }
    : { way, url: `${url}/mcp`, tool: "echo__echo" };

export const ofBare = ({ url }: RunningServer, way: "legacy" | "modern"): Target => ({
  way,
  url,
  tool: "echo",
});

function start(args: readonly string[], home?: string): ChildProcess {
  const own = home === undefined ? {} : { HOME: home, XDG_STATE_HOME: home };
  return spawn(process.execPath, args, {
    // What the hub has to say of its clients' leaving is long, and of no interest here.
    stdio: ["ignore", "pipe", home === undefined ? "inherit" : "ignore"],
    env: { ...process.env, ...own },
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the server ended with ${String(code)} before it listened`);
  });
  const [chunk] = (await Promise.race([once(child.stdout!, "data"), ended])) as [Buffer];
  ended.catch(() => {});
  return chunk.toString().trim();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** The hub listens before its servers are connected. */
async function waitForTool(url: string): Promise<void> {
  const until = performance.now() + HUB_START_MS;
  const body = JSON.stringify({ server_name: "echo", tool: "echo", arguments: { text: "hello" } });
  const headers = { "content-type": "application/json" };
  while (performance.now() < until) {
    const answer = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
    await answer?.text();
    if (answer?.ok === true) return;
    await pause(100);
  }
  throw new Error(`mcp-hub was not ready within ${HUB_START_MS} ms`);
}
