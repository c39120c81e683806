import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { ToolResult } from "../core/result.ts";
import type { CallContext, ClientFace } from "../core/tool.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { PASSED_METHODS } from "../gateway/passage.ts";
import { contextOf } from "./request-context.ts";

const INSTRUCTIONS =
  "Repertoire is one door to many MCP servers, and it keeps what worked. Search with browse_components, look into the library with " +
  "list_library, run TypeScript against the tools with execute, and keep what worked with save_to_library.";

/** What this client was last given; one for each connection. */
export interface Listed {
  version: string | undefined;
}

export interface McpServerParts {
  readonly gateway: Gateway;
  readonly version: string;
  readonly log: Log;
}

/** The gateway as one MCP connection, in whichever era the client opened. Known methods are registered one by one; all others are -32601. */
export function createMcpServer(
  { gateway, version, log }: McpServerParts,
  client: () => ClientFace | undefined,
  listed: Listed,
): Server {
  // Another process may save a capability at any moment, and what one client may see is not for a shared cache.
  const cacheHint = { ttlMs: 0, cacheScope: "private" } as const;
  const server = new Server(
    { name: "repertoire", title: "Repertoire", version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: INSTRUCTIONS,
      cacheHints: {
        "tools/list": cacheHint,
        "resources/list": cacheHint,
        "resources/templates/list": cacheHint,
        "prompts/list": cacheHint,
      },
    },
  );
  const contextFor = (params: JsonObject, context: ServerContext): CallContext => ({
    ...contextOf(params, context.mcpReq.signal, client(), (method, note) => {
      context.mcpReq.notify({ method, params: note }).catch(() => {});
    }),
    ...modernRequestOf(context),
  });

  registerLists(server, gateway, contextFor, listed);
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    return (await gateway.callTool(
      name,
      args as JsonObject,
      contextFor(params as JsonObject, context),
    )) as never;
  });
  for (const method of PASSED_METHODS) {
    server.setRequestHandler(method, async ({ params }, context) => {
      const passed = params as unknown as JsonObject;
      return answerOf(await gateway.pass(method, passed, contextFor(passed, context)));
    });
  }
  server.setRequestHandler("logging/setLevel", ({ params }) => {
    gateway.setLogLevel(params.level);
    return {};
  });
  server.setNotificationHandler("notifications/roots/list_changed", () => {
    gateway.tellServers("notifications/roots/list_changed", {});
  });

  const send = (method: string, params: JsonObject): void => {
    server
      .notification({ method, params })
      .catch((error: unknown) => log.debug("server.notification.failed", { method, error }));
  };
  const tell = (what: "tools" | "resources" | "prompts"): void => {
    // A change behind a list that does not show it, or one that the client has seen already, is no news.
    if (what === "tools" && gateway.toolsVersion() === listed.version) return;
    send(`notifications/${what}/list_changed`, {});
  };
  const unsubscribe = [gateway.changed(tell), gateway.notified(send)];
  server.onclose = () => {
    for (const leave of unsubscribe) leave();
  };
  return server;
}

type ContextFor = (params: JsonObject, context: ServerContext) => CallContext;

function registerLists(server: Server, gateway: Gateway, contextFor: ContextFor, listed: Listed): void {
  const refuseCursor = (params: { cursor?: string | undefined } | undefined): void => {
    if (params?.cursor === undefined) return;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page.");
  };
  server.setRequestHandler("tools/list", async ({ params }, context) => {
    refuseCursor(params);
    const tools = await gateway.listTools(contextFor({}, context));
    listed.version = gateway.toolsVersion();
    return { tools: tools as never };
  });
  server.setRequestHandler("resources/list", async ({ params }, context) => {
    refuseCursor(params);
    return { resources: (await gateway.listOffers(contextFor({}, context))).resources as never };
  });
  server.setRequestHandler("resources/templates/list", async ({ params }, context) => {
    refuseCursor(params);
    return {
      resourceTemplates: (await gateway.listOffers(contextFor({}, context))).resourceTemplates as never,
    };
  });
  server.setRequestHandler("prompts/list", async ({ params }, context) => {
    refuseCursor(params);
    return { prompts: (await gateway.listOffers(contextFor({}, context))).prompts as never };
  });
}

/** What a modern client says with each request; nothing for a legacy one. */
function modernRequestOf({ mcpReq }: ServerContext): Pick<CallContext, "modern"> {
  const envelope = mcpReq.envelope as JsonObject | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  if (capabilities === undefined) return {};
  const logLevel = envelope?.[LOG_LEVEL_META_KEY];
  const requestState = mcpReq.requestState<string>();
  return {
    modern: {
      capabilities: capabilities as JsonObject,
      ...(typeof logLevel === "string" ? { logLevel } : {}),
      ...(mcpReq.inputResponses === undefined ? {} : { inputResponses: mcpReq.inputResponses as JsonObject }),
      ...(requestState === undefined ? {} : { requestState }),
    },
  };
}

/** These methods have no `isError`: a failure is a JSON-RPC error, the server's own where it gave one. */
function answerOf(result: ToolResult<JsonObject>): JsonObject {
  if (result.success) return result.data;
  const { upstream, code, message, hint } = result.error;
  if (upstream !== undefined) throw new ProtocolError(upstream.code, upstream.message, upstream.data);
  const rpcCode =
    code === "TOOL_NOT_FOUND" || code === "TOOL_INVALID_INPUT"
      ? ProtocolErrorCode.InvalidParams
      : ProtocolErrorCode.InternalError;
  throw new ProtocolError(rpcCode, hint === undefined ? message : `${message} ${hint}`);
}
