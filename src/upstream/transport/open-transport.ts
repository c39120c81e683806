import type { ToolError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Transport } from "./transport.ts";
import type { FailureCause } from "../failure-cause.ts";
import { startServerProcess, type ServerProcess } from "../process/server-process.ts";
import type { HttpTransportDeps, OpenedHttpTransport } from "./http-transport.ts";
import type { TransportConfig } from "../upstream-config.ts";

/** A transport, with the process behind it if there is one. */
export interface OpenedTransport {
  readonly transport: Transport;
  readonly process?: ServerProcess;
  /** Why the transport last failed, where it knows that better than the error that came of it. */
  readonly failure?: () => ToolError | undefined;
  /** What its last request or answer says about a server that did not open. */
  readonly cause?: () => FailureCause | undefined;
}

/** Makes the transport that the config asks for; nothing is sent yet. */
export type OpenTransport = (config: TransportConfig, log: Log) => Promise<OpenedTransport>;

/**
 * For one server: all its transports share connections and the login. The SDK's HTTP client is loaded with the first
 * remote server. Without `deps` there is no login.
 */
export function createOpenTransport(deps?: Omit<HttpTransportDeps, "log">): OpenTransport {
  let remote: Promise<() => OpenedHttpTransport> | undefined;
  return async (config, log) => {
    if (config.kind === "stdio") {
      const process = await startProcess(config, log, deps?.server);
      return { transport: process, process };
    }
    remote ??= import("./http-transport.ts").then(({ createHttpTransports }) =>
      createHttpTransports(config, { server: new URL(config.url).host, ...deps, log }),
    );
    return (await remote)();
  };
}

type StdioConfig = Extract<TransportConfig, { kind: "stdio" }>;

/** What isolates a server is looked for, and loaded, with the first server that needs it. */
async function startProcess(config: StdioConfig, log: Log, server?: string): Promise<ServerProcess> {
  if (config.isolation === undefined) return startServerProcess({ ...config, log });
  const { startIsolatedProcess } = await import("../process/isolated-process.ts");
  return startIsolatedProcess({ ...config, isolation: config.isolation, log, server });
}

/** One transport, without a login. */
export const openTransport: OpenTransport = (config, log) => createOpenTransport()(config, log);
