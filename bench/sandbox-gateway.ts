/** A server as a client has it: a process, raw lines, and as many requests under way as the client likes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Executed {
  readonly success: boolean;
  readonly outputs: unknown;
  readonly error: { readonly code: string; readonly reason?: string; readonly message: string } | null;
  readonly warnings: readonly string[];
}

export interface ServerLines {
  readonly pid: number;
  /** The line of the answer as it came; it is not parsed, so that a large one does not hold up the clock. */
  request(method: string, params?: object): Promise<string>;
  callTool(name: string, args: object): Promise<string>;
  close(): Promise<void>;
}

export interface GatewayLines extends ServerLines {
  execute(code: string, timeoutMs?: number): Promise<Executed>;
}

export interface BenchHome {
  readonly folder: string;
  readonly rowsFile: string;
  readonly serveArgs: readonly string[];
}

const toolServer = join(import.meta.dirname, "fixtures/sandbox-tools.mjs");

/** A config with one server, `bench`, and a home of its own. */
export function prepareHome(bin: string, folder: string, rows: readonly object[]): BenchHome {
  mkdirSync(folder, { recursive: true });
  const rowsFile = join(folder, "rows.json");
  writeFileSync(rowsFile, JSON.stringify(rows));
  const config = join(folder, "config.json");
  const bench = { command: process.execPath, args: [toolServer, rowsFile] };
  writeFileSync(config, JSON.stringify({ mcpServers: { bench } }));
  const home = join(folder, "home");
  return {
    folder,
    rowsFile,
    serveArgs: [bin, "serve", "--config", config, "--home", home, "--log-level", "error"],
  };
}

export async function openGateway({ serveArgs }: BenchHome): Promise<GatewayLines> {
  const lines = await openServer(serveArgs);
  return {
    ...lines,
    async execute(code, timeoutMs) {
      const args = { code, ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }) };
      return readExecuted(await lines.callTool("execute", args));
    },
  };
}

/** The gateway's own server without the gateway: what the machine does to any process at the time. */
export function openControl({ rowsFile }: BenchHome): Promise<ServerLines> {
  return openServer([toolServer, rowsFile]);
}

/** Starts it and shakes hands. */
async function openServer(command: readonly string[]): Promise<ServerLines> {
  const child = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  let lastId = 0;
  child.stdin.on("error", () => {});
  child.stdout.on(
    "data",
    splitLines((line) => {
      const id = idOf(line);
      waiting.get(id)?.resolve(line);
      waiting.delete(id);
    }),
  );
  child.on("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("the server ended"));
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method: string, params: object = {}): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    waiting.set(++lastId, answer);
    send({ id: lastId, method, params });
    return answer.promise;
  };
  const callTool = (name: string, args: object) => request("tools/call", { name, arguments: args });
  const clientInfo = { name: "bench", version: "1" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return {
    pid: child.pid!,
    request,
    callTool,
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}

export function readExecuted(line: string): Executed {
  const { result } = JSON.parse(line) as { result?: { structuredContent?: Executed } };
  if (result?.structuredContent === undefined) throw new Error(`execute answered ${line.slice(0, 400)}`);
  return result.structuredContent;
}

/** Ours are numbers, and stand at one end of the line or the other. */
function idOf(line: string): number {
  const found = /"id":(\d+)\}$/.exec(line.slice(-40)) ?? /^\{"jsonrpc":"2\.0","id":(\d+)/.exec(line);
  return Number(found?.[1]);
}

function splitLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  return (chunk) => {
    let at = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, at)) {
      onLine(Buffer.concat([...parts, chunk.subarray(at, end)]).toString());
      parts = [];
      at = end + 1;
    }
    if (at < chunk.length) parts.push(chunk.subarray(at));
  };
}
