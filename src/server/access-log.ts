/**
 * One line of the log for each HTTP request: who asked for what, and what came of it. It is made of facts that are
 * named one by one; there is no way in for a query string, a header or a body. What a client chose itself (a tool's
 * name, a method) is cut and escaped.
 */
import type { Log } from "../core/log.ts";
import { escapeUnprintable } from "../text/printable.ts";
import type { Outcome } from "../telemetry/telemetry.ts";

export interface HttpOutcome {
  readonly method: string;
  /** As the server wrote it, such as `/mcp/:profile`; never the path that was asked for. */
  readonly route: string;
  readonly status: number;
  readonly elapsedMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** The address of the peer: behind a proxy, the proxy's. */
  readonly remote?: string | undefined;
  readonly principal?: string | undefined;
  readonly profile?: string | undefined;
  readonly era?: "legacy" | "modern" | undefined;
  readonly mcpMethod?: string | undefined;
  readonly tool?: string | undefined;
  /** How the MCP request ended: a failed call is answered with status 200. */
  readonly outcome?: Outcome | undefined;
  /** The replica that has answered it; its own log has the line of the request. */
  readonly forwardedTo?: string | undefined;
  /** The id that the answer carries, and that other lines of the log have. */
  readonly traceId?: string | undefined;
  /** The trace of OpenTelemetry, if the request belongs to one. */
  readonly otelTraceId?: string | undefined;
}

/** A longer one is no name of ours. */
const TEXT_LENGTH_MAX = 128;

/** What asks again and again whether all is well; its answers are of interest when they are not. */
const PROBES: ReadonlySet<string> = new Set(["/health", "/health/live", "/health/ready", "/metrics"]);

export function logRequest(log: Log, outcome: HttpOutcome): void {
  log[levelOf(outcome)]("http.request", fieldsOf(outcome));
}

function levelOf({ status, route }: HttpOutcome): "warn" | "info" | "debug" {
  if (status >= 500) return "warn";
  return status < 400 && PROBES.has(route) ? "debug" : "info";
}

function fieldsOf(outcome: HttpOutcome): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of FIELDS) {
    const value = outcome[name];
    if (typeof value === "string") fields[name] = escapeUnprintable(value.slice(0, TEXT_LENGTH_MAX));
    else if (value !== undefined) fields[name] = name === "elapsedMs" ? Math.round(value * 10) / 10 : value;
  }
  return fields;
}

const FIELDS = [
  "method",
  "route",
  "status",
  "elapsedMs",
  "bytesIn",
  "bytesOut",
  "remote",
  "principal",
  "profile",
  "era",
  "mcpMethod",
  "tool",
  "outcome",
  "forwardedTo",
  "traceId",
  "otelTraceId",
] as const satisfies readonly (keyof HttpOutcome)[];
