/** Clients of the legacy era over HTTP: `initialize` opens a session, and everything else belongs to one. */
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
import { INVALID_REQUEST, SESSION_NOT_FOUND } from "../../core/rpc-codes.ts";
import { replyEmpty, replyError } from "./reply.ts";
import type { HttpSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { accepts, headerOf, type HttpCall } from "./http-call.ts";
import { parseEventId } from "./event-stream.ts";

export interface LegacyEndpoint {
  post(call: HttpCall, message: JSONRPCMessage): Promise<void>;
  get(call: HttpCall): void;
  delete(call: HttpCall): Promise<void>;
}

export function createLegacyEndpoint(deps: McpServerDeps, sessions: Sessions): LegacyEndpoint {
  /** Undefined when the answer has been given already. */
  function requireSession(call: HttpCall): HttpSession | undefined {
    const { response } = call;
    const id = headerOf(call, "mcp-session-id");
    if (id === undefined) {
      const message =
        "The header Mcp-Session-Id is missing: send initialize first, and the id that it answers with each request.";
      replyError(response, { status: 400, message });
      return undefined;
    }
    const session = sessions.find(id, call.principal);
    if (session !== undefined) return session;
    const message = "There is no such session any more: send initialize to open a new one.";
    replyError(response, { status: 404, code: SESSION_NOT_FOUND, message });
    return undefined;
  }

  async function open(call: HttpCall, message: JSONRPCRequest): Promise<void> {
    const session = sessions.open(call.principal);
    if (session === undefined) {
      const told = `${sessions.explain(call.principal)} End one with DELETE, or try again later.`;
      const headers = { "Retry-After": "30" };
      return replyError(call.response, { status: 429, message: told, id: message.id, headers });
    }
    try {
      await connect(deps, session);
    } catch (error) {
      await session.close();
      throw error;
    }
    session.open(message.id, message, call);
  }

  return {
    async post(call, message) {
      const problem = findVersionProblem(call);
      if (problem !== undefined) return replyError(call.response, { status: 400, message: problem });
      const isRequest = "method" in message && "id" in message;
      if (isRequest && message.method === "initialize" && headerOf(call, "mcp-session-id") === undefined)
        return open(call, message);
      const session = requireSession(call);
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
    get(call) {
      if (!accepts(call, "text/event-stream")) {
        const message = "GET opens a stream of events: Accept must include text/event-stream.";
        return replyError(call.response, { status: 406, message });
      }
      const session = requireSession(call);
      const last = headerOf(call, "last-event-id");
      const from = last === undefined ? undefined : parseEventId(last);
      const isKnown = last === undefined || from !== undefined;
      if (session === undefined || (isKnown && session.listen(call.response, from))) return;
      replyError(call.response, { status: 400, message: "The Last-Event-ID is not one of this session." });
    },
    async delete(call) {
      const session = requireSession(call);
      await session?.close();
      if (session !== undefined) replyEmpty(call.response, 200);
    },
  };
}

/** The SDK's server and the fast path of calls, on one session. */
async function connect(deps: McpServerDeps, session: HttpSession): Promise<void> {
  const { gateway, log } = deps;
  const { principal } = session;
  const listed: Listed = { version: undefined };
  const own = { session: `http:${randomUUID()}` };
  const context = principal === undefined ? own : { ...own, principal, caller: principal.id };
  const description = await describeFor(deps);
  const server = createMcpServer(
    deps,
    { handle: () => handle, listed, context, isLasting: true },
    description,
  );
  const handle = createClientHandle(server, session.gone);
  server.onerror = (error) => log.debug("server.http.problem", { error });
  session.intercept = createFastPath({
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
  await server.connect(session);
}

function findVersionProblem(call: HttpCall): string | undefined {
  const version = headerOf(call, "mcp-protocol-version");
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  return `The MCP-Protocol-Version is not one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}.`;
}
