/**
 * The fast path of a tool call: client → registry → server and back, on raw messages. Calls of upstream tools on a
 * legacy connection are taken out of the stream before the SDK parses them, and their answers are written as they
 * came; the list of tools is written from its bytes. Everything else (the handshake, the meta-tools, modern
 * connections) goes through the SDK.
 *
 * Each call has its own abort signal: a cancellation ends that call and no other, whatever ids other clients use.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { RPC_ERROR, type CallContext, type ClientHandle, type ToolAnswer } from "../core/tool.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { failureAnswer } from "./answer.ts";
import type { Listed } from "./mcp-server.ts";
import { clientNameOf } from "./client-name.ts";
import { InFlight } from "../timing/in-flight.ts";
import { areWithinLimits } from "./message.ts";
import { contextOf } from "./request-context.ts";

export interface FastPathDeps {
  readonly gateway: Gateway;
  /** Whether lists come page by page, from a server fronted as it is. */
  readonly isTransparent: boolean;
  /** The client, once a legacy connection is open. */
  readonly client: () => ClientHandle | undefined;
  readonly listed: Listed;
  readonly log: Log;
  /** What every call of this client carries. */
  readonly context?: Partial<CallContext>;
  /** What the client said of itself at its handshake. */
  readonly clientInfo: () => unknown;
  /** Ends every call of this client when it aborts. */
  readonly gone?: AbortSignal;
  /** With the request that a message belongs to, where it is no answer. */
  readonly send: (message: JSONRPCMessage, options?: { relatedRequestId: string | number }) => Promise<void>;
  /** Answers with a result that is JSON already. */
  readonly sendResultBytes: (id: string | number, result: Buffer) => Promise<void>;
}

/** Returns whether it took the message. */
export type FastPath = (message: JSONRPCMessage) => boolean;

export function createFastPath(deps: FastPathDeps): FastPath {
  const { gateway, isTransparent, client, listed, log, send, sendResultBytes } = deps;
  let shared: Partial<CallContext> | undefined;
  const calls = new InFlight<AbortController, string | number>();
  deps.gone?.addEventListener("abort", () => calls.values().forEach((call) => call.abort()), { once: true });

  /** Made once, when the client has said who it is: a list may be asked for before that. */
  function sharedContext(): Partial<CallContext> {
    if (shared?.clientName === undefined)
      shared = { ...deps.context, clientName: clientNameOf(deps.clientInfo()) };
    return shared;
  }

  function take(id: string | number, params: JsonObject, handle: ClientHandle): boolean {
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string" || typeof args !== "object" || args === null || calls.has(id)) return false;
    const found = gateway.find(name);
    if (found === undefined || !areWithinLimits(args)) return false;
    const abort = new AbortController();
    // Written directly, so that progress never overtakes or trails the answer that it belongs to.
    const notify = (method: string, note: JsonObject): void => {
      send({ jsonrpc: "2.0", method, params: note }, { relatedRequestId: id }).catch(() => {});
    };
    const context = contextOf(params, {
      signal: abort.signal,
      client: handle,
      notify,
      shared: sharedContext(),
    });
    const answer = found.call(args as JsonObject, context);
    calls.set(id, abort);
    void reply(id, answer, abort.signal);
    return true;
  }

  async function reply(id: string | number, answer: Promise<ToolAnswer>, signal: AbortSignal): Promise<void> {
    let message;
    try {
      message = messageOf(id, await answer);
    } catch (error) {
      message = failureAnswer(id, error, log);
    }
    calls.delete(id);
    // A call that was cancelled gets no answer.
    if (!signal.aborted) send(message as never).catch(() => {});
  }

  /** A list has no side effect worth cancelling; a client that no longer wants it ignores the answer. */
  async function list(id: string | number, handle: ClientHandle): Promise<void> {
    let bytes: Buffer;
    try {
      const context = contextOf(
        {},
        { signal: new AbortController().signal, client: handle, shared: sharedContext() },
      );
      const result = await gateway.list("tools/list", {}, context);
      if (!result.success || result.data.bytes === undefined)
        throw new Error("The list of tools cannot be read.", { cause: result });
      bytes = result.data.bytes();
      listed.version = result.data.version;
    } catch (error) {
      return send(failureAnswer(id, error, log)).catch(() => {});
    }
    await sendResultBytes(id, bytes).catch(() => {});
  }

  return (message) => {
    const handle = client();
    if (handle === undefined || !("method" in message)) return false;
    if (message.method === "tools/call" && "id" in message) {
      return take(message.id, (message.params ?? {}) as JsonObject, handle);
    }
    if (message.method === "tools/list" && "id" in message && message.params?.["cursor"] === undefined) {
      if (isTransparent) return false;
      void list(message.id, handle);
      return true;
    }
    if (message.method !== "notifications/cancelled") return false;
    const call = calls.get(message.params?.["requestId"]);
    call?.abort();
    return call !== undefined;
  };
}

function messageOf(id: string | number, result: ToolAnswer) {
  const error = result[RPC_ERROR];
  return error === undefined
    ? ({ jsonrpc: "2.0", id, result } as const)
    : ({ jsonrpc: "2.0", id, error } as const);
}
