/** A home with one server that logs every call to the disk, and gateways on it that can be killed. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGateway, INITIALIZE, type ConnectOptions } from "../fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "../fixtures/temporary.ts";
import { createHomeDatabase, IS_ON_POSTGRES, readHomeDatabase } from "./home-database.ts";
import { processesAt } from "./processes-at.ts";

const SERVER = join(import.meta.dirname, "../fixtures/counter-server.mjs");
/** Far beyond what a gateway needs, also on a busy machine. */
const PATIENCE_MS = 60_000;

/** A call as the server has it on disk. */
export interface Effect {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>> & { readonly n: number };
  readonly meta: Readonly<Record<string, unknown>>;
}

/** What a meta-tool answered, as a test reads it. */
export interface Answer {
  readonly success?: boolean;
  readonly run_id?: string | null;
  readonly outputs?: unknown;
  readonly draft?: string | null;
  readonly error?: {
    readonly code: string;
    readonly reason?: string;
    readonly message: string;
    readonly nearest?: readonly string[];
  } | null;
  readonly checkpoint?: { readonly uncertain?: readonly UncertainCall[] } | null;
  readonly [key: string]: unknown;
}

export interface UncertainCall {
  readonly run_id: string;
  readonly name: string;
  readonly tool: string;
  readonly args: Effect["args"];
}

export interface CounterGateway {
  /** Undefined when the gateway ended before it answered. */
  call(tool: string, args: object): Promise<Answer | undefined>;
  isOver(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** The client goes. */
  disconnect(): void;
  ended(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

export interface CounterHome {
  readonly folder: string;
  readonly home: string;
  /** Where its gateways run on PostgreSQL. */
  readonly database: string | undefined;
  effects(): Effect[];
  start(crashAt?: string): CounterGateway;
  /** What a gateway of this home is started with. */
  optionsFor(crashAt?: string): ConnectOptions;
  /** Resolves when nothing of any gateway of this home runs. */
  isQuiet(): Promise<void>;
}

interface Place {
  readonly from?: CounterHome;
  readonly folder?: string;
}

/** With what lies in the home of another, or empty; its folder is gone when the test has finished, unless one is given. */
export function createCounterHome({ from, folder = temporaryFolder() }: Place = {}): CounterHome {
  const log = join(folder, "effects.jsonl");
  const config = join(folder, "servers.json");
  // Runners stand in the system's folder for temporary files: with one of its own, a home knows its processes.
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  if (from !== undefined && existsSync(from.home))
    cpSync(from.home, join(folder, "home"), { recursive: true });
  const database = IS_ON_POSTGRES ? createHomeDatabase(from?.database) : undefined;
  const counter = { command: process.execPath, args: [SERVER, log] };
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { counter }, limits: { connectTimeoutMs: PATIENCE_MS / 2 } }),
  );
  const optionsFor = (crashAt?: string): ConnectOptions => ({
    folder,
    args: ["--config", config],
    env: {
      TMPDIR: temporary,
      ...(crashAt !== undefined && { REPERTOIRE_CRASH_AT: crashAt }),
      ...(database !== undefined && { REPERTOIRE_DATABASE_URL: database }),
    },
  });
  return {
    folder,
    home: join(folder, "home"),
    database,
    effects: () => (existsSync(log) ? effectsOf(readFileSync(log, "utf8")) : []),
    start: (crashAt) => gatewayOf(startGateway(optionsFor(crashAt))),
    optionsFor,
    isQuiet: () => becomeQuiet(folder),
  };
}

async function becomeQuiet(folder: string): Promise<void> {
  const what = `the end of the processes in ${folder}`;
  await eventually(what, () => processesAt(folder).length === 0, PATIENCE_MS);
}

/** A line that is being written is not there yet. */
function effectsOf(text: string): Effect[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Effect);
}

function gatewayOf({ child, send, stdout, stderr }: ReturnType<typeof startGateway>): CounterGateway {
  let end: Awaited<ReturnType<CounterGateway["ended"]>> | undefined;
  let count = 0;
  child.on("close", (code, signal) => (end = { code, signal }));
  send(INITIALIZE);
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    async call(name, args) {
      const id = `call-${++count}`;
      send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
      const answered = await eventually(
        `an answer to ${name} (${stderr()})`,
        () => answerIn(stdout(), id) ?? end,
        PATIENCE_MS,
      );
      return "code" in answered && "signal" in answered ? undefined : answered;
    },
    isOver: () => end !== undefined,
    signal: (signal) => void child.kill(signal),
    disconnect: () => void child.stdin.end(),
    ended: () => eventually(`the end of the gateway (${stderr()})`, () => end, PATIENCE_MS),
  };
}

function answerIn(stdout: string, id: string): Answer | undefined {
  const line = stdout.split("\n").find((text) => text.includes(`"id":"${id}"`) && text.endsWith("}"));
  if (line === undefined) return undefined;
  const { result, error } = JSON.parse(line) as {
    result?: { structuredContent?: Answer; content?: unknown };
    error?: { code: number; message: string };
  };
  // A gateway that ends answers what it leaves open with an error of JSON-RPC.
  if (result === undefined)
    return { success: false, error: { code: String(error!.code), message: error!.message } };
  return result.structuredContent ?? { success: false, ...result };
}

/** As files are called, wherever they lie. */
export function draftNames({ home, database }: CounterHome): string[] {
  if (database !== undefined) {
    const rows = readHomeDatabase(
      database,
      "select name || case kind when 'code' then '.ts' else '.json' end as file from drafts",
    );
    return rows.map((row) => (row as { file: string }).file);
  }
  const drafts = join(home, "drafts");
  return existsSync(drafts) ? readdirSync(drafts) : [];
}
