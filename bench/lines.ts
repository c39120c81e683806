/** A legacy client on raw lines, so that a figure is the server's and not that of a client's parser. */
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Lines {
  readonly pid: number;
  /** What the server said to the handshake. */
  readonly initialized: string;
  /** The line of the answer; it never comes from a server that ends before. */
  request(method: string, params?: object): Promise<string>;
  readonly ended: Promise<unknown>;
  close(): Promise<void>;
}

interface LinesPlace {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a server and shakes hands with it. */
export async function openLines(args: readonly string[], place: LinesPlace = {}): Promise<Lines> {
  const child = spawn(process.execPath, args, { ...place, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  // One that is killed takes no more lines.
  child.stdin.on("error", () => {});
  let nextId = 1;
  let waiting: { id: number; resolve: (line: string) => void } | undefined;
  let parts: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    parts.push(chunk);
    if (chunk.at(-1) !== 0x0a) return;
    const text = Buffer.concat(parts).toString();
    parts = [];
    for (const line of text.split("\n")) {
      if (waiting !== undefined && line.includes(`"id":${waiting.id}`)) waiting.resolve(line);
    }
  });
  const request = (method: string, params: object = {}): Promise<string> => {
    const id = nextId++;
    const { promise, resolve } = Promise.withResolvers<string>();
    waiting = { id, resolve };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return promise;
  };
  const clientInfo = { name: "bench", version: "1" };
  const initialized = await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo,
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    pid: child.pid!,
    initialized,
    request,
    ended,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** From spawn to the answer of tools/list. */
export async function timeToList(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const lines = await openLines(args);
  await lines.request("tools/list");
  const elapsed = performance.now() - startedAt;
  await lines.close();
  return elapsed;
}
