import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../core/principal.ts";
import type { Outcome, Span } from "../../telemetry/telemetry.ts";
import { isJsonObject } from "../../core/json.ts";
import { InFlight } from "../../timing/in-flight.ts";
import type { MessageId } from "../message.ts";
import { outcomeOfAnswer } from "../request-span.ts";
import type { ConsoleSession } from "../auth/console-session.ts";
import { countStream } from "./event-stream.ts";
import { UNREAD_BYTES_MAX } from "./limits.ts";

/** A request on its way: who sends it, where its answer goes, and what is known of it so far. */
export interface HttpCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What its connection had carried before. */
  readonly sentBefore: number;
  /** Without the query. */
  readonly path: string;
  principal: Principal | undefined;
  /** Of a browser that came in by a link. */
  session?: ConsoleSession;
  /** The pattern of the API that answers it, for the log. */
  route?: string;
  profile?: string;
  era?: "legacy" | "modern";
  /** Of MCP, and the id, the tool and the size of its message. */
  method?: string;
  requestId?: MessageId;
  tool?: string;
  bodyBytes?: number;
  /** How it ended, where an answer of MCP was given. */
  outcome?: Outcome;
  /** Of JSON-RPC, where that is how it ended. */
  error?: { readonly code?: unknown };
  span?: Span;
  /** Another replica has passed it on. */
  isForwarded?: boolean;
  /** The replica that has answered it. */
  forwardedTo?: string;
}

/** One value of a header that may be given once. */
export function headerOf({ request }: HttpCall, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
}

export function accepts(call: HttpCall, type: string): boolean {
  const accept = headerOf(call, "accept");
  return accept === undefined || accept.includes(type) || accept.includes("*/*");
}

/**
 * Aborts when the client has gone before its answer was whole. After that no signal is needed, and aborting costs a
 * stack trace.
 */
export function goneSignal({ response }: HttpCall): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

const calls = new WeakMap<IncomingMessage, HttpCall>();

/** Remembers whose request it is, for routes that see the request alone. */
export function rememberCall(call: HttpCall): void {
  calls.set(call.request, call);
}

export function principalOf(request: IncomingMessage): Principal | undefined {
  return calls.get(request)?.principal;
}

/** The call that a request is, where it was remembered. */
export function callOf(request: IncomingMessage): HttpCall | undefined {
  return calls.get(request);
}

/** Notes how an answer of MCP ends the request. */
export function noteAnswer(
  call: HttpCall,
  answer: { readonly result?: unknown; readonly error?: unknown },
): void {
  call.outcome = outcomeOfAnswer(answer);
  if (isJsonObject(answer.error)) call.error = answer.error;
}

/** The requests that have no answer yet, so that the end of the gateway can wait for them. */
export class UnderWay {
  readonly #calls = new InFlight<HttpCall>();
  #settle: (() => void) | undefined;

  /** Returns the number under which it ends. */
  add(call: HttpCall): number {
    return this.#calls.add(call);
  }

  delete(call: number): void {
    this.#calls.delete(call);
    if (this.#settle !== undefined && !this.#isAwaited()) this.#settle();
  }

  /** Resolves when all are answered, at the latest after so long. */
  async answered(limitMs: number): Promise<void> {
    if (!this.#isAwaited()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settle = resolve;
    const timer = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(timer);
  }

  /** Streams that only listen end with the gateway and have no answer. */
  #isAwaited(): boolean {
    return this.#calls
      .values()
      .some(({ requestId, method }) => requestId !== undefined && method !== "subscriptions/listen");
  }
}

/**
 * The request as the SDK takes it, without its body, which was read and parsed already. Its signal aborts when the
 * client has gone.
 */
export function toWebRequest(call: HttpCall): Request {
  const { request } = call;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  // The address is not used; what the client named as host is checked long before.
  return new Request("http://localhost/mcp", {
    method: request.method ?? "POST",
    headers,
    signal: goneSignal(call),
  });
}

/** Writes an answer of the SDK as it comes. A client that stops reading loses it. */
export async function pour(answer: Response, { response }: HttpCall): Promise<void> {
  if (response.destroyed || response.headersSent) return void answer.body?.cancel();
  response.writeHead(answer.status, { "Cache-Control": "no-store", ...Object.fromEntries(answer.headers) });
  if (answer.body === null) return void response.end();
  response.flushHeaders();
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) countStream(response);
  const reader = answer.body.getReader();
  response.once("close", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (response.writableLength > UNREAD_BYTES_MAX) response.destroy();
    else response.write(value);
  }
  response.end();
}
