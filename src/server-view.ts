import type { ServerConfig } from "./config/config.ts";
import { maskTransport } from "./config/secrets.ts";
import type { Catalogue } from "./registry/catalogue.ts";
import type { UpstreamStatus } from "./upstream/upstream-server.ts";

/** One configured server, for people: where it is reached, how it is, what went wrong last. */
export interface ServerView {
  readonly id: string;
  readonly state: "disabled" | "untrusted" | "idle" | "connecting" | "ready" | "failed";
  /** The command or address, without secrets. */
  readonly target: string;
  readonly era?: string;
  readonly protocolVersion?: string;
  /** Undefined while nothing is known. */
  readonly toolCount?: number;
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
  readonly connectMs?: number;
  readonly pid?: number;
  readonly error?: string;
  readonly stderr?: readonly string[];
}

export function viewServer(
  server: ServerConfig,
  status: UpstreamStatus | undefined,
  catalogue: Catalogue,
): ServerView {
  const failure = catalogue.failed.find(({ source }) => source === server.id);
  const isKnown = !catalogue.pending.includes(server.id);
  const { lastError, era, protocolVersion, connectMs, pid } = status ?? {};
  const error = lastError?.reason ?? failure?.reason;
  return {
    id: server.id,
    state: stateOf(server, status, failure !== undefined),
    target: targetOf(server),
    rejected: catalogue.rejected
      .filter(({ source }) => source === server.id)
      .map(({ name, reason }) => ({ name, reason })),
    ...(isKnown && status !== undefined
      ? { toolCount: catalogue.components.filter(({ source }) => source === server.id).length }
      : {}),
    ...(era === undefined ? {} : { era }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(connectMs === undefined ? {} : { connectMs }),
    ...(pid === undefined ? {} : { pid }),
    ...(error === undefined ? {} : { error }),
    ...(lastError === undefined || lastError.stderr.length === 0 ? {} : { stderr: lastError.stderr }),
  };
}

function stateOf(
  server: ServerConfig,
  status: UpstreamStatus | undefined,
  failed: boolean,
): ServerView["state"] {
  if (!server.enabled) return "disabled";
  if (!server.trusted) return "untrusted";
  switch (status?.state) {
    case "ready":
    case "connecting":
      return status.state;
    case "waiting":
    case "broken":
      return "failed";
    default:
      return failed ? "failed" : "idle";
  }
}

function targetOf({ written }: ServerConfig): string {
  const shown = maskTransport(written);
  return shown.kind === "stdio" ? [shown.command, ...shown.args].join(" ") : shown.url;
}
