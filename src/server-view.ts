import type { ServerConfig } from "./config/config.ts";
import { maskTransport } from "./config/secrets.ts";
import type { Catalogue } from "./registry/catalogue.ts";
import type { Finding } from "./registry/findings.ts";
import type { UpstreamStatus } from "./upstream/upstream-server.ts";

/** One configured server, for people: where it is reached, how it is, what went wrong last. */
export interface ServerView {
  readonly id: string;
  readonly state: "disabled" | "untrusted" | "needs_input" | "idle" | "connecting" | "ready" | "failed";
  /** The inputs that it waits for. */
  readonly missingInputs?: readonly string[];
  /** The command or address, without secrets. */
  readonly target: string;
  readonly era?: string;
  readonly protocolVersion?: string;
  /** Undefined while nothing is known. */
  readonly toolCount?: number;
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
  /** What looks like an attack in what the server lists. */
  readonly findings: readonly Omit<Finding, "server">[];
  readonly connectMs?: number;
  readonly pid?: number;
  readonly error?: string;
  readonly stderr?: readonly string[];
}

/** `redact` takes secrets out of what the server itself said: one that fails may print what it was given. */
export function viewServer(
  server: ServerConfig,
  status: UpstreamStatus | undefined,
  catalogue: Catalogue,
  redact: (text: string) => string = (text) => text,
): ServerView {
  const failure = catalogue.failed.find(({ source }) => source === server.id);
  const isKnown = !catalogue.pending.includes(server.id);
  const { lastError, era, protocolVersion, connectMs, pid } = status ?? {};
  const state = stateOf(server, status, failure !== undefined);
  // What is missing says it all; that the server was asked in vain is no news.
  const error = state === "needs_input" ? undefined : (lastError?.reason ?? failure?.reason);
  return {
    id: server.id,
    state,
    ...(state === "needs_input" && { missingInputs: server.missingInputs }),
    target: targetOf(server),
    rejected: catalogue.rejected
      .filter(({ source }) => source === server.id)
      .map(({ name, reason }) => ({ name, reason })),
    findings: catalogue.findings
      .filter((finding) => finding.server === server.id)
      .map(({ code, kind, tool, message, excerpt }) => ({ code, kind, tool, message, excerpt })),
    ...(isKnown && status !== undefined
      ? { toolCount: catalogue.components.filter(({ source }) => source === server.id).length }
      : {}),
    ...(era === undefined ? {} : { era }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(connectMs === undefined ? {} : { connectMs }),
    ...(pid === undefined ? {} : { pid }),
    ...(error === undefined ? {} : { error: redact(error) }),
    ...(lastError === undefined || lastError.stderr.length === 0
      ? {}
      : { stderr: lastError.stderr.map(redact) }),
  };
}

function stateOf(
  server: ServerConfig,
  status: UpstreamStatus | undefined,
  failed: boolean,
): ServerView["state"] {
  if (!server.enabled) return "disabled";
  if (!server.trusted) return "untrusted";
  if (server.missingInputs.length > 0) return "needs_input";
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
