/**
 * `fetch` over `node:http` for one remote server and what it names: connections are kept and reused, every connection is
 * checked by the address policy when it is made, and nothing stays behind when a request has ended, least of all a listener on
 * the caller's signal.
 *
 * Redirects are never followed: the answer is returned as it is, and whoever asked decides. Nothing is sent twice, also where a
 * kept connection turns out to be closed: whether the request took effect is not known.
 */
import {
  Agent as HttpAgent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { AddressPolicy } from "./address-policy.ts";
import { ACCEPTED_ENCODINGS, decode, readWhole, streamBody } from "./answer-body.ts";
import { ANSWER_BYTES_MAX, createAnswerLimit } from "./answer-limit.ts";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface NodeFetch {
  readonly fetch: Fetch;
  /** Ends every connection that is kept. */
  readonly close: () => void;
}

export interface NodeFetchParts {
  readonly policy: AddressPolicy;
  readonly bytesMax?: number;
  /** How long a server may take to begin an answer; without it, as long as the caller's signal lets it. */
  readonly headersMs?: number;
  /** TLS of tests: whose certificates are believed. */
  readonly ca?: string;
}

/** Each call under way has a connection, and so has each stream that a server is listened to by. */
const SOCKETS_MAX = 256;
const FREE_SOCKETS_MAX = 8;
/** Less than the 5 s after which many servers close a connection that nobody uses: the race with that is never run. */
const KEEP_MS = 4_000;
const CONNECT_MS = 10_000;
/** A body that has begun and is no stream comes without long pauses. */
const SILENCE_MS = 60_000;

/** Statuses that say that there is no body; a `Response` must not have one then. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

export function createNodeFetch(parts: NodeFetchParts): NodeFetch {
  const options = {
    keepAlive: true,
    maxSockets: SOCKETS_MAX,
    maxFreeSockets: FREE_SOCKETS_MAX,
    timeout: KEEP_MS,
  };
  const agents = {
    http: new HttpAgent(options),
    https: new HttpsAgent({ ...options, ...(parts.ca !== undefined && { ca: parts.ca }) }),
  };
  return {
    async fetch(input, init = {}) {
      const url = new URL(input);
      await parts.policy.checkUrl(url);
      init.signal?.throwIfAborted();
      return send(url, init, parts, agents);
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function send(url: URL, init: RequestInit, parts: NodeFetchParts, agents: Agents): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { method, headers, body } = requestOf(init);
  const isSecure = url.protocol === "https:";
  const options = { method, headers, lookup: parts.policy.lookupFor(url) };
  const outgoing = isSecure
    ? requestHttps(url, { ...options, agent: agents.https })
    : requestHttp(url, { ...options, agent: agents.http });
  limitConnecting(outgoing, isSecure);
  const limit = limitHeaders(outgoing, parts.headersMs);
  let answer: IncomingMessage | undefined;
  const release = abortWith(init.signal ?? undefined, (reason) => {
    answer?.destroy(reason);
    outgoing.destroy(reason);
  });
  outgoing.once("response", (message) => {
    answer = message;
    clearTimeout(limit);
    responseOf(url, message, parts.bytesMax ?? ANSWER_BYTES_MAX, release).then(resolve, (error: unknown) =>
      reject(brokenOr(failureOf(error, init.signal))),
    );
  });
  outgoing.on("error", (error) => {
    release();
    const failure = failureOf(error, init.signal);
    reject(answer === undefined ? failure : brokenOr(failure));
  });
  // A server that switches to another protocol ends the connection without an answer and without an error.
  outgoing.once("close", () => {
    clearTimeout(limit);
    if (answer !== undefined) return;
    release();
    reject(failureOf(new Error("the connection was closed without an answer"), init.signal));
  });
  outgoing.end(body);
  return promise;
}

function requestOf(init: RequestInit) {
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
  } else if (typeof body !== "string") {
    throw new TypeError("only text is sent to remote servers");
  }
  const text = String(body);
  headers["content-length"] = String(Buffer.byteLength(text));
  // Text goes out in one packet with the headers; bytes would go in a second one.
  return { method: init.method ?? "GET", headers, body: text };
}

/** A connection that is kept needs none of this. */
function limitConnecting(outgoing: ClientRequest, isSecure: boolean): void {
  outgoing.once("socket", (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => outgoing.destroy(new TypeError(`no connection was made within ${CONNECT_MS} ms`)),
      CONNECT_MS,
    );
    const stop = (): void => clearTimeout(timer);
    socket.once(isSecure ? "secureConnect" : "connect", stop);
    outgoing.once("close", stop);
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

async function responseOf(
  url: URL,
  message: IncomingMessage,
  bytesMax: number,
  onEnd: () => void,
): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  const isStream = message.headers["content-type"]?.includes("text/event-stream") === true;
  const count = createAnswerLimit(isStream, bytesMax);
  let source;
  try {
    source = decode(message);
  } catch (error) {
    message.destroy();
    onEnd();
    throw error;
  }
  const body = isStream
    ? streamBody(source, { count, onEnd })
    : await readWhole(source, { count, silenceMs: SILENCE_MS, onEnd });
  const init = { status, statusText, headers: headersOf(message.rawHeaders) };
  const response = new Response(BODILESS.has(status) ? null : body, init);
  // What `new Response` cannot be told: where the answer came from.
  return Object.defineProperty(response, "url", { value: url.href });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!);
  return headers;
}

/** The server began to answer, and what came cannot be used: it is too long, not whole, or in an encoding of its own. */
export class BrokenAnswer extends TypeError {}

/** What the caller gave up itself stays what it is. */
function brokenOr(failure: unknown): unknown {
  return failure instanceof TypeError
    ? new BrokenAnswer(failure.message, { cause: failure.cause ?? failure })
    : failure;
}

/** As `fetch` fails: with the reason of the signal, or with a `TypeError` that has the cause. */
function failureOf(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof TypeError) return error;
  const { message } = error as Error;
  const code = (error as NodeJS.ErrnoException).code;
  return new TypeError(message === "" ? (code ?? "the request failed") : message, { cause: error });
}
