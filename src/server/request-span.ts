/**
 * The span of a client's message, and the trace that it belongs to, written into the message itself: every way that
 * it can take from here (the fast path, the SDK, either era) reads `_meta`, and so does the server at the end of it.
 */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import {
  NO_SPAN,
  startRequestSpan,
  type Outcome,
  type Span,
  type Telemetry,
} from "../telemetry/telemetry.ts";
import { parseTraceContext, TRACE_FIELDS, type TraceContext } from "../core/trace-context.ts";

/** Any message of JSON-RPC. */
interface Message {
  readonly method?: string | undefined;
  readonly id?: string | number | undefined;
  readonly params?: object | undefined;
}

interface MessageOrigin {
  readonly transport: "http" | "stdio";
  readonly sessionId?: string | undefined;
  readonly protocolVersion?: string | undefined;
  /** Of the HTTP request, for clients that say it there. */
  readonly headers?: {
    readonly traceparent?: unknown;
    readonly tracestate?: unknown;
    readonly baggage?: unknown;
  };
}

interface TracedMessage<T> {
  /** The same message where there is nothing to add. */
  readonly message: T;
  readonly span: Span;
  readonly trace: TraceContext | undefined;
}

/** Starts the span of a message that came in. Messages that name no method have none: they answer what we asked. */
export function traceMessage<T extends Message>(
  telemetry: Telemetry,
  message: T,
  origin: MessageOrigin,
): TracedMessage<T> {
  const { method } = message;
  if (method === undefined) return { message, span: NO_SPAN, trace: undefined };
  const { _meta: meta, name } = (message.params ?? {}) as JsonObject;
  const given = parseTraceContext(isJsonObject(meta) ? meta : undefined, origin.headers);
  const span = telemetry.isOn ? startSpan(telemetry, message, method, name, origin, given) : NO_SPAN;
  const trace = span.context ?? given;
  if (trace === undefined) return { message, span, trace };
  const params = { ...message.params, _meta: { ...untraced(meta), ...trace } };
  return { message: { ...message, params }, span, trace };
}

/** What the client said of its trace and was not taken over is not passed on either. */
function untraced(meta: unknown): JsonObject {
  if (!isJsonObject(meta)) return {};
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !TRACE_FIELDS.has(key)));
}

function startSpan(
  telemetry: Telemetry,
  { id }: Message,
  method: string,
  name: unknown,
  { transport, sessionId, protocolVersion }: MessageOrigin,
  parent: TraceContext | undefined,
): Span {
  const target = typeof name === "string" ? name : undefined;
  const facts = { method, target, requestId: id, sessionId, protocolVersion, transport };
  return startRequestSpan(telemetry, "server", facts, parent);
}

/** How a request ended, by its answer. */
export function outcomeOfAnswer(answer: { readonly result?: unknown; readonly error?: unknown }): Outcome {
  if (answer.error !== undefined) return "error";
  return isJsonObject(answer.result) && answer.result["isError"] === true ? "tool_error" : "ok";
}

/** Ends the span of a request whose answer is on its way. */
export function endMessageSpan(span: Span, outcome: Outcome, error?: { readonly code?: unknown }): void {
  if (span === NO_SPAN) return;
  const code = typeof error?.code === "number" ? String(error.code) : undefined;
  if (code !== undefined) span.set("rpc.response.status_code", code);
  if (outcome !== "ok") span.fail(code ?? outcome);
  span.end();
}
