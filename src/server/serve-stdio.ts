import type { Readable, Writable } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpServerParts } from "./mcp-server.ts";
import { GRACE_MS, StdioTransport } from "./stdio-transport.ts";

export interface StdioConnection {
  /** Resolves when the client has gone or `close` was called. */
  readonly ended: Promise<void>;
  /** Takes no more requests, answers those under way within the grace time, and ends. */
  close(): Promise<void>;
}

/** Serves one client over stdio, in both protocol eras: its opening message decides. */
export function connectStdio(parts: McpServerParts, input: Readable, output: Writable): StdioConnection {
  const transport = new StdioTransport(input, output);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    resolve();
  };
  const handle = serveStdio(() => createMcpServer(parts), {
    transport,
    onerror: (error) => parts.log.warn("server.stdio.problem", { error }),
  });
  return {
    ended,
    async close() {
      input.pause();
      await transport.drain(GRACE_MS);
      await handle.close();
    },
  };
}
