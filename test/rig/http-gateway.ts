/** The bundle that users get, as a process that serves HTTP; the caller has its address and its token. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { BIN, environmentOf } from "../fixtures/gateway-process.ts";
import { temporaryFolder } from "../fixtures/temporary.ts";

/** From the polite signal to the other one: the gateway itself gives calls under way ten seconds. */
const GRACE_MS = 12_000;

export interface HttpGatewayOptions {
  readonly config: object;
  /** The home of an earlier gateway, so that its tokens are good here too. */
  readonly home?: string;
  /** After `serve --http 127.0.0.1:0`. */
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly bin?: string;
}

export interface HttpGateway {
  /** Of the endpoint `/mcp`. */
  readonly url: URL;
  readonly token: string;
  /** What a request needs to be let in. */
  readonly headers: { readonly Authorization: string };
  readonly pid: number;
  readonly home: string;
  stderr(): string;
  /** Ends it politely; the answer is its exit code. */
  stop(): Promise<number | null>;
}

/** Starts a gateway on a free port of loopback; it ends with the test. */
export async function openHttpGateway(options: HttpGatewayOptions): Promise<HttpGateway> {
  const folder = temporaryFolder();
  const home = options.home ?? join(folder, "home");
  const file = join(folder, "repertoire.json");
  writeFileSync(file, JSON.stringify(options.config));
  const args = ["serve", "--http", "127.0.0.1:0", "--ready-json", "--config", file, "--home", home];
  const child = spawn(process.execPath, [options.bin ?? BIN, ...args, ...(options.args ?? [])], {
    cwd: folder,
    env: environmentOf(folder, options.env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = (): Promise<number | null> => end(child);
  onTestFinished(async () => void (await stop()));
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const { url, tokenFile } = JSON.parse(await firstLine(child, () => stderr)) as Ready;
  // On a shared database there is no file of tokens: all gateways have the one that the environment names.
  const token = tokenFile === undefined ? options.env!["REPERTOIRE_TOKEN"]! : firstToken(tokenFile);
  const headers = { Authorization: `Bearer ${token}` };
  return { url: new URL(url), token, headers, pid: child.pid!, home, stderr: () => stderr, stop };
}

interface Ready {
  readonly url: string;
  readonly tokenFile?: string;
}

function firstToken(file: string): string {
  const { tokens } = JSON.parse(readFileSync(file, "utf8")) as { tokens: { value: string }[] };
  return tokens[0]!.value;
}

async function firstLine(child: ChildProcess, stderr: () => string): Promise<string> {
  const lines = createInterface(child.stdout!);
  const line = once(lines, "line").then(([text]) => String(text));
  const closed = once(child, "close").then(() => {
    throw new Error(`the gateway ended before it listened:\n${stderr()}`);
  });
  // Only the one that comes first counts.
  closed.catch(() => {});
  return Promise.race([line, closed]);
}

async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await closed;
  clearTimeout(timer);
  return child.exitCode;
}
