import type { ToolError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Wire } from "./wire.ts";
import type { FailureCause } from "../failure-cause.ts";
import { startServerProcess, type ServerProcess } from "../process/server-process.ts";
import type { RemoteParts, RemoteWire } from "./remote-wire.ts";
import type { UpstreamTransport } from "../upstream-config.ts";

/** A wire, and the process behind it where there is one. */
export interface OpenedWire {
  readonly wire: Wire;
  readonly process?: ServerProcess;
  /** Why the wire last failed, where it knows that better than the error that came of it. */
  readonly failure?: () => ToolError | undefined;
  /** What the last thing on the wire says about a server that did not open. */
  readonly cause?: () => FailureCause | undefined;
}

/** Makes the wire that a transport asks for; nothing is sent yet. */
export type OpenWire = (transport: UpstreamTransport, log: Log) => Promise<OpenedWire>;

/**
 * For one server: all its wires share connections and the login. The SDK's HTTP client is loaded with the first remote server.
 * Without parts there is no login.
 */
export function createOpenWire(parts?: Omit<RemoteParts, "log">): OpenWire {
  let remote: Promise<() => RemoteWire> | undefined;
  return async (transport, log) => {
    if (transport.kind === "stdio") {
      const process = startServerProcess({ ...transport, log });
      return { wire: process, process };
    }
    remote ??= import("./remote-wire.ts").then(({ createRemote }) =>
      createRemote(transport, { server: new URL(transport.url).host, ...parts, log }),
    );
    return (await remote)();
  };
}

/** One wire, without a login. */
export const openWire: OpenWire = (transport, log) => createOpenWire()(transport, log);
