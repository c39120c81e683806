/** An API as one of the configured servers: what its source says of itself, in the words that views have for servers. */
import type { OpenApiTransport } from "../config/config.ts";
import {
  createOpenApiSource,
  type OpenApiConfig,
  type OpenApiDeps,
  type OpenApiStatus,
} from "../openapi/openapi-source.ts";
import type { UpstreamServer, UpstreamStatus } from "../upstream/upstream-server.ts";

export function createOpenApiServer(
  {
    id,
    timeoutMs,
    transport,
  }: { readonly id: string; readonly timeoutMs: number; readonly transport: OpenApiTransport },
  deps: OpenApiDeps,
): UpstreamServer {
  const { kind: _, ...api } = transport;
  const config: OpenApiConfig = { id, callTimeoutMs: timeoutMs, ...api };
  const source = createOpenApiSource(config, deps);
  return {
    id,
    list: (context) => source.list(context),
    call: source.call,
    request: source.request!,
    describe: source.describe!,
    changed: (listener) => source.changed(listener),
    close: () => source.close(),
    status: () => statusOf(source.status()),
    // It says nothing unasked, and hears nothing.
    notified: () => () => {},
    notify() {},
    setLogLevel() {},
    stderrTail: () => [],
  };
}

const STATES = { idle: "idle", reading: "connecting", ready: "ready", failed: "waiting" } as const;

function statusOf({ state, callCount, readMs, serverInfo, failure }: OpenApiStatus): UpstreamStatus {
  return {
    state: STATES[state],
    callCount,
    ownChannelCount: 0,
    failureCount: failure === undefined ? 0 : 1,
    connectMs: readMs,
    serverInfo,
    ...(failure !== undefined && {
      lastError: { at: failure.at, reason: failure.reason, cause: "bad_description", stderr: [] },
    }),
  };
}
