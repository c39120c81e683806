/**
 * An HTTP server that keeps everything it is sent, headers and bodies: an MCP server at `/mcp`, and a collector of traces that
 * takes whatever comes anywhere else.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordingServer {
  readonly url: string;
  /** Everything that came to a path, as text. */
  heard(path: string): string;
  close(): Promise<void>;
}

const TOOL = { name: "echo", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "recording", version: "1.0.0" },
  },
  "tools/list": { tools: [TOOL] },
  "tools/call": { content: [{ type: "text", text: "recorded" }] },
  ping: {},
};

export async function openRecordingServer(): Promise<RecordingServer> {
  const heard: { path: string; text: string }[] = [];
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const path = request.url ?? "";
    heard.push({ path, text: `${JSON.stringify(request.headers)}\n${text}` });
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { status, body } = path === "/mcp" ? answerTo(text) : { status: 200, body: "{}" };
    response.writeHead(status, { "Content-Type": "application/json" }).end(body);
  }
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: (path) =>
      heard
        .filter((request) => request.path === path)
        .map(({ text }) => text)
        .join("\n"),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerTo(text: string): { readonly status: number; readonly body: string } {
  const { id, method } = JSON.parse(text) as { id?: unknown; method: string };
  if (id === undefined) return { status: 202, body: "" };
  const result = RESULTS[method];
  const rest = result === undefined ? { error: { code: -32601, message: "no such method" } } : { result };
  return { status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, ...rest }) };
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
