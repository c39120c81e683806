import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { CLIENT_CAPABILITIES_META_KEY, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Output } from "../../process/stdout.ts";
import type { ClientHandle } from "../../core/tool.ts";
import { createClientHandle } from "../client-handle.ts";
import { createMcpServer, type Listed, type McpServerDeps } from "../mcp-server.ts";
import { describeFor } from "../describe-for.ts";
import { createFastPath } from "../fast-path.ts";
import { isListen } from "../message.ts";
import { subscribeServers } from "../subscribe-servers.ts";
import { GRACE_MS, StdioTransport } from "./stdio-transport.ts";

export interface StdioConnection {
  /** Resolves when the client has gone or `close` was called. */
  readonly ended: Promise<void>;
  /** Who is at the other end, once it is known; none for a modern client, which is asked in answers. */
  client(): ClientHandle | undefined;
  /** The era that the client opened, once it has. */
  era(): "legacy" | "modern" | undefined;
  /** What a modern client said last that it can be asked for: it says so with each request. */
  modernCapabilities(): JsonObject | undefined;
  /** Requests without an answer yet. */
  pendingCount(): number;
  /** Takes no more requests, answers those under way within the grace time, and ends. */
  close(): Promise<void>;
}

export interface StdioDeps extends McpServerDeps {
  /** Lets calls under way end and be recorded, and ends every run where it is. */
  readonly leave: () => Promise<void>;
}

/** Serves one client over stdio, in both protocol eras: its opening message decides. */
export function connectStdio(deps: StdioDeps, input: Readable, output: Output): StdioConnection {
  const transport = new StdioTransport(input, output, deps.log);
  transport.leaving = deps.leave;
  const listed: Listed = { version: undefined };
  let client: ClientHandle | undefined;
  const gone = new AbortController();
  let openedEra: "legacy" | "modern" | undefined;
  const context = { session: `stdio:${randomUUID()}` };
  const fastPath = createFastPath({
    gateway: deps.gateway,
    isTransparent: deps.isTransparent,
    client: () => client,
    listed,
    log: deps.log,
    context,
    clientInfo: () => clientInfo(),
    send: (message) => transport.send(message),
    sendResultBytes: (id, result) => transport.sendResultBytes(id, result),
  });
  let clientInfo = (): unknown => undefined;
  let modernCapabilities: JsonObject | undefined;
  transport.intercept = (message) => {
    modernCapabilities = modernCapabilitiesOf(message) ?? modernCapabilities;
    if (isListen(message)) subscribeServers(deps, message, gone.signal);
    return fastPath(message);
  };
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    gone.abort();
    resolve();
  };
  const handle = serveStdio(
    async ({ era }) => {
      const who = { handle: () => client, era, listed, context, isLasting: true };
      const server = createMcpServer(deps, who, await describeFor(deps));
      openedEra = era;
      clientInfo = () => server.getClientVersion();
      client = era === "legacy" ? createClientHandle(server, gone.signal) : undefined;
      return server;
    },
    { transport, onerror: (error) => deps.log.warn("server.stdio.problem", { error }) },
  );
  return {
    ended,
    client: () => client,
    era: () => openedEra,
    modernCapabilities: () => modernCapabilities,
    pendingCount: () => transport.pendingCount,
    async close() {
      input.pause();
      await transport.drain(GRACE_MS);
      await handle.close();
    },
  };
}

function modernCapabilitiesOf(message: JSONRPCMessage): JsonObject | undefined {
  const meta = "method" in message ? message.params?.["_meta"] : undefined;
  const declared = isJsonObject(meta) ? meta[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return isJsonObject(declared) ? declared : undefined;
}
