import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Wire } from "../core/wire.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import type { UpstreamTransport } from "./upstream-config.ts";

/**
 * A remote server over the SDK's transports. A redirect is followed only within the origin, so that headers with credentials
 * never reach another one; nothing is retried that may already have taken effect.
 */
export function createRemoteWire(transport: Extract<UpstreamTransport, { kind: "http" | "sse" }>): Wire {
  const url = new URL(transport.url);
  const options = {
    requestInit: { headers: { ...transport.headers } },
    redirectPolicy: "same-origin",
    fetch: createBoundedFetch(),
  } as const;
  const wire =
    transport.kind === "sse"
      ? new SSEClientTransport(url, options)
      : new StreamableHTTPClientTransport(url, options);
  // The SDK's messages are a union of exact shapes; ours are the same JSON with a looser type.
  return wire as unknown as Wire;
}
