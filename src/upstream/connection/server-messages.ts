/**
 * What a server says unasked, and what it asks: the shapes that clients check. What does not fit never reaches a
 * client.
 */
import { either, integer, Misfit, number, oneOf, record, text, type Fit } from "../../text/fit.ts";
import type { JsonObject } from "../../core/json.ts";
import { MESSAGE_META } from "../../text/mcp-fields.ts";
import { cut } from "../../text/cut.ts";

const META = { _meta: MESSAGE_META };
const ID = either(text, integer);
const LEVEL = oneOf("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");
/** Any JSON, but not nothing. */
const present: Fit = (value) => (value === undefined ? new Misfit(" is missing") : value);

const NOTIFICATIONS: Readonly<Record<string, Fit>> = {
  "notifications/progress": record({
    needs: { progressToken: ID, progress: number },
    hints: { total: number, message: text, ...META },
  }),
  "notifications/cancelled": record({ hints: { requestId: ID, reason: text, ...META } }),
  "notifications/message": record({
    needs: { level: LEVEL, data: present },
    hints: { logger: text, ...META },
  }),
  "notifications/resources/updated": record({ needs: { uri: text }, hints: META }),
  "notifications/elicitation/complete": record({ needs: { elicitationId: text }, hints: META }),
};
const ANY_NOTIFICATION = record({ hints: META });

/** The parameters as they may be passed on; undefined where the notification may not be. */
export function fitNotification(method: string, params: unknown): JsonObject | undefined {
  const fitted = (NOTIFICATIONS[method] ?? ANY_NOTIFICATION)(params);
  return fitted instanceof Misfit ? undefined : (fitted as JsonObject);
}

/** The requests that a person or a model answers, by the SDK's name for each. */
const REQUESTS = {
  "elicitation/create": "ElicitRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "roots/list": "ListRootsRequest",
} as const;

/**
 * Why a request is not put to a client, where it is not. The schemas of the SDK decide: a question is rare and waits
 * for a person, so they are loaded with the first one.
 */
export async function findRequestProblem(method: string, params: JsonObject): Promise<string | undefined> {
  const name = REQUESTS[method as keyof typeof REQUESTS] as
    | (typeof REQUESTS)[keyof typeof REQUESTS]
    | undefined;
  if (name === undefined) return undefined;
  const { specTypeSchemas } = await import("@modelcontextprotocol/client");
  const { issues } = specTypeSchemas[name]["~standard"].validate({ method, params });
  const [first] = issues ?? [];
  if (first === undefined) return undefined;
  const place = (first.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".");
  return cut(`${place}: ${first.message}`, 500);
}
