/** Clients of both generations of the SDK before the bundle that users get, with servers behind it that send badly. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";
import { BIN, environmentOf } from "../fixtures/gateway-process.ts";
import { temporaryFolder } from "../fixtures/temporary.ts";
import { evilCommand } from "./evil-process.ts";
import type { EvilScript } from "./evil-script.ts";

/** Nothing here waits for it: the gateway's own limit is ten minutes, so an answer that is waited for fails the test. */
const CLIENT_MS = 60_000;
const LIMITS = { callTimeoutMs: 600_000 };
export const GENERATIONS = ["first", "legacy", "modern"] as const;
type Generation = (typeof GENERATIONS)[number];

/** What these tests need of a client, of either generation. */
export type AnyClient = Pick<
  FirstClient,
  "listTools" | "listResources" | "listPrompts" | "readResource" | "getPrompt"
> & {
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
};
interface Result {
  readonly isError?: boolean;
  readonly content: readonly Record<string, unknown>[];
  readonly structuredContent?: Record<string, unknown>;
}
interface Command {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}
type Way = URL | Command;

export async function connectClient(generation: Generation, way: Way, headers = {}): Promise<AnyClient> {
  const about = { name: "edge", version: "1.0.0" };
  const options = { timeout: CLIENT_MS };
  if (generation === "first") {
    const client = new FirstClient(about);
    onTestFinished(() => client.close());
    await client.connect(
      way instanceof URL
        ? new FirstHttp(way, { requestInit: { headers } })
        : new FirstStdio({ ...way, stderr: "ignore" }),
    );
    return Object.assign(client, {
      call: async (name: string, args = {}) =>
        (await client.callTool({ name, arguments: args }, undefined, options)) as Result,
    });
  }
  const pin = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
  const client = new Client(about, generation === "modern" ? pin : {});
  onTestFinished(() => client.close());
  await client.connect(
    way instanceof URL
      ? new StreamableHTTPClientTransport(way, { requestInit: { headers } })
      : new StdioClientTransport({ ...way, stderr: "ignore" }),
  );
  return Object.assign(client, {
    call: async (name: string, args = {}) =>
      (await client.callTool({ name, arguments: args }, options)) as Result,
  }) as unknown as AnyClient;
}

/** A gateway with these servers, and one beside them that behaves. */
export function wayTo(
  servers: Record<string, EvilScript>,
  config: Parameters<typeof configOf>[1] = {},
  ...args: string[]
): Command {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify(configOf(servers, config)));
  return {
    command: process.execPath,
    args: [BIN, "serve", "--config", file, "--log-level", "error", ...args],
    env: environmentOf(folder),
  };
}

/** `remote` servers are somewhere already. */
export function configOf(
  servers: Record<string, EvilScript>,
  { remote = {}, ...config }: { remote?: object; [key: string]: unknown } = {},
): object {
  const commands = Object.entries({ ...servers, fine: {} }).map(([id, script]) => [id, evilCommand(script)]);
  return { mcpServers: { ...Object.fromEntries(commands), ...remote }, limits: LIMITS, ...config };
}
