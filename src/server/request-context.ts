import { randomUUID } from "node:crypto";
import type { JsonObject } from "../core/json.ts";
import type { CallContext, ClientHandle } from "../core/tool.ts";
import { parseTraceContext, TRACE_FIELDS } from "../core/trace-context.ts";

/** What belongs to the connection between the client and us, and is not passed on. */
const OWN_META = /^(?:progressToken$|io\.modelcontextprotocol\/)/;

/** The context of a client's request: its progress goes back to the client, the rest of its `_meta` goes on to the server. */
export function contextOf(
  params: JsonObject,
  signal: AbortSignal,
  client: ClientHandle | undefined,
  notify: (method: string, params: JsonObject) => void = (method, note) => client?.notify(method, note),
): CallContext {
  const meta = params["_meta"];
  const context = { traceId: randomUUID(), signal, ...(client === undefined ? {} : { client }) };
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) return context;
  const { progressToken } = meta as JsonObject;
  const trace = parseTraceContext(meta as JsonObject);
  // The trace goes on as it was read, and never as it came.
  const passed = Object.entries(meta as JsonObject).filter(
    ([key]) => !OWN_META.test(key) && !TRACE_FIELDS.has(key),
  );
  return {
    ...context,
    ...(trace === undefined ? {} : { trace }),
    ...(passed.length === 0 ? {} : { meta: Object.fromEntries(passed) }),
    ...(progressToken === undefined
      ? {}
      : {
          onProgress: (progress: JsonObject) =>
            notify("notifications/progress", { progressToken, ...progress }),
        }),
  };
}
