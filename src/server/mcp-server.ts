import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Gateway } from "../gateway/gateway.ts";

const INSTRUCTIONS =
  "Repertoire is one door to many MCP servers, and it keeps what worked. Search with browse_components, look into the library with " +
  "list_library, run TypeScript against the tools with execute, and keep what worked with save_to_library.";

export interface McpServerParts {
  readonly gateway: Gateway;
  readonly version: string;
  readonly log: Log;
}

/** The gateway as one MCP connection, in whichever era the client opened. Known methods are registered one by one; all others are -32601. */
export function createMcpServer({ gateway, version, log }: McpServerParts): Server {
  const server = new Server(
    { name: "repertoire", title: "Repertoire", version },
    {
      capabilities: { tools: { listChanged: true } },
      instructions: INSTRUCTIONS,
      // Another process may save a capability at any moment, and what one client may see is not for a shared cache.
      cacheHints: { "tools/list": { ttlMs: 0, cacheScope: "private" } },
    },
  );

  server.setRequestHandler("tools/list", async (request) => {
    if (request.params?.cursor !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: the list has one page.");
    }
    return { tools: (await gateway.listTools()) as never };
  });

  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    return (await gateway.callTool(name, args as JsonObject, { signal: context.mcpReq.signal })) as never;
  });

  const unsubscribe = gateway.changed(() => {
    server
      .sendToolListChanged()
      .catch((error: unknown) => log.debug("server.notification.failed", { error }));
  });
  server.onclose = unsubscribe;
  return server;
}
