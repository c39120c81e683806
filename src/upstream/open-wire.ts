import type { Log } from "../core/log.ts";
import type { Wire } from "../core/wire.ts";
import { startServerProcess, type ServerProcess } from "./process/server-process.ts";
import type { UpstreamTransport } from "./upstream-config.ts";

/** A wire, and the process behind it where there is one. */
export interface OpenedWire {
  readonly wire: Wire;
  readonly process?: ServerProcess;
}

/** Makes the wire that a transport asks for; nothing is sent yet. The SDK's HTTP client is loaded with the first remote server. */
export async function openWire(transport: UpstreamTransport, log: Log): Promise<OpenedWire> {
  if (transport.kind === "stdio") {
    const process = startServerProcess({ ...transport, log });
    return { wire: process, process };
  }
  const { createRemoteWire } = await import("./remote-wire.ts");
  return { wire: createRemoteWire(transport) };
}
