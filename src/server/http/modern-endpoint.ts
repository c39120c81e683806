/**
 * Clients of the modern era over HTTP: each request is complete in itself and says who it is from. Calls of servers'
 * tools take the fast path. Everything else, and everything that is not exactly as it should be, goes to the SDK,
 * which knows every rule.
 *
 * Closing the response is how a modern client cancels.
 */
import type { IncomingHttpHeaders } from "node:http";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  InMemoryServerEventBus,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Server,
} from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { RPC_ERROR, type CallContext, type ToolAnswer } from "../../core/tool.ts";
import { encodeAnswer, failureAnswer, type Answer } from "../answer.ts";
import { createMcpServer, type McpServerDeps } from "../mcp-server.ts";
import { areWithinLimits, isListen } from "../message.ts";
import { contextOf } from "../request-context.ts";
import { describeFor } from "../describe-for.ts";
import { subscribeServers } from "../subscribe-servers.ts";
import { HEADER_MISMATCH, MISSING_CAPABILITY } from "../../core/rpc-codes.ts";
import { argumentAt, declaredHeaders, decodeHeader, type ParamHeader } from "../../net/param-headers.ts";
import { EventWriter } from "./event-stream.ts";
import { ResponseStream } from "./response-stream.ts";
import { KEEP_ALIVE_MS, OWN_SUBSCRIPTION_COUNT_MAX, SUBSCRIPTION_COUNT_MAX } from "./limits.ts";
import { replyError } from "./reply.ts";
import { accepts, goneSignal, headerOf, noteAnswer, type HttpCall, pour, toWebRequest } from "./http-call.ts";

export const MODERN_VERSION = "2026-07-28";
/** What the SDK answers, without a body, for a request that was under way when its server was closed. */
const CLOSED = 499;

export interface ModernEndpoint {
  post(call: HttpCall, message: JSONRPCMessage): Promise<void>;
  close(): Promise<void>;
}

/** A request says which era it is of; a claim in the body counts more than a header. */
export function isModern(call: HttpCall, message: JSONRPCMessage): boolean {
  if (!("method" in message)) return false;
  const meta = message.params?.["_meta"];
  if (isJsonObject(meta) && Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY)) return true;
  return (headerOf(call, "mcp-protocol-version") ?? "") >= MODERN_VERSION;
}

export function createModernEndpoint(deps: McpServerDeps): ModernEndpoint {
  const { gateway, events, log } = deps;
  const calls = new WeakMap<Request, HttpCall>();
  /** By the id of the principal, of which there are few. */
  const listenerCounts = new Map<string | undefined, number>();
  const bus = new InMemoryServerEventBus((error) => log.warn("server.http.problem", { error }));
  const handler = createMcpHandler(
    async ({ requestInfo }) => {
      const call = requestInfo === undefined ? undefined : calls.get(requestInfo);
      const who = {
        handle: () => undefined,
        era: "modern" as const,
        listed: { version: undefined },
        isLasting: false,
      };
      const server = createMcpServer(deps, { ...who, context: ownContext(call) }, await describeFor(deps));
      return withCarriableAnswers(server, log);
    },
    {
      legacy: "reject",
      bus,
      maxSubscriptions: SUBSCRIPTION_COUNT_MAX,
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => log.debug("server.http.problem", { error }),
    },
  );
  const stops = [
    gateway.watch((what) => bus.publish({ kind: `${what}_list_changed` })).stop,
    events.notified((method, params, client) => {
      const { uri } = params;
      if (client === undefined && method === "notifications/resources/updated" && typeof uri === "string")
        bus.publish({ kind: "resource_updated", uri, params });
    }),
  ];

  /** Whether one more may listen; if not, it has been answered. */
  function takePlace(call: HttpCall): boolean {
    const { principal, response, requestId: id = null } = call;
    const count = listenerCounts.get(principal?.id) ?? 0;
    if (count >= OWN_SUBSCRIPTION_COUNT_MAX) {
      const message = `${count} subscriptions came with this token already, which is the limit: close one first.`;
      return (replyError(response, { status: 429, message, id }), false);
    }
    listenerCounts.set(principal?.id, count + 1);
    response.once("close", () => listenerCounts.set(principal?.id, listenerCounts.get(principal?.id)! - 1));
    return true;
  }

  async function throughSdk(call: HttpCall, message: JSONRPCMessage): Promise<void> {
    if (call.method === "subscriptions/listen" && !takePlace(call)) return;
    const request = toWebRequest(call);
    if (isListen(message)) subscribeServers(deps, message, request.signal, ownContext(call));
    calls.set(request, call);
    const answer = await handler.fetch(request, { parsedBody: message });
    if (answer.status !== CLOSED) return pour(answer, call);
    const words = "The endpoint was closed before this request was answered; it may have taken effect.";
    // Not 503, which says that nothing was done: a balancer may send such a request to another replica.
    replyError(call.response, { status: 502, message: words, id: call.requestId ?? null });
  }

  /** Undefined when it is not the plain case. */
  function takeCall(call: HttpCall, message: JSONRPCRequest): Promise<void> | undefined {
    const params = (message.params ?? {}) as JsonObject;
    const { name, arguments: args = {} } = params;
    if (!isPlainCall(call, params) || typeof name !== "string" || !isJsonObject(args)) return undefined;
    const found = gateway.find(name);
    if (found?.definition === undefined) return undefined;
    const problem = findParamHeaderProblem(found.definition.inputSchema, args, call.request.headers);
    if (problem !== undefined) {
      const words = `Bad Request: the request headers and body disagree: ${problem}`;
      const error = { status: 400, code: HEADER_MISMATCH, message: words, id: message.id };
      return Promise.resolve(replyError(call.response, error));
    }
    if (!areWithinLimits(args)) return undefined;
    const stream = openResponse(call, log);
    const context = callContext(call, params, (note) => {
      try {
        stream.send(note);
      } catch (error) {
        log.debug("server.notification.failed", { error });
      }
    });
    return finish(stream, message, () => found.call(args, context));
  }

  async function finish(
    stream: ResponseStream,
    { id }: JSONRPCRequest,
    carryOut: () => Promise<ToolAnswer>,
  ): Promise<void> {
    try {
      const answer = await carryOut();
      const error = answer[RPC_ERROR];
      if (error !== undefined) {
        return stream.answer({ jsonrpc: "2.0", id, error }, error.code === MISSING_CAPABILITY ? 400 : 200);
      }
      const info = await serverInfo();
      const result = { resultType: "complete", ...answer, _meta: { ...info, ...answer._meta } };
      stream.answer({ jsonrpc: "2.0", id, result });
    } catch (error) {
      stream.answer(failureAnswer(id, error, log));
    }
  }

  /** Nothing where it is not known: an answer that is there is not lost for it. */
  async function serverInfo(): Promise<JsonObject> {
    const described = await gateway.describe().catch((error: unknown) => {
      log.warn("server.describe.failed", { error });
    });
    return described?.success === true ? { [SERVER_INFO_META_KEY]: described.data.serverInfo } : {};
  }

  return {
    async post(call, message) {
      endWithToken(call);
      const isCall = "method" in message && "id" in message && message.method === "tools/call";
      await ((isCall ? takeCall(call, message) : undefined) ?? throughSdk(call, message));
    },
    async close() {
      for (const stop of stops) stop();
      await handler.close();
    },
  };
}

/**
 * The SDK's transport loses an answer that JSON cannot carry, and its request with it: such an answer never gets
 * there.
 */
function withCarriableAnswers(server: Server, log: Log): Server {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const isAnswer = !("method" in message);
      return send(isAnswer ? (encodeAnswer({ ...message }, log).answer as never) : message, options);
    };
    return connect(transport);
  };
  return server;
}

/** A token that is revoked ends what came with it, as if its client had gone. */
function endWithToken({ principal, response }: HttpCall): void {
  const end = (): void => void response.destroy();
  principal?.revoked.addEventListener("abort", end, { once: true });
  response.once("close", () => principal?.revoked.removeEventListener("abort", end));
}

/** Whether headers and envelope say exactly the same, so that nothing is left for the SDK to find. */
function isPlainCall(call: HttpCall, params: JsonObject): boolean {
  const meta = params["_meta"] as JsonObject;
  return (
    meta?.[PROTOCOL_VERSION_META_KEY] === MODERN_VERSION &&
    isJsonObject(meta[CLIENT_CAPABILITIES_META_KEY]) &&
    headerOf(call, "mcp-protocol-version") === MODERN_VERSION &&
    headerOf(call, "mcp-method") === "tools/call" &&
    headerOf(call, "mcp-name") === params["name"]
  );
}

function ownContext(call: HttpCall | undefined): Partial<CallContext> {
  const principal = call?.principal;
  if (principal === undefined) return {};
  return { principal, caller: principal.id, session: `principal:${principal.id}` };
}

function callContext(call: HttpCall, params: JsonObject, send: (note: unknown) => void): CallContext {
  const tell = (method: string, note: JsonObject): void => send({ jsonrpc: "2.0", method, params: note });
  const meta = params["_meta"] as JsonObject;
  const { inputResponses, requestState } = params;
  const logLevel = meta[LOG_LEVEL_META_KEY];
  const modern = {
    capabilities: meta[CLIENT_CAPABILITIES_META_KEY] as JsonObject,
    ...(typeof logLevel === "string" && { logLevel }),
    ...(isJsonObject(inputResponses) && { inputResponses }),
    ...(typeof requestState === "string" && { requestState }),
  };
  const shared = { ...ownContext(call), onNotice: tell, modern };
  return contextOf(params, { signal: goneSignal(call), notify: tell, shared });
}

function openResponse(call: HttpCall, log: Log): ResponseStream {
  const { response } = call;
  const openSink = () => {
    const writer = new EventWriter(response);
    return { send: (data: string) => writer.event(data), end: () => writer.end() };
  };
  const answered = (answer: Answer): void => noteAnswer(call, answer);
  return new ResponseStream({
    response,
    canStream: accepts(call, "text/event-stream"),
    openSink,
    answered,
    log,
  });
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/**
 * What a proxy saw in the headers of a call must be what the tool gets: a header that is missing or says something
 * else than the argument is refused.
 *
 * Which header disagrees with the arguments, and how.
 */
function findParamHeaderProblem(
  inputSchema: JsonObject,
  args: JsonObject,
  headers: IncomingHttpHeaders,
): string | undefined {
  for (const declared of declaredHeaders(inputSchema)) {
    const problem = compare(declared, args, headers[declared.header.toLowerCase()]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function compare(
  { header, path, type }: ParamHeader,
  args: JsonObject,
  given: string | string[] | undefined,
): string | undefined {
  const value = argumentAt(path, args);
  if (value === undefined) return undefined;
  const name = path.join(".");
  if (typeof given !== "string") return `the arguments have ${name}, but the header ${header} is missing`;
  const said = decodeHeader(given);
  if (said === undefined) return `the header ${header} is not valid base64`;
  const isNumber = type === "integer" || type === "number";
  const isSame = isNumber && DECIMAL.test(said) ? Number(said) === value : said === String(value);
  return isSame ? undefined : `the header ${header} does not say what the argument ${name} says`;
}
