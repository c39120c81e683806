/** One MCP endpoint over HTTP, for both eras at the same address. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Permission } from "../../core/principal.ts";
import { permissionFor, permissionsForCall, type InsufficientScope } from "../auth/permission.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { McpServerParts } from "../mcp-server.ts";
import { traceMessage } from "../request-span.ts";
import { readBody } from "./body.ts";
import { createLegacyEndpoint } from "./legacy-endpoint.ts";
import { createModernEndpoint, isModern } from "./modern-endpoint.ts";
import { refuseAndClose, replyEmpty, replyError, replyFailure } from "./reply.ts";
import { Sessions } from "./sessions.ts";
import { headerOf, type Visit } from "./visit.ts";

export interface McpEndpointParts extends McpServerParts {
  /** Whether names are a server's own, so that none of them is a meta-tool. */
  readonly isTransparent: boolean;
  readonly telemetry: Telemetry;
  /** Whether the gateway is leaving: answers and notifications are still taken, requests are not. */
  readonly isDraining: () => boolean;
  readonly refusePermission: (permission: Permission, visit: Visit) => InsufficientScope;
}

export interface McpEndpoint {
  /** Never rejects: a request that fails is answered all the same. */
  handle(visit: Visit): Promise<void>;
  readonly sessionCount: number;
  close(): Promise<void>;
}

export function createMcpEndpoint(parts: McpEndpointParts): McpEndpoint {
  const sessions = new Sessions(parts.log);
  const legacy = createLegacyEndpoint(parts, sessions);
  const modern = createModernEndpoint(parts);

  async function post(visit: Visit): Promise<void> {
    const body = await readBody(visit.request);
    if (body.kind === "gone") return;
    if (body.kind === "refused") {
      const { request, response } = visit;
      return body.isUnread ? refuseAndClose(request, response, body.error) : replyError(response, body.error);
    }
    visit.bodyBytes = body.byteCount;
    note(visit, body.message);
    if (!isAllowed(visit, neededFor(body.message, parts.isTransparent))) return;
    if (visit.requestId !== undefined && parts.isDraining()) return refuseLate(visit);
    const message = trace(visit, body.message);
    return visit.era === "modern" ? modern.post(visit, message) : legacy.post(visit, message);
  }

  function trace(visit: Visit, message: JSONRPCMessage): JSONRPCMessage {
    const traced = traceMessage(parts.telemetry, message, {
      transport: "http",
      sessionId: headerOf(visit, "mcp-session-id"),
      protocolVersion: headerOf(visit, "mcp-protocol-version"),
      headers: {
        traceparent: headerOf(visit, "traceparent"),
        tracestate: headerOf(visit, "tracestate"),
        baggage: headerOf(visit, "baggage"),
      },
    });
    visit.span = traced.span;
    return traced.message;
  }

  function isAllowed(visit: Visit, needed: readonly Permission[]): boolean {
    const missing = needed.find((permission) => visit.principal?.permissions.has(permission) !== true);
    if (missing === undefined) return true;
    const { status, challenge, message } = parts.refusePermission(missing, visit);
    const { requestId: id = null, response } = visit;
    replyError(response, { status, message, id, headers: { "WWW-Authenticate": challenge } });
    return false;
  }

  async function route(visit: Visit): Promise<void> {
    const { method } = visit.request;
    if (method === "POST") return post(visit);
    if (method !== "GET" && method !== "DELETE")
      return replyEmpty(visit.response, 405, { Allow: "GET, POST, DELETE" });
    visit.era = "legacy";
    if (!isAllowed(visit, ["read"])) return;
    return method === "GET" ? legacy.get(visit) : legacy.delete(visit);
  }

  return {
    async handle(visit) {
      try {
        await route(visit);
      } catch (error) {
        replyFailure(visit, error, parts.log);
      }
    },
    get sessionCount() {
      return sessions.count;
    },
    async close() {
      await Promise.all([sessions.close(), modern.close()]);
    },
  };
}

function refuseLate({ response, requestId }: Visit): void {
  const headers = { "Retry-After": "1", Connection: "close" };
  const message = "The gateway is ending and takes no more requests. Try again in a moment.";
  replyError(response, { status: 503, message, id: requestId ?? null, headers });
}

/** What is told of the request in logs, metrics and traces. */
function note(visit: Visit, message: JSONRPCMessage): void {
  visit.era = isModern(visit, message) ? "modern" : "legacy";
  if (!("method" in message)) return;
  visit.method = message.method;
  if ("id" in message) visit.requestId = message.id;
  const name = message.method === "tools/call" ? message.params?.["name"] : undefined;
  if (typeof name === "string") visit.tool = name;
}

/** An answer to what we asked belongs to a call. */
function neededFor(message: JSONRPCMessage, isTransparent: boolean): readonly Permission[] {
  if (!("method" in message)) return ["call"];
  if (message.method !== "tools/call" || isTransparent) return [permissionFor(message.method, undefined)];
  const { name, arguments: args } = (message.params ?? {}) as JsonObject;
  return permissionsForCall(typeof name === "string" ? name : undefined, isJsonObject(args) ? args : {});
}
