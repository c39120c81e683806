/**
 * One end of a JSON-RPC connection, on raw messages: a request goes out, its answer comes back as a value, untouched.
 * This is the hot path of every tool call: what comes in passes the bound (`message-bound.ts`) and nothing else, and is
 * not copied.
 *
 * It never throws and no request outlives its connection: each ends as an answer, an error of the other side, a
 * timeout, a cancellation or a closed connection. Progress begins the timeout again, up to a longest total (see
 * `call-timer.ts`). An answer that no request waits for (unknown id, a second answer, one that came after a
 * cancellation, `"1"` for 1) is dropped and counted.
 */
import type { ToolError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { INTERNAL_ERROR, INVALID_PARAMS } from "../../core/rpc-codes.ts";
import { backgroundAfter } from "../../timing/after.ts";
import { within } from "../../timing/deadline.ts";
import { InFlight } from "../../timing/in-flight.ts";
import type { UnusableAnswer, Transport, JsonRpcMessage } from "../transport/transport.ts";
import { CallTimer, longestMs } from "./call-timer.ts";
import { findParamsExcess, readAnswer } from "./message-bound.ts";
import { findRequestProblem, fitNotification } from "./server-messages.ts";
import { BadAnswer, TransportFailure } from "../transport/transport-failure.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** How a request ended. */
export type Reply =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly error: RpcError }
  /** With a `longestMs`, it showed signs of work for as long as any request may take, and gave no answer. */
  | { readonly kind: "timeout"; readonly timeoutMs: number; readonly longestMs?: number }
  | { readonly kind: "cancelled" }
  /** It was not sent, and the transport knows why: the server needs a login, or is too busy. The connection stays. */
  | { readonly kind: "refused"; readonly error: ToolError }
  /**
   * What came back is no answer that can be used: it did not pass the bound, or is none of MCP. The connection stays.
   */
  | ({ readonly kind: "unusable" } & UnusableAnswer)
  | { readonly kind: "closed"; readonly reason: string };

export interface RequestOptions {
  readonly timeoutMs: number;
  /** For an owner that pauses the time meanwhile, made with the same timeout. */
  readonly timer?: CallTimer | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the end of a request's own stream says that it is cancelled, as for a modern server over HTTP. */
  readonly endsByClosing?: boolean;
  /** For a transport that sends each request as one of HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Asks the other side to report progress, and hears it without the token. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** Hears how it ended, before whoever waits for it does. */
  readonly onEnd?: ((reply: Reply) => void) | undefined;
}

export interface PeerHandlers {
  /** A request of the other side; what it resolves to is sent back. */
  onRequest(method: string, params: JsonObject, signal: AbortSignal): Promise<AnswerToPeer>;
  onNotification(method: string, params: JsonObject): void;
  onClose(): void;
}

export type AnswerToPeer = { readonly result: JsonObject } | { readonly error: RpcError };

/** A request without an answer yet. It is the listener for its own cancellation. */
interface Pending {
  readonly id: number;
  readonly method: string;
  readonly options: RequestOptions;
  readonly timer: CallTimer;
  /** Ends the stream of its own, where it has one. */
  readonly abort: AbortController | undefined;
  readonly resolve: (reply: Reply) => void;
  readonly handleEvent: () => void;
  /** The newest that was reported. */
  progress: number;
}

/** A server that has not taken a cancellation by then is told nothing more. */
const TELLING_MS = 1_000;

const NO_ANSWER: Reply = {
  kind: "unusable",
  reason: "no_answer",
  problem: "its stream ended without one that can be read",
};

const TOGETHER = { together: true } as const;

const CANCELLED = "notifications/cancelled";
const PROGRESS = "notifications/progress";

export class Peer {
  readonly #transport: Transport;
  readonly #handlers: PeerHandlers;
  readonly #pending = new InFlight<Pending>();
  /** Requests of the other side that we are answering. */
  readonly #answering = new Map<unknown, AbortController>();
  /** Notifications on their way: each is a request of its own over HTTP, and closing the transport would cut it. */
  readonly #telling = new Set<Promise<void>>();
  #nextId = 1;
  #closed = false;
  #droppedCount = 0;

  constructor(transport: Transport, handlers: PeerHandlers) {
    this.#transport = transport;
    this.#handlers = handlers;
    transport.onmessage = (message) => this.#receive(message);
    transport.onunusable = (id, why) => this.#lose(id, why);
    transport.onclose = () => this.#close();
  }

  /** Nothing can be sent any more. */
  get isClosed(): boolean {
    return this.#closed;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Answers that no request waited for, and notifications that no client could read. */
  get droppedCount(): number {
    return this.#droppedCount;
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<Reply> {
    if (!this.#closed && options.signal?.aborted !== true)
      return new Promise((resolve) => this.#send(method, params, options, resolve));
    const reply: Reply = this.#closed
      ? { kind: "closed", reason: "the connection is closed" }
      : { kind: "cancelled" };
    options.onEnd?.(reply);
    return Promise.resolve(reply);
  }

  #send(method: string, params: JsonObject, options: RequestOptions, resolve: (reply: Reply) => void): void {
    const id = this.#nextId++;
    const abort = this.#transport.hasPerRequestStream === true ? new AbortController() : undefined;
    const { timeoutMs, timer = new CallTimer(timeoutMs), signal, onProgress } = options;
    const handleEvent = (): void => this.#cancel(pending, { kind: "cancelled" });
    const pending: Pending = {
      id,
      method,
      options,
      timer,
      abort,
      resolve,
      handleEvent,
      progress: -Infinity,
    };
    timer.start(() => this.#cancel(pending, timeoutOf(timer)));
    signal?.addEventListener("abort", pending, { once: true });
    this.#pending.set(id, pending);
    const sent = onProgress === undefined ? params : withProgressToken(params, id);
    this.#transport
      .send(
        { jsonrpc: "2.0", id, method, params: sent },
        abort === undefined ? this.#how() : this.#streamOf(pending, abort, params),
      )
      .catch((error: unknown) => this.#settle(pending, lossOf(error)));
  }

  /** A request that is alone does not wait for others. */
  #how(): typeof TOGETHER | undefined {
    return this.#pending.size > 1 ? TOGETHER : undefined;
  }

  #streamOf(pending: Pending, abort: AbortController, params: JsonObject) {
    return {
      requestSignal: abort.signal,
      headers: { ...pending.options.headers, ...traceHeaders(params) },
      onRequestStreamEnd: () => this.#settle(pending, NO_ANSWER),
    };
  }

  /** How it ends first is how it ends. */
  #settle(pending: Pending, reply: Reply): void {
    if (!this.#pending.delete(pending.id)) return;
    const { timer, options, resolve } = pending;
    timer.stop();
    options.signal?.removeEventListener("abort", pending);
    // The caller goes on in a later microtask, after everything that hears of the end here.
    resolve(reply);
    options.onEnd?.(reply);
  }

  /** Best effort: a notification that cannot be sent is lost, as notifications may be. */
  notify(method: string, params: JsonObject): void {
    if (this.#closed) return;
    const told = this.#transport.send({ jsonrpc: "2.0", method, params }).catch(() => {});
    this.#telling.add(told);
    void told.finally(() => this.#telling.delete(told));
  }

  async close(): Promise<void> {
    if (this.#telling.size > 0) {
      await within(Promise.all(this.#telling), TELLING_MS, { after: backgroundAfter });
    }
    await this.#transport.close();
    this.#close();
  }

  #cancel(pending: Pending, reply: Reply): void {
    const { id, abort, options } = pending;
    if (!this.#pending.has(id)) return;
    this.#settle(pending, reply);
    const reason = reply.kind === "timeout" ? "timed out" : "cancelled by the client";
    if (abort === undefined || options.endsByClosing !== true)
      this.notify(CANCELLED, { requestId: id, reason });
    abort?.abort();
  }

  #receive(message: JsonRpcMessage): void {
    const { id, method } = message;
    if (typeof method !== "string") return this.#receiveAnswer(message);
    const given = message["params"] ?? {};
    const excess = findParamsExcess(given);
    if (id !== undefined) return void this.#answer(id, method, given, excess);
    const params = excess === undefined ? fitNotification(method, given) : undefined;
    if (params === undefined) return void this.#droppedCount++;
    if (method === PROGRESS) return this.#receiveProgress(params);
    if (method === CANCELLED) return this.#answering.get(params["requestId"])?.abort();
    this.#handlers.onNotification(method, params);
  }

  #receiveAnswer(message: JsonRpcMessage): void {
    const pending = this.#pending.get(message["id"]);
    if (pending === undefined) {
      this.#droppedCount++;
      return;
    }
    this.#settle(pending, readAnswer(pending.method, message));
  }

  /** The transport had to leave an answer out. */
  #lose(id: unknown, why: UnusableAnswer): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#droppedCount++;
    else this.#settle(pending, { kind: "unusable", ...why });
  }

  #receiveProgress(params: JsonObject): void {
    const { progressToken, ...step } = params;
    const pending = this.#pending.get(progressToken);
    const onProgress = pending?.options.onProgress;
    const { progress } = step;
    // What goes back is no progress, and no sign of work.
    const isStep = typeof progress === "number" && pending !== undefined && progress >= pending.progress;
    if (onProgress === undefined || !isStep) {
      this.#droppedCount++;
      return;
    }
    pending.progress = progress;
    pending.timer.refresh();
    onProgress(step);
  }

  async #answer(id: unknown, method: string, given: unknown, excess: string | undefined): Promise<void> {
    if (excess !== undefined) return this.#reply(id, invalidParams(excess));
    if (method === "ping") return this.#reply(id, { result: {} });
    if (!isJsonObject(given)) return this.#reply(id, invalidParams("params must be an object"));
    const abort = new AbortController();
    this.#answering.set(id, abort);
    const answer = await this.#ask(method, given, abort.signal).catch((error: unknown): AnswerToPeer => ({
      error: { code: INTERNAL_ERROR, message: reasonOf(error) },
    }));
    this.#answering.delete(id);
    if (!abort.signal.aborted) this.#reply(id, answer);
  }

  /** A question that no client could read is refused here. */
  async #ask(method: string, params: JsonObject, signal: AbortSignal): Promise<AnswerToPeer> {
    const problem = await findRequestProblem(method, params);
    return problem === undefined ? this.#handlers.onRequest(method, params, signal) : invalidParams(problem);
  }

  #reply(id: unknown, answer: AnswerToPeer): void {
    if (!this.#closed) this.#transport.send({ jsonrpc: "2.0", id, ...answer }).catch(() => {});
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const reason = this.#transport.endReason ?? "the connection was closed before the answer came";
    for (const pending of this.#pending.values()) {
      this.#settle(pending, { kind: "closed", reason });
    }
    for (const abort of this.#answering.values()) abort.abort();
    this.#answering.clear();
    this.#handlers.onClose();
  }
}

/** Proxies and servers that look at HTTP alone find the trace in its headers. */
function traceHeaders({ _meta: meta }: JsonObject): Readonly<Record<string, string>> {
  const { traceparent, tracestate } = (meta ?? {}) as JsonObject;
  if (typeof traceparent !== "string") return {};
  return typeof tracestate === "string" ? { traceparent, tracestate } : { traceparent };
}

function withProgressToken(params: JsonObject, progressToken: number): JsonObject {
  const meta = params["_meta"] as JsonObject | undefined;
  return { ...params, _meta: { ...meta, progressToken } };
}

function invalidParams(problem: string): AnswerToPeer {
  return { error: { code: INVALID_PARAMS, message: `Invalid params: ${problem}` } };
}

/** How a request ends whose time has run out. */
export function timeoutOf({ timeoutMs, hasReachedLongest }: CallTimer): Reply {
  return { kind: "timeout", timeoutMs, ...(hasReachedLongest && { longestMs: longestMs(timeoutMs) }) };
}

function lossOf(error: unknown): Reply {
  if (error instanceof TransportFailure) return { kind: "refused", error: error.error };
  if (error instanceof BadAnswer)
    return {
      kind: "unusable",
      reason: "no_answer",
      problem: error.message,
      endsSession: error.endsSession,
    };
  return { kind: "closed", reason: reasonOf(error) };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
