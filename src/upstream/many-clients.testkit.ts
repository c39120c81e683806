/**
 * A gateway of many clients in front of servers in memory: each connection has a server of its own, as each process
 * would be one.
 */
import { onTestFinished } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { silentLog } from "../core/log.ts";
import type { Principal } from "../core/principal.ts";
import { succeed } from "../core/result.ts";
import type { CallContext, ClientHandle } from "../core/tool.ts";
import type { JsonRpcMessage } from "./transport/transport.ts";
import { MemoryServer, questionOf } from "./memory-server.testkit.ts";
import type { UpstreamConfig } from "./upstream-config.ts";
import { createUpstreamServer, type UpstreamDeps } from "./upstream-server.ts";

export const CONFIG: UpstreamConfig = {
  id: "memory",
  transport: { kind: "stdio", command: "none", args: [], env: {} },
  callTimeoutMs: 20_000,
  connectTimeoutMs: 5_000,
  idleMs: 0,
};

export interface Many {
  readonly upstream: ReturnType<typeof createUpstreamServer>;
  /** One for each connection that was ever opened, in order. */
  readonly servers: MemoryServer[];
}

/** `prepare` makes each server what it is to be. */
export function openMany(
  prepare: (server: MemoryServer) => void = () => {},
  config: Partial<UpstreamConfig> = {},
  deps: Partial<UpstreamDeps> = {},
): Many {
  const servers: MemoryServer[] = [];
  const upstream = createUpstreamServer(
    { ...CONFIG, ...config },
    {
      clientInfo: { name: "repertoire", version: "0" },
      log: silentLog,
      random: () => 0,
      hasManyClients: true,
      openTransport: async () => {
        const server = new MemoryServer();
        prepare(server);
        servers.push(server);
        return { transport: server.connect() };
      },
      ...deps,
    },
  );
  onTestFinished(() => upstream.close());
  return { upstream, servers };
}

export function makeModern(server: MemoryServer): void {
  delete server.handlers["initialize"];
  server.handlers["server/discover"] = () => ({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
  });
  server.handlers["subscriptions/listen"] = () => undefined;
}

/** Its tool answers with what the client answered, and the name that it was called with. */
export function makeAsking(server: MemoryServer, method = "elicitation/create"): void {
  server.handlers["tools/call"] = async (params) => {
    const { who } = params["arguments"] as JsonObject;
    const { result, error } = await server.ask(method, questionOf(`for ${who as string}`));
    return { content: [], structuredContent: { who, answer: result ?? error } };
  };
}

export interface TestClient extends ClientHandle {
  readonly asked: unknown[];
  leave(): void;
}

/** A client that answers everything with its name, and remembers what it was asked. */
export function clientOf(name: string, capabilities: JsonObject = { elicitation: {} }): TestClient {
  const gone = new AbortController();
  const asked: unknown[] = [];
  return {
    capabilities,
    gone: gone.signal,
    asked,
    leave: () => gone.abort(),
    async request(_method, params) {
      asked.push(params["message"]);
      return succeed({ action: "accept", content: { name } });
    },
    notify() {},
  };
}

export function contextOf(overrides: Partial<CallContext> = {}): CallContext {
  return { traceId: "t", signal: new AbortController().signal, ...overrides };
}

export function principalOf(id: string): Principal {
  return { id, name: id, permissions: new Set(["call"]), revoked: new AbortController().signal };
}

export function heardBy(server: MemoryServer, method: string): JsonRpcMessage[] {
  return server.heard.filter((message) => message["method"] === method);
}

export const soon = () => new Promise((resolve) => setImmediate(resolve));
