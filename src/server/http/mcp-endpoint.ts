/** One MCP endpoint over HTTP, for both eras at the same address. */
import type { IncomingMessage } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Permission } from "../../core/principal.ts";
import type { SessionStore } from "../../core/replica-store.ts";
import { challengeOf } from "../auth/challenge.ts";
import { permissionFor, permissionsForCall, type InsufficientScope } from "../auth/permission.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { McpServerDeps } from "../mcp-server.ts";
import { traceMessage } from "../request-span.ts";
import { readMessage } from "../message.ts";
import { PARSE_ERROR } from "../../core/rpc-codes.ts";
import { createLegacyEndpoint } from "./legacy-endpoint.ts";
import { createModernEndpoint, isModern } from "./modern-endpoint.ts";
import { refuseAndClose, replyEmpty, replyError, replyFailure, type HttpError } from "./reply.ts";
import { Sessions } from "./sessions.ts";
import { headerOf, type HttpCall } from "./http-call.ts";
import { KeptSessions } from "./kept-sessions.ts";
import { BODY_BYTES_MAX } from "./limits.ts";
import { SESSION_GONE, SESSION_HEADER, type Peering } from "./replicas/peer-contract.ts";
import { readBytes } from "./read-bytes.ts";

export interface McpEndpointDeps extends McpServerDeps {
  readonly telemetry: Telemetry;
  /** Whether the gateway is ending: answers and notifications are still taken, requests are not. */
  readonly isDraining: () => boolean;
  readonly refusePermission: (permission: Permission, call: HttpCall) => InsufficientScope;
  /** The profile that it serves. */
  readonly profile?: string | undefined;
  readonly shared?: SharedStore | undefined;
}

/** What an endpoint needs of a store that other replicas use as well. */
export interface SharedStore {
  readonly peering: Peering;
  readonly sessions: SessionStore;
  /** The other replica that holds the call of a `requestState`; undefined where none does. */
  readonly heldAt: (requestState: string) => Promise<string | undefined>;
  /** A session of another replica goes on here. */
  readonly adopted: () => void;
}

export interface McpEndpoint {
  /** Never rejects: a request that fails is answered all the same. */
  handle(call: HttpCall): Promise<void>;
  readonly sessionCount: number;
  /** With `isHandedOver`, other replicas go on with the sessions. */
  close(options?: { readonly isHandedOver?: boolean }): Promise<void>;
}

export function createMcpEndpoint(deps: McpEndpointDeps): McpEndpoint {
  const { shared, profile = null, log } = deps;
  const kept =
    shared && new KeptSessions({ store: shared.sessions, ownId: shared.peering.ownId, profile, log });
  const sessions = new Sessions(log, undefined, kept);
  const legacy = createLegacyEndpoint(deps, sessions, shared && { ...shared, kept: kept! });
  const modern = createModernEndpoint(deps);

  async function post(call: HttpCall): Promise<void> {
    const body = await readBody(call.request);
    if (body.kind === "gone") return;
    if (body.kind === "refused") {
      const { request, response } = call;
      return body.isUnread ? refuseAndClose(request, response, body.error) : replyError(response, body.error);
    }
    // A body may take long, and for a token that ended meanwhile there is no event any more.
    if (call.principal?.revoked.aborted === true) return refuseEnded(call);
    call.bodyBytes = body.bytes.length;
    note(call, body.message);
    if (!isAllowed(call, neededFor(body.message, deps.isTransparent))) return;
    if (call.requestId !== undefined && deps.isDraining()) return refuseLate(call, releaseIdle(call));
    if (call.era === "modern" && (await passHeld(call, body))) return;
    const message = trace(call, body.message);
    return call.era === "modern" ? modern.post(call, message) : legacy.post(call, message, body.bytes);
  }

  /** A gateway that ends gives sessions up that nothing is under way in; the replica that asks goes on with them. */
  function releaseIdle(call: HttpCall): boolean {
    if (shared === undefined || call.isForwarded !== true || call.era === "modern") return false;
    const session = sessions.find(headerOf(call, "mcp-session-id") ?? "", call.principal);
    if (session?.hasRequests === true) return false;
    if (session !== undefined) kept!.release(session);
    void session?.close();
    return true;
  }

  /** Whether the request goes on with a call that another replica holds, and was passed on to it. */
  async function passHeld(call: HttpCall, { message, bytes }: ReadMessage): Promise<boolean> {
    if (shared === undefined || call.isForwarded === true || !("method" in message)) return false;
    const state = message.params?.["requestState"];
    const holder = typeof state === "string" ? await shared.heldAt(state) : undefined;
    // One that is dead holds nothing: the gateway says so in its own words.
    return holder !== undefined && (await shared.peering.forward(call, holder, bytes)) === "answered";
  }

  function trace(call: HttpCall, message: JSONRPCMessage): JSONRPCMessage {
    const traced = traceMessage(deps.telemetry, message, {
      transport: "http",
      sessionId: headerOf(call, "mcp-session-id"),
      protocolVersion: headerOf(call, "mcp-protocol-version"),
      headers: {
        traceparent: headerOf(call, "traceparent"),
        tracestate: headerOf(call, "tracestate"),
        baggage: headerOf(call, "baggage"),
      },
    });
    call.span = traced.span;
    return traced.message;
  }

  function isAllowed(call: HttpCall, needed: readonly Permission[]): boolean {
    const missing = needed.find((permission) => call.principal?.permissions.has(permission) !== true);
    if (missing === undefined) return true;
    const { status, challenge, message } = deps.refusePermission(missing, call);
    const { requestId: id = null, response } = call;
    replyError(response, { status, message, id, headers: { "WWW-Authenticate": challenge } });
    return false;
  }

  async function route(call: HttpCall): Promise<void> {
    const { method } = call.request;
    if (method !== "GET" && method !== "DELETE")
      return replyEmpty(call.response, 405, { Allow: "GET, POST, DELETE" });
    call.era = "legacy";
    if (!isAllowed(call, ["read"])) return;
    return method === "GET" ? legacy.get(call) : legacy.delete(call);
  }

  return {
    async handle(call) {
      try {
        await (call.request.method === "POST" ? post(call) : route(call));
      } catch (error) {
        replyFailure(call, error, deps.log);
      }
    },
    get sessionCount() {
      return sessions.count;
    },
    async close(options) {
      await Promise.all([sessions.close(options), modern.close()]);
    },
  };
}

function refuseEnded({ response }: HttpCall): void {
  const headers = { "WWW-Authenticate": challengeOf({ error: "invalid_token" }) };
  const message = "The token ended while the request was sent: it was revoked or replaced, or has expired.";
  replyError(response, { status: 401, message, headers });
}

function refuseLate({ response, requestId }: HttpCall, isReleased: boolean): void {
  const released: Record<string, string> = isReleased ? { [SESSION_HEADER]: SESSION_GONE } : {};
  const headers = { "Retry-After": "1", Connection: "close", ...released };
  const message = "The gateway is ending and takes no more requests. Try again in a moment.";
  replyError(response, { status: 503, message, id: requestId ?? null, headers });
}

/** What is told of the request in logs, metrics and traces. */
function note(call: HttpCall, message: JSONRPCMessage): void {
  call.era = isModern(call, message) ? "modern" : "legacy";
  if (!("method" in message)) return;
  call.method = message.method;
  if ("id" in message) call.requestId = message.id;
  const name = message.method === "tools/call" ? message.params?.["name"] : undefined;
  if (typeof name === "string") call.tool = name;
}

/** An answer to what we asked belongs to a call. */
function neededFor(message: JSONRPCMessage, isTransparent: boolean): readonly Permission[] {
  if (!("method" in message)) return ["call"];
  if (message.method !== "tools/call" || isTransparent) return [permissionFor(message.method, undefined)];
  const { name, arguments: args } = (message.params ?? {}) as JsonObject;
  return permissionsForCall(typeof name === "string" ? name : undefined, isJsonObject(args) ? args : {});
}

interface ReadMessage {
  readonly kind: "message";
  readonly message: JSONRPCMessage;
  readonly bytes: Buffer;
}

type ReadBody =
  | ReadMessage
  /** What was not read may never end. */
  | { readonly kind: "refused"; readonly error: HttpError; readonly isUnread: boolean }
  /** The client has gone before its request was whole. */
  | { readonly kind: "gone" };

const refused = (status: number, message: string, code?: number): ReadBody => ({
  kind: "refused",
  isUnread: true,
  error: { status, message, code },
});

/** Reads the one message of a POST. Only what is declared as JSON is read: a form of another site cannot be that. */
async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const { headers } = request;
  if (!isJson(headers["content-type"])) return refused(415, "The Content-Type must be application/json.");
  if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity") {
    return refused(415, "The body must not be compressed.");
  }
  if (Number(headers["content-length"] ?? 0) > BODY_BYTES_MAX) return tooLarge();
  const bytes = await readBytes(request, BODY_BYTES_MAX);
  if (bytes === "too_large") return tooLarge();
  if (bytes === "gone") return { kind: "gone" };
  if (bytes.length === 0) return refused(400, "The request has no body.", PARSE_ERROR);
  const read = readMessage(bytes);
  if (read.kind === "message") return { ...read, bytes };
  const { code, message, id } = read;
  return { kind: "refused", isUnread: false, error: { status: 400, code, message, id } };
}

function tooLarge(): ReadBody {
  return refused(413, `The body is larger than ${BODY_BYTES_MAX} bytes, which is the limit.`);
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(?:;|$)/i.test(contentType);
}
