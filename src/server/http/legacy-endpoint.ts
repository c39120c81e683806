/**
 * Clients of the legacy era over HTTP: `initialize` opens a session, and everything else belongs to one, of this replica or
 * of another.
 */
import { randomUUID } from "node:crypto";
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { createClientHandle } from "../client-handle.ts";
import { createMcpServer, type Listed, type McpServerDeps } from "../mcp-server.ts";
import { describeFor } from "../describe-for.ts";
import { createFastPath } from "../fast-path.ts";
import type { JsonObject } from "../../core/json.ts";
import type { StoredSession } from "../../core/replica-store.ts";
import { INVALID_REQUEST } from "../../core/rpc-codes.ts";
import type { GatewayDescription } from "../../gateway/gateway.ts";
import { replyEmpty, replyError } from "./reply.ts";
import type { SessionSettings } from "./kept-sessions.ts";
import type { HttpSession } from "./session.ts";
import { createSessionFinder, type SharedSessions } from "./session-finder.ts";
import type { Sessions } from "./sessions.ts";
import { accepts, headerOf, type HttpCall } from "./http-call.ts";
import { parseEventId } from "./event-stream.ts";

export interface LegacyEndpoint {
  /** With the body as it came, for another replica. */
  post(call: HttpCall, message: JSONRPCMessage, body: Buffer): Promise<void>;
  get(call: HttpCall): Promise<void>;
  delete(call: HttpCall): Promise<void>;
}

export function createLegacyEndpoint(
  deps: McpServerDeps,
  sessions: Sessions,
  shared?: SharedSessions,
): LegacyEndpoint {
  const finder = createSessionFinder({ sessions, shared, adopt });

  /** Undefined when the answer has been given already. */
  function takePlace(call: HttpCall, adoptedId?: string): HttpSession | undefined {
    const session = sessions.open(call.principal, adoptedId);
    if (session !== undefined) return session;
    const message = `${sessions.explain(call.principal)} End one with DELETE, or try again later.`;
    const headers = { "Retry-After": "30" };
    replyError(call.response, { status: 429, message, id: call.requestId ?? null, headers });
    return undefined;
  }

  async function open(call: HttpCall, message: JSONRPCRequest): Promise<void> {
    const session = takePlace(call);
    if (session === undefined) return;
    const name = `http:${randomUUID()}`;
    await connectOrClose(session, name);
    session.open(message.id, message, call);
    shared?.kept.keep(session, name, (message.params ?? {}) as JsonObject);
  }

  /** The client notices nothing of it but that it may have missed what it was told meanwhile. */
  async function adopt(id: string, row: StoredSession, call: HttpCall): Promise<HttpSession | undefined> {
    const session = takePlace(call, id);
    if (session === undefined) return undefined;
    const description = await connectOrClose(session, row.session);
    await session.replay("initialize", row.initialize);
    session.receive({ jsonrpc: "2.0", method: "notifications/initialized" });
    await restore(session, shared!.kept.resume(session, row), deps);
    tellChanges(session, description);
    shared!.adopted();
    return session;
  }

  async function connectOrClose(session: HttpSession, name: string): Promise<GatewayDescription> {
    try {
      return await connect(deps, session, name, shared);
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  return {
    async post(call, message, body) {
      const problem = findVersionProblem(call);
      if (problem !== undefined) return replyError(call.response, { status: 400, message: problem });
      const isRequest = "method" in message && "id" in message;
      if (isRequest && message.method === "initialize" && headerOf(call, "mcp-session-id") === undefined)
        return open(call, message);
      const session = await finder.require(call, body);
      if (session === undefined) return;
      if (!isRequest) {
        replyEmpty(call.response, 202);
        return session.receive(message);
      }
      const refusal =
        message.method === "initialize" ? "The session is open already." : session.findProblem(message.id);
      if (refusal === undefined)
        return session.request(message.id, message, call, accepts(call, "text/event-stream"));
      replyError(call.response, { status: 400, code: INVALID_REQUEST, message: refusal, id: message.id });
    },
    async get(call) {
      if (!accepts(call, "text/event-stream")) {
        const message = "GET opens a stream of events: Accept must include text/event-stream.";
        return replyError(call.response, { status: 406, message });
      }
      const session = await finder.require(call);
      const last = headerOf(call, "last-event-id");
      const from = last === undefined ? undefined : parseEventId(last);
      const isKnown = last === undefined || from !== undefined;
      if (session === undefined || (isKnown && session.listen(call.response, from))) return;
      replyError(call.response, { status: 400, message: "The Last-Event-ID is not one of this session." });
    },
    async delete(call) {
      const session = await finder.require(call);
      if (session === undefined) return;
      // Its row first: as long as it is there, another replica could go on with the session.
      await shared?.kept.end(session);
      await session.close();
      replyEmpty(call.response, 200);
    },
  };
}

/** What the client has set at the other replica. Its servers may be slow to answer, and its request does not wait for them. */
async function restore(
  session: HttpSession,
  { level, uris }: SessionSettings,
  { log }: McpServerDeps,
): Promise<void> {
  if (level !== undefined) await session.replay("logging/setLevel", { level });
  for (const uri of uris)
    session
      .replay("resources/subscribe", { uri })
      .catch((error: unknown) => log.warn("session.restore.failed", { error }));
}

/** Whatever changed between the last event that the client has seen and now, it has not been told. */
function tellChanges(session: HttpSession, { capabilities }: GatewayDescription): void {
  for (const list of ["tools", "resources", "prompts"]) {
    const offered = capabilities[list] as { listChanged?: unknown } | undefined;
    if (offered?.listChanged === true)
      void session.send({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` });
  }
}

/** The SDK's server and the fast path of calls, on one session. */
async function connect(
  deps: McpServerDeps,
  session: HttpSession,
  name: string,
  shared: SharedSessions | undefined,
): Promise<GatewayDescription> {
  const { gateway, log } = deps;
  const { principal } = session;
  const listed: Listed = { version: undefined };
  const own = { session: name };
  const context = principal === undefined ? own : { ...own, principal, caller: principal.id };
  const description = await describeFor(deps);
  const server = createMcpServer(
    deps,
    { handle: () => handle, era: "legacy", listed, context, isLasting: true },
    description,
  );
  const handle = createClientHandle(server, session.gone);
  server.onerror = (error) => log.debug("server.http.problem", { error });
  const take = createFastPath({
    gateway,
    isTransparent: deps.isTransparent,
    client: () => (server.getClientCapabilities() === undefined ? undefined : handle),
    listed,
    log,
    context,
    clientInfo: () => server.getClientVersion(),
    gone: session.gone,
    send: (message, options) => session.send(message, options),
    sendResultBytes: (id, result) => session.sendResultBytes(id, result),
  });
  session.intercept =
    shared === undefined
      ? take
      : (message) => {
          shared.kept.note(session, message);
          return take(message);
        };
  await server.connect(session);
  return description;
}

function findVersionProblem(call: HttpCall): string | undefined {
  const version = headerOf(call, "mcp-protocol-version");
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  return `The MCP-Protocol-Version is not one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}.`;
}
