/** The bundle that users get, serving HTTP as a process of its own, with a scripted server behind it. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Permission } from "../../src/core/principal.ts";
import type { TokenLimits } from "../../src/server/auth/token.ts";
import { openHomeTokens } from "../../src/server/auth/tokens.testkit.ts";
import { BIN, environmentOf, type Era } from "../fixtures/gateway-process.ts";
import { eventually } from "../fixtures/temporary.ts";
import { META } from "./raw-request.ts";

export const SCRIPTED = join(import.meta.dirname, "scripted-server.mjs");
/** Far beyond what a start or an end needs, also on a busy machine. */
const PATIENCE_MS = 50_000;

export type Headers = Readonly<Record<string, string>>;

/** A folder with a config and a home, for one gateway after another. */
export interface Place {
  readonly folder: string;
  readonly home: string;
  readonly configFile: string;
  configure(config: object): void;
  /** The headers of somebody who may do this. */
  tokenFor(name: string, permissions: readonly Permission[], limits?: TokenLimits): Headers;
  /** The headers of the default token, which may do everything. */
  owner(): Headers;
  /** Every line that the scripted server was sent. */
  heard(): string;
  /** Lets the tool `wait` of the scripted server answer. */
  release(key: string): void;
  remove(): void;
}

export function createPlace(config: object = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  const home = join(folder, "home");
  const configFile = join(folder, "repertoire.json");
  const log = join(folder, "heard.jsonl");
  const headersOf = (token: string): Headers => ({ Authorization: `Bearer ${token}` });
  const configure = (given: object): void => {
    const scripted = { command: process.execPath, args: [SCRIPTED, log] };
    const { mcpServers = {}, ...rest } = given as { mcpServers?: object };
    writeFileSync(configFile, JSON.stringify({ mcpServers: { scripted, ...mcpServers }, ...rest }));
  };
  configure(config);
  return {
    folder,
    home,
    configFile,
    configure,
    tokenFor(name, permissions, limits) {
      const made = openHomeTokens(home).create(name, permissions, limits);
      if (!made.success) throw new Error(made.error.message);
      return headersOf(made.data.token);
    },
    owner: () => headersOf(openHomeTokens(home).showDefault().token),
    heard: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    release: (key) => writeFileSync(`${log}.${key}`, ""),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface HttpProcess {
  readonly url: URL;
  readonly pid: number;
  at(path: string): URL;
  stderr(): string;
  stdout(): string;
  signal(signal: NodeJS.Signals): void;
  exited(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Ends it at once, if it has not ended yet. */
  stop(): Promise<void>;
}

/** Without waiting for anything but the end, for a gateway that should refuse to start. */
export function spawnHttp(place: Place, address: string, args: readonly string[] = []) {
  const given = ["serve", "--http", address, "--ready-json", "--config", place.configFile, ...args];
  const child = spawn(process.execPath, [BIN, ...given], {
    cwd: place.folder,
    env: environmentOf(place.folder),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  let exit: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.on("close", (code, signal) => (exit = { code, signal }));
  const exited = () => eventually("the exit", () => exit, PATIENCE_MS);
  return {
    pid: child.pid!,
    isOver: () => exit !== undefined,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    exited,
    async stop() {
      if (exit === undefined) child.kill("SIGKILL");
      await exited();
    },
  };
}

export async function startHttp(
  place: Place,
  { port = 0, args = [] }: { port?: number; args?: readonly string[] } = {},
): Promise<HttpProcess> {
  const spawned = spawnHttp(place, `127.0.0.1:${port}`, args);
  const line = await eventually(
    "the gateway",
    () => {
      if (spawned.isOver()) throw new Error(`the gateway ended: ${spawned.stderr()}`);
      return /^.*\n/.exec(spawned.stdout())?.[0];
    },
    PATIENCE_MS,
  );
  const url = new URL((JSON.parse(line) as { url: string }).url);
  return { ...spawned, url, at: (path) => new URL(path, url) };
}

/** The SDK's client; the caller closes it. */
export async function connectHttp(era: Era, url: URL, headers: Headers, capabilities = {}) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities, ...(era === "2026-07-28" && { versionNegotiation: { mode: { pin: era } } }) },
  );
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  await client.connect(transport);
  return { client, transport };
}

/** A request of the modern era by hand: its headers and its body. */
export function modernRequest(
  id: number | string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  meta: object = {},
): { readonly headers: Headers; readonly body: string } {
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  const headers = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": method,
    ...(typeof name === "string" && { "Mcp-Name": name }),
  };
  const body = { jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...META, ...meta } } };
  return { headers, body: JSON.stringify(body) };
}

export interface Message {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The answer, which comes as a stream of events when it takes long. */
export function messageOf(text: string): Message {
  const last = text.startsWith("{")
    ? text
    : (text
        .match(/^data: (\{.*)$/gm)
        ?.at(-1)
        ?.slice("data: ".length) ?? "{}");
  return JSON.parse(last) as Message;
}

/** What it holds in memory now. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
