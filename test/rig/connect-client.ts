import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import type { Era } from "../fixtures/gateway-process.ts";

const PINNED = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;

/** The SDK's client of one era, which can be asked for everything; it ends with the test, and its server with it. */
export async function connectClient(era: Era, server: URL | { command: string; args: string[] }) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { ...(era === "2026-07-28" && PINNED), capabilities: { elicitation: {}, sampling: {}, roots: {} } },
  );
  onTestFinished(() => client.close());
  if (server instanceof URL) {
    await client.connect(new StreamableHTTPClientTransport(server));
    return { client, stderr: () => "" };
  }
  const transport = new StdioClientTransport({ ...server, stderr: "pipe" });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await client.connect(transport);
  return { client, stderr: () => stderr };
}
