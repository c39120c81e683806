/**
 * The gateway's HTTP client. Every connection is checked by an address policy when it is made, and nothing stays behind
 * when a request has ended, least of all a listener on the caller's signal.
 *
 * A request is made in one of three ways. `fetch` gives a `Response`: unpacked, a stream of events as a stream and
 * everything else whole, and an error where the answer is over the limit. `request` never throws and gives the answer
 * as it came, cut at the limit. `open` never throws either and gives the answer unread, for a caller that passes it on.
 *
 * None follows redirects (redirects.ts does). Nothing is sent twice, also where a kept connection turns out to be
 * closed: whether the request took effect is not known.
 */
import {
  Agent as HttpAgent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { createAddressPolicy, RefusedUrl, type AddressPolicy } from "./address-policy.ts";
import { ACCEPTED_ENCODINGS, responseOf } from "./answer-body.ts";
import { ANSWER_BYTES_MAX } from "./answer-limit.ts";
import {
  codeOf,
  readAnswer,
  type HttpOutcome,
  type HttpRequest,
  type OpenedAnswer,
  type Unanswered,
} from "./http-outcome.ts";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface HttpClient {
  /** Fails as `fetch` does: with the reason of the signal, or with a `TypeError` that has the cause. */
  readonly fetch: Fetch;
  request(
    request: HttpRequest,
    options: { readonly signal: AbortSignal; readonly bytesMax: number },
  ): Promise<HttpOutcome>;
  /**
   * The signal ends the answer too, until it has been read or destroyed. The body is sent when the other side asks for it
   * (100 Continue): what fails before that was not `sent`, also where a kept connection turns out to be closed.
   */
  open(
    request: HttpRequest & { readonly body: Buffer },
    options: { readonly signal: AbortSignal },
  ): Promise<OpenedAnswer | Unanswered>;
  /** Ends every connection that is kept. */
  readonly close: () => void;
}

export interface HttpClientOptions {
  readonly policy: AddressPolicy;
  /**
   * Whether a connection is used for the next request too. Otherwise each request has its own, and its signal is all
   * that ends it.
   */
  readonly keepsConnections?: boolean;
  /** Of an answer to `fetch`. */
  readonly bytesMax?: number;
  /** How long a server may take to begin an answer; without it, as long as the caller's signal lets it. */
  readonly headersMs?: number;
  /** How long a connection may take to be made. */
  readonly connectMs?: number;
  /** Connections to one origin at once. */
  readonly socketsMax?: number;
  /** TLS of tests: whose certificates are believed. */
  readonly ca?: string;
}

/** Each call under way has a connection, and so has each stream of events. */
const SOCKETS_MAX = 256;
const FREE_SOCKETS_MAX = 8;
/** Less than the 5 s after which many servers close an idle connection: the race with that is never run. */
const KEEP_MS = 4_000;
const CONNECT_MS = 10_000;

/**
 * The server began to answer, and what came cannot be used: it is too long, not whole, or in an encoding of its own.
 */
export class BrokenAnswer extends TypeError {}

/** For an origin that the config names: it may be anywhere, and leads nowhere nearer than it is. */
export function createGuardedFetch(origin: URL): Fetch {
  return createHttpClient({ policy: createAddressPolicy(origin) }).fetch;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { policy, keepsConnections = true, bytesMax = ANSWER_BYTES_MAX, headersMs } = options;
  const pool = keepsConnections ? createPool(options) : undefined;
  const limits = { connectMs: options.connectMs ?? (keepsConnections ? CONNECT_MS : undefined), headersMs };

  const send = <T>(request: Outgoing, read: (answer: Answer) => Promise<T>): Promise<T> =>
    sendRequest(request, { policy, pool, limits }, read);

  async function attempt<T>(
    { url, method, headers, body }: HttpRequest,
    signal: AbortSignal,
    read: (answer: Answer) => Promise<T>,
    isAsked = false,
  ): Promise<T | Unanswered> {
    const progress = { isSent: false };
    try {
      await policy.checkUrl(url);
      if (signal.aborted) return { kind: "aborted", sent: false };
      const length = body === undefined ? [] : [["content-length", String(body.length)] as const];
      const outgoing = { url, method, headers: Object.fromEntries([...headers, ...length]), body };
      return await send({ ...outgoing, signal, progress, isAsked }, read);
    } catch (error) {
      if (error instanceof RefusedUrl) return { kind: "refused" };
      if (signal.aborted) return { kind: "aborted", sent: progress.isSent };
      return { kind: "broken", sent: progress.isSent, code: codeOf(error) };
    }
  }

  return {
    async fetch(input, init = {}) {
      const url = new URL(input);
      await policy.checkUrl(url);
      const signal = init.signal ?? undefined;
      signal?.throwIfAborted();
      let isAnswered = false;
      try {
        return await send({ url, ...messageOf(init), signal }, (answer) => {
          isAnswered = true;
          return readResponse(url, answer, bytesMax);
        });
      } catch (error) {
        const failure = failureOf(error, signal);
        throw isAnswered ? brokenOr(failure) : failure;
      }
    },
    request: (request, { signal, bytesMax: cutBytes }) =>
      attempt(request, signal, ({ message, release }) => readAnswer(message, cutBytes).finally(release)),
    open: (request, { signal }) =>
      attempt(
        { ...request, headers: new Map([...request.headers, ["expect", "100-continue"]]) },
        signal,
        async ({ message, release }) => {
          message.once("close", release);
          return { kind: "opened", message };
        },
        true,
      ),
    close() {
      pool?.http.destroy();
      pool?.https.destroy();
    },
  };
}

interface Pool {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function createPool({ ca, socketsMax = SOCKETS_MAX }: HttpClientOptions): Pool {
  const options = {
    keepAlive: true,
    maxSockets: socketsMax,
    maxFreeSockets: FREE_SOCKETS_MAX,
    timeout: KEEP_MS,
  };
  return { http: new HttpAgent(options), https: new HttpsAgent({ ...options, ca }) };
}

interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | undefined;
  readonly signal: AbortSignal | undefined;
  /** Told when the other side may have seen the request. */
  readonly progress?: { isSent: boolean };
  /** Whether the body waits until the other side asks for it; without its body, it cannot act on the request. */
  readonly isAsked?: boolean;
}

interface Answer {
  readonly message: IncomingMessage;
  /** Says what is wrong with the connection while the body is read. */
  readonly outgoing: ClientRequest;
  /** Takes the listener off the signal; to be called when nothing more will come, however often. */
  readonly release: () => void;
}

interface Connecting {
  readonly policy: AddressPolicy;
  readonly pool: Pool | undefined;
  readonly limits: { readonly connectMs?: number; readonly headersMs?: number };
}

/** Sends one request. `read` is called in the moment in which the answer begins, and what it gives is the result. */
function sendRequest<T>(
  { url, method, headers, body, signal, progress, isAsked = false }: Outgoing,
  { policy, pool, limits }: Connecting,
  read: (answer: Answer) => Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const isSecure = url.protocol === "https:";
  const options = { method, headers, lookup: policy.lookupFor(url) };
  const outgoing = isSecure
    ? requestHttps(url, { ...options, agent: pool?.https ?? false })
    : requestHttp(url, { ...options, agent: pool?.http ?? false });
  watchConnecting(outgoing, isSecure, limits.connectMs, isAsked ? undefined : progress);
  const limit = limitHeaders(outgoing, limits.headersMs);
  let message: IncomingMessage | undefined;
  const release = abortWith(signal, (reason) => {
    message?.destroy(reason);
    outgoing.destroy(reason);
  });
  outgoing.once("response", (begun) => {
    message = begun;
    clearTimeout(limit);
    read({ message, outgoing, release }).then(resolve, reject);
  });
  outgoing.on("error", (error) => {
    release();
    if (message === undefined) reject(error);
  });
  // A server that switches to another protocol ends the connection without an answer and without an error.
  outgoing.once("close", () => {
    clearTimeout(limit);
    if (message !== undefined) return;
    release();
    reject(Object.assign(new Error("the connection was closed without an answer"), { code: "ECONNRESET" }));
  });
  if (isAsked) sendWhenAsked(outgoing, body, progress);
  else outgoing.end(body);
  return promise;
}

function sendWhenAsked(
  outgoing: ClientRequest,
  body: Outgoing["body"],
  progress: Outgoing["progress"],
): void {
  outgoing.flushHeaders();
  outgoing.once("continue", () => {
    if (progress !== undefined) progress.isSent = true;
    outgoing.end(body);
  });
}

/**
 * Limits the time until there is a connection, and says when there is one. A connection that is kept is one already.
 */
function watchConnecting(
  outgoing: ClientRequest,
  isSecure: boolean,
  connectMs: number | undefined,
  progress: { isSent: boolean } | undefined,
): void {
  outgoing.once("socket", (socket) => {
    if (outgoing.reusedSocket) {
      if (progress !== undefined) progress.isSent = true;
      return;
    }
    if (!socket.connecting) return;
    const timer =
      connectMs === undefined
        ? undefined
        : setTimeout(
            () => outgoing.destroy(new TypeError(`no connection was made within ${connectMs} ms`)),
            connectMs,
          );
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      if (progress !== undefined) progress.isSent = true;
    });
    outgoing.once("close", () => clearTimeout(timer));
  });
}

function limitHeaders(outgoing: ClientRequest, headersMs: number | undefined): NodeJS.Timeout | undefined {
  if (headersMs === undefined) return undefined;
  return setTimeout(
    () => outgoing.destroy(new TypeError(`no answer came within ${headersMs} ms`)),
    headersMs,
  );
}

/** Ends what is under way with the signal; what is returned takes the listener away, however often it is called. */
function abortWith(signal: AbortSignal | undefined, end: (reason: Error) => void): () => void {
  const abort = (): void => end(signal?.reason as Error);
  signal?.addEventListener("abort", abort, { once: true });
  return () => signal?.removeEventListener("abort", abort);
}

function messageOf(init: RequestInit) {
  const headers: Record<string, string> = {
    "user-agent": "repertoire",
    "accept-encoding": ACCEPTED_ENCODINGS,
    accept: "*/*",
  };
  new Headers(init.headers ?? undefined).forEach((value, name) => (headers[name] = value));
  const { body } = init;
  if (body === null || body === undefined) return { method: init.method ?? "GET", headers, body: undefined };
  if (body instanceof URLSearchParams) {
    headers["content-type"] ??= "application/x-www-form-urlencoded;charset=UTF-8";
  } else if (Buffer.isBuffer(body)) {
    headers["content-length"] = String(body.length);
    return { method: init.method ?? "GET", headers, body };
  } else if (typeof body !== "string") {
    throw new TypeError("only text and buffers are sent to remote servers");
  }
  const text = String(body);
  headers["content-length"] = String(Buffer.byteLength(text));
  // Text goes out in one packet with the headers; bytes would go in a second one.
  return { method: init.method ?? "GET", headers, body: text };
}

function readResponse(url: URL, { message, outgoing, release }: Answer, bytesMax: number): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  // A body that is no HTTP is told by the request, not by the answer.
  outgoing.on("error", reject);
  responseOf(url, message, bytesMax, release).then(resolve, reject);
  return promise;
}

/** What the caller gave up itself stays what it is. */
function brokenOr(failure: unknown): unknown {
  return failure instanceof TypeError
    ? new BrokenAnswer(failure.message, { cause: failure.cause ?? failure })
    : failure;
}

function failureOf(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof TypeError) return error;
  const { message } = error as Error;
  const code = (error as NodeJS.ErrnoException).code;
  return new TypeError(message === "" ? (code ?? "the request failed") : message, { cause: error });
}
