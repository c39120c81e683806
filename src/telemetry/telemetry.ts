/**
 * Spans: what the gateway tells a tracing system about its work. Names and attributes follow OpenTelemetry's semantic
 * conventions for MCP; who receives it, and how, is not known here.
 *
 * Never in a span: arguments, results, texts of errors, resource URIs, headers, tokens, and the id of a session as it
 * is. Each of them can hold a secret, and a span leaves the machine.
 *
 * `NO_TELEMETRY` costs nothing: the functions here that start spans return one shared span before they build anything.
 */
import { hashText } from "../core/json.ts";
import { escapeUnprintable } from "../text/printable.ts";
import type { ToolResult } from "../core/result.ts";
import type { TraceContext } from "../core/trace-context.ts";

export interface Telemetry {
  /** False: every span is `NO_SPAN`, and callers may skip it. */
  readonly isOn: boolean;
  startSpan(name: string, options: SpanOptions): Span;
}

export interface SpanOptions {
  /** `server` for what comes in, `client` for what goes to a server, `internal` for runs and their steps. */
  readonly kind: "server" | "client" | "internal";
  readonly attributes?: SpanAttributes;
  readonly parent?: TraceContext | undefined;
}

type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  /** The context for the calls below; undefined when there is no telemetry, and the caller's own context goes on. */
  readonly context: TraceContext | undefined;
  set(key: string, value: string | number | boolean): void;
  /** Marks it as failed, by a class of failures and never by a text. */
  fail(errorType: string): void;
  end(): void;
}

export const NO_SPAN: Span = { context: undefined, set() {}, fail() {}, end() {} };

export const NO_TELEMETRY: Telemetry = { isOn: false, startSpan: () => NO_SPAN };

// ── requests ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A request in the terms of MCP, as far as a span may show them. */
interface RequestFacts {
  readonly method: string;
  /** The tool or the prompt that the request names. */
  readonly target?: string | undefined;
  readonly requestId?: string | number | undefined;
  readonly sessionId?: string | undefined;
  readonly protocolVersion?: string | undefined;
  readonly transport?: "http" | "stdio" | undefined;
  /** The server that it goes to. */
  readonly server?: string | undefined;
}

/** Names come from clients; a longer one is not one of ours. */
const TEXT_LENGTH_MAX = 128;
const TOOL_METHODS: ReadonlySet<string> = new Set(["tools/call"]);
const PROMPT_METHODS: ReadonlySet<string> = new Set(["prompts/get"]);

/** The span of a request: `server` for one that came in, `client` for one that goes out. */
export function startRequestSpan(
  telemetry: Telemetry,
  kind: "server" | "client",
  facts: RequestFacts,
  parent: TraceContext | undefined,
): Span {
  if (!telemetry.isOn) return NO_SPAN;
  const { method, target } = facts;
  return telemetry.startSpan(requestSpanName(method, target), {
    kind,
    attributes: requestAttributes(facts),
    parent,
  });
}

/** `tools/call get_weather`, or the method alone: a URI would make a name for each resource. */
export function requestSpanName(method: string, target?: string): string {
  const isNamed = target !== undefined && (TOOL_METHODS.has(method) || PROMPT_METHODS.has(method));
  return isNamed ? `${bounded(method)} ${bounded(target)}` : bounded(method);
}

export function requestAttributes(facts: RequestFacts): SpanAttributes {
  const { method, target, requestId, sessionId, protocolVersion, transport, server } = facts;
  return {
    "mcp.method.name": bounded(method),
    ...(target !== undefined && targetAttributes(method, bounded(target))),
    ...(requestId !== undefined && { "jsonrpc.request.id": bounded(String(requestId)) }),
    ...(sessionId !== undefined && { "mcp.session.id": markOf(sessionId) }),
    ...(protocolVersion !== undefined && { "mcp.protocol.version": bounded(protocolVersion) }),
    ...(transport !== undefined && TRANSPORT_ATTRIBUTES[transport]),
    ...(server !== undefined && { "repertoire.server": server }),
  };
}

function targetAttributes(method: string, target: string): SpanAttributes {
  if (TOOL_METHODS.has(method)) {
    return { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": target };
  }
  return PROMPT_METHODS.has(method) ? { "gen_ai.prompt.name": target } : {};
}

const TRANSPORT_ATTRIBUTES: Readonly<Record<"http" | "stdio", SpanAttributes>> = {
  http: { "network.transport": "tcp", "network.protocol.name": "http" },
  stdio: { "network.transport": "pipe" },
};

/** Tells sessions apart without being the key to one. */
function markOf(sessionId: string): string {
  return hashText(sessionId).slice(0, 16);
}

function bounded(text: string): string {
  return escapeUnprintable(text.slice(0, TEXT_LENGTH_MAX));
}

// ── how it ended ────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * How a request or a call ended, in the words of metrics and logs. `tool_error` comes from the tool itself: the call
 * itself worked.
 */
export const OUTCOMES = ["ok", "tool_error", "error", "timeout", "cancelled", "refused"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export function outcomeOf(result: ToolResult<unknown>): Outcome {
  if (result.success) return saysError(result.data) ? "tool_error" : "ok";
  switch (result.error.code) {
    case "TOOL_TIMEOUT":
      return "timeout";
    case "CANCELLED":
      return "cancelled";
    case "SECURITY_ERROR":
    case "RATE_LIMITED":
      return "refused";
    default:
      return "error";
  }
}

function saysError(data: unknown): boolean {
  return typeof data === "object" && data !== null && "isError" in data && data.isError === true;
}

/** Ends a span with its outcome: the JSON-RPC code of the server where it gave one, else our own. */
export function endSpan(span: Span, result: ToolResult<unknown>): void {
  if (span === NO_SPAN) return;
  if (!result.success) {
    const { upstream, code } = result.error;
    if (upstream !== undefined) span.set("rpc.response.status_code", String(upstream.code));
    span.fail(upstream === undefined ? code : String(upstream.code));
  } else if (saysError(result.data)) {
    span.fail("tool_error");
  }
  span.end();
}
