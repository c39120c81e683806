/**
 * The gateway as one MCP connection, in whichever era the client opened. Known methods are registered one by one, as
 * far as the gateway offers them; all others are -32601.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { declares, TASKS_EXTENSION, withoutExtension } from "../core/declared.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { ToolResult } from "../core/result.ts";
import { RPC_ERROR, type CallContext, type ClientHandle, type ToolAnswer } from "../core/tool.ts";
import { LIST_METHODS, type Gateway, type GatewayDescription } from "../gateway/gateway.ts";
import { FORWARDED_METHODS, type ForwardedMethod } from "../gateway/forwarding.ts";
import { skillMethodsOf } from "../gateway/skills/skill.ts";
import { TASK_METHODS } from "../gateway/tasks/task.ts";
import { INTERNAL_ERROR, INVALID_PARAMS } from "../core/rpc-codes.ts";
import type { ServerEvents } from "../gateway/server-events.ts";
import { failureOf } from "./answer.ts";
import { clientNameOf } from "./client-name.ts";
import { contextOf } from "./request-context.ts";

/**
 * The version of the list of tools that this client was last given, or that was there when it came; one for each
 * connection.
 */
export interface Listed {
  version: string | undefined;
}

export interface McpServerDeps {
  readonly gateway: Gateway;
  readonly events: ServerEvents;
  /** Whether it is one server as it is: its own names, its lists page by page. */
  readonly isTransparent: boolean;
  readonly log: Log;
}

/** Who is at the other end. */
export interface McpClient {
  /** None for a modern client, which is asked in answers. */
  readonly handle: () => ClientHandle | undefined;
  readonly era: "legacy" | "modern";
  readonly listed: Listed;
  /** What every call of this client carries. */
  readonly context?: Partial<CallContext>;
  /** Whether the connection lasts, so that it can be told of changes; a modern request over HTTP does not. */
  readonly isLasting: boolean;
}

export function createMcpServer(
  { gateway, events, log }: McpServerDeps,
  client: McpClient,
  { serverInfo, capabilities: offered, instructions }: GatewayDescription,
): Server {
  const hasTasks = client.era === "modern" && declares(offered, TASKS_EXTENSION);
  // A client of the legacy era has none of it.
  const capabilities = hasTasks ? offered : withoutExtension(offered, TASKS_EXTENSION);
  // Another process may save a capability at any moment, and what one client may see is not for a shared cache.
  const cacheHint = { ttlMs: 0, cacheScope: "private" } as const;
  const server = new Server(serverInfo as { name: string; version: string }, {
    capabilities,
    ...(instructions !== undefined && { instructions }),
    cacheHints: Object.fromEntries(LIST_METHODS.map((method) => [method, cacheHint])),
  });
  const contextFor: ContextFor = (params, context) => {
    const tell = (method: string, note: JsonObject): void => {
      context.mcpReq.notify({ method, params: note }).catch(() => {});
    };
    const modern = modernRequestOf(context);
    const onNotice = modern !== undefined && !client.isLasting ? tell : undefined;
    const shared = { ...client.context, clientName: nameOf(context), modern, onNotice };
    return contextOf(params, {
      signal: context.mcpReq.signal,
      client: client.handle(),
      notify: tell,
      shared,
    });
  };
  /** A legacy client says at its handshake who it is, a modern one with each request. */
  const nameOf = ({ mcpReq }: ServerContext): string | undefined =>
    clientNameOf(
      (mcpReq.envelope as JsonObject | undefined)?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion(),
    );
  const notices = client.isLasting ? createNotices({ gateway, events, server, log, ...client }) : undefined;
  const deps: HandlerDeps = { server, gateway, capabilities, contextFor, log };
  if (capabilities["tools"] !== undefined) registerCalls(deps);
  registerLists(deps, client.listed);
  registerForwarded(deps, notices);
  if (hasTasks) registerExtension(deps, TASK_METHODS, taskParams);
  registerExtension(deps, skillMethodsOf(capabilities), anyParams);
  if (capabilities["logging"] !== undefined) {
    server.setRequestHandler("logging/setLevel", ({ params }) =>
      handled(log, async () => {
        notices?.setLevel(params.level);
        events.setLogLevel(params.level, client.handle());
        return {};
      }),
    );
  }
  server.setNotificationHandler("notifications/roots/list_changed", () => {
    events.tell("notifications/roots/list_changed", {}, client.handle());
  });
  server.onclose = () => notices?.close();
  return server;
}

type ContextFor = (params: JsonObject, context: ServerContext) => CallContext;

interface HandlerDeps {
  readonly server: Server;
  readonly gateway: Gateway;
  readonly capabilities: JsonObject;
  readonly contextFor: ContextFor;
  readonly log: Log;
}

/** A request that fails inside is answered in plain words; an error of the protocol is passed on as it is. */
async function handled<T>(log: Log, handle: () => Promise<T>): Promise<T> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { code, message, data } = failureOf(error, log);
    throw new ProtocolError(code, message, data);
  }
}

function registerCalls({ server, gateway, contextFor, log }: HandlerDeps): void {
  server.setRequestHandler("tools/call", ({ params }, context) =>
    handled(log, async () => {
      const { name, arguments: args = {} } = params;
      const calling = contextFor(params as JsonObject, context);
      return requireResult(await gateway.callTool(name, args as JsonObject, calling)) as never;
    }),
  );
}

/** What a server fronted alone refused is its own JSON-RPC error. */
function requireResult(answer: ToolAnswer): ToolAnswer {
  const refusal = answer[RPC_ERROR];
  if (refusal !== undefined) throw new ProtocolError(refusal.code, refusal.message, refusal.data);
  return answer;
}

function registerLists(
  { server, gateway, capabilities, contextFor, log }: HandlerDeps,
  listed: Listed,
): void {
  for (const method of LIST_METHODS) {
    if (capabilities[offerOf(method)] === undefined) continue;
    server.setRequestHandler(method, ({ params }, context) =>
      handled(log, async () => {
        const asked = (params ?? {}) as JsonObject;
        const { page, version } = answerOf(await gateway.list(method, asked, contextFor(asked, context)));
        if (version !== undefined) listed.version = version;
        return page as never;
      }),
    );
  }
}

function registerForwarded(
  { server, gateway, capabilities, contextFor, log }: HandlerDeps,
  notices: Notices | undefined,
): void {
  for (const method of FORWARDED_METHODS) {
    if (capabilities[offerOf(method)] === undefined) continue;
    server.setRequestHandler(method, ({ params }, context) =>
      handled(log, async () => {
        const asked = params as unknown as JsonObject;
        const forward = () => gateway.forward(method, asked, contextFor(asked, context));
        return answerOf(
          notices === undefined ? await forward() : await notices.follow(method, asked, forward),
        );
      }),
    );
  }
}

const taskParams = z.looseObject({ taskId: z.string() });
const anyParams = z.looseObject({}).optional();

/** Extensions are not among the methods of the SDK: it is told what their parameters are. */
function registerExtension(
  { server, gateway, contextFor, log }: HandlerDeps,
  methods: readonly ForwardedMethod[],
  params: typeof taskParams | typeof anyParams,
): void {
  for (const method of methods) {
    server.setRequestHandler(method, { params }, (given, context) =>
      handled(log, async () => {
        const asked = (given ?? {}) as JsonObject;
        return answerOf(await gateway.forward(method, asked, contextFor(asked, context))) as never;
      }),
    );
  }
}

/** The capability that a method belongs to. */
function offerOf(method: (typeof LIST_METHODS)[number] | (typeof FORWARDED_METHODS)[number]): string {
  return method === "completion/complete" ? "completions" : method.split("/")[0]!;
}

/** What a modern client says with each request; nothing for a legacy one. */
function modernRequestOf({ mcpReq }: ServerContext): CallContext["modern"] {
  const envelope = mcpReq.envelope as JsonObject | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  if (capabilities === undefined) return undefined;
  const logLevel = envelope?.[LOG_LEVEL_META_KEY];
  const requestState = mcpReq.requestState<string>();
  return {
    capabilities: capabilities as JsonObject,
    ...(typeof logLevel === "string" ? { logLevel } : {}),
    inputResponses: mcpReq.inputResponses as JsonObject | undefined,
    requestState,
  };
}

/** These methods have no `isError`: a failure is a JSON-RPC error, the server's own where it gave one. */
function answerOf<T>(result: ToolResult<T>): T {
  if (result.success) return result.data;
  const { upstream, code, message, hint, reason } = result.error;
  if (upstream !== undefined) throw new ProtocolError(upstream.code, upstream.message, upstream.data);
  const rpcCode =
    code === "TOOL_NOT_FOUND" || code === "TOOL_INVALID_INPUT" ? INVALID_PARAMS : INTERNAL_ERROR;
  const words = hint === undefined ? message : `${message} ${hint}`;
  throw new ProtocolError(rpcCode, words, reason === undefined ? undefined : { reason });
}

const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

interface NoticesDeps {
  readonly gateway: Gateway;
  readonly events: ServerEvents;
  readonly server: Server;
  readonly log: Log;
  readonly handle: () => ClientHandle | undefined;
  readonly listed: Listed;
}

/**
 * What a client is told unasked: that a list has changed, that a resource which it subscribed to has, and what
 * servers log. Each client hears what concerns it: its own subscriptions, its own log level, and never what a server
 * said to another one.
 */
interface Notices {
  setLevel(level: string): void;
  /** Carries out a request, and notes what it means for what the client wants to hear. */
  follow(
    method: ForwardedMethod,
    params: JsonObject,
    forward: () => Promise<ToolResult<JsonObject>>,
  ): Promise<ToolResult<JsonObject>>;
  close(): void;
}

function createNotices({ gateway, events, server, log, handle, listed }: NoticesDeps): Notices {
  const uris = new Set<unknown>();
  let level: string | undefined;

  const send = (method: string, params: JsonObject): void => {
    server
      .notification({ method, params })
      .catch((error: unknown) => log.debug("server.notification.failed", { method, error }));
  };
  const tell = (what: "tools" | "resources" | "prompts"): void => {
    // A change behind a list that does not show it, or one that the client has seen already, is no news.
    if (what === "tools" && watch.toolsVersion() === listed.version) return;
    send(`notifications/${what}/list_changed`, {});
  };
  const concerns = (method: string, params: JsonObject): boolean => {
    // A modern connection has one long request that names what it wants; the SDK keeps to it.
    if (handle() === undefined) return true;
    if (method === "notifications/resources/updated") return uris.has(params["uri"]);
    if (method === "notifications/message" && level !== undefined) return isAtLeast(params["level"], level);
    return true;
  };
  const watch = gateway.watch(tell);
  listed.version ??= watch.toolsVersion();
  const stop = events.notified((method, params, client) => {
    if (client !== undefined && client !== handle()) return;
    if (concerns(method, params)) send(method, params);
  });
  return {
    setLevel: (wanted) => (level = wanted),
    async follow(method, params, forward) {
      // Before the request: the first update may come with its answer.
      if (method === "resources/subscribe") uris.add(params["uri"]);
      if (method === "resources/unsubscribe") uris.delete(params["uri"]);
      return forward();
    },
    close() {
      watch.stop();
      stop();
    },
  };
}

function isAtLeast(level: unknown, wanted: string): boolean {
  const at = LOG_LEVELS.indexOf(String(level));
  return at === -1 || at >= LOG_LEVELS.indexOf(wanted);
}
