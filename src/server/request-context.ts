import { randomUUID } from "node:crypto";
import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { CallContext, ClientHandle } from "../core/tool.ts";
import { parseTraceContext, TRACE_FIELDS } from "../core/trace-context.ts";
import { clientNameOf } from "./client-name.ts";

/** What belongs to the connection between the client and us, and is not forwarded. */
const OWN_META = /^(?:progressToken$|io\.modelcontextprotocol\/)/;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Sender {
  readonly signal: AbortSignal;
  readonly client?: ClientHandle | undefined;
  /** Where progress goes; without it, to the client. */
  readonly notify?: (method: string, params: JsonObject) => void;
  /** What every request of this sender carries. */
  readonly shared?: Partial<CallContext> | undefined;
}

/**
 * The context of a client's request: its progress goes back to the client, the rest of its `_meta` goes on to the
 * server.
 */
export function contextOf(params: JsonObject, { signal, client, notify, shared }: Sender): CallContext {
  const context: Writable<CallContext> = { traceId: randomUUID(), signal, client, ...shared };
  const meta = params["_meta"];
  if (!isJsonObject(meta)) return context;
  const { progressToken } = meta;
  // A modern client says with each request who it is.
  const clientName = clientNameOf(meta[CLIENT_INFO_META_KEY]);
  if (clientName !== undefined) context.clientName = clientName;
  // The trace goes on as it was read, and never as it came.
  const trace = parseTraceContext(meta);
  if (trace !== undefined) context.trace = trace;
  const rest = Object.entries(meta).filter(([key]) => !OWN_META.test(key) && !TRACE_FIELDS.has(key));
  if (rest.length > 0) context.meta = Object.fromEntries(rest);
  if (progressToken === undefined) return context;
  const tell = notify ?? ((method: string, note: JsonObject) => client?.notify(method, note));
  context.onProgress = (progress) => tell("notifications/progress", { progressToken, ...progress });
  return context;
}
