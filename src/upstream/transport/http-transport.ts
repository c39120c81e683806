/**
 * A remote server over the SDK's transports, on our own `fetch`. A redirect is followed only within the origin, so that
 * headers with credentials never reach another one; nothing is retried that may already have taken effect.
 */
import {
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { messageOf, type ToolError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { fail } from "../../core/result.ts";
import type { SecretStore } from "../../core/secret-store.ts";
import { backgroundAfter } from "../../timing/after.ts";
import { within } from "../../timing/deadline.ts";
import { causeOfFetchError, causeOfResponse, type FailureCause } from "../failure-cause.ts";
import { AnswerTooLong } from "../../net/answer-limit.ts";
import { BrokenAnswer, type Fetch } from "../../net/http-client.ts";
import { busyFailure } from "../../net/retry-after.ts";
import type { AuthorizationWay } from "../oauth/authorize.ts";
import type { OAuthSettings } from "../oauth/client.ts";
import { Credentials, createAuthorizedFetch } from "../oauth/credentials.ts";
import type { TransportConfig } from "../upstream-config.ts";
import { cut } from "../../text/cut.ts";
import type { Transport } from "./transport.ts";
import { requestIdOf, takeMessages, type BodyReceiver } from "./message-bodies.ts";
import { createServerHttp } from "./server-http.ts";
import { BadAnswer, TransportFailure } from "./transport-failure.ts";

/** The end of a session is not waited for longer. */
const GOODBYE_MS = 1_000;

export type HttpTransportConfig = Extract<TransportConfig, { kind: "http" | "sse" }>;

/** What the transports of one remote server share. */
export interface HttpTransportDeps {
  /** Its name in errors, and for its login. */
  readonly server: string;
  /** Where its login is kept; without it, there is none. */
  readonly secrets?: SecretStore | undefined;
  readonly settings?: OAuthSettings | undefined;
  readonly way?: AuthorizationWay | undefined;
  readonly log: Log;
}

export interface OpenedHttpTransport {
  readonly transport: Transport;
  /** What the transport knows of why it last failed; the SDK's own errors tell less. */
  readonly failure: () => ToolError | undefined;
  /** What its last request or answer says about a server that did not open. */
  readonly cause: () => FailureCause | undefined;
}

/** Returns how to make a transport; all of them share connections and the login. */
export function createHttpTransports(
  config: HttpTransportConfig,
  deps: HttpTransportDeps,
): () => OpenedHttpTransport {
  const http = createServerHttp(config);
  const { url, policy, quickFetch } = http;
  const hasOwn = hasOwnAuthorization(config.headers);
  const { secrets, settings = {} } = deps;
  const credentials =
    hasOwn || secrets === undefined
      ? undefined
      : new Credentials({ ...deps, secrets, settings, serverUrl: url, policy, fetch: quickFetch });
  const admitted =
    credentials === undefined
      ? refuseDenials(http.fetch, deps.server, hasOwn)
      : createAuthorizedFetch(http.fetch, url, credentials);
  const fetch = refuseBusyAnswers(admitted, deps.server);
  return () => openHttp(config.kind, url, fetch);
}

function hasOwnAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => /^authorization$/i.test(name));
}

/** The SDK's transport carries; what it carries is read here, so that all of it passes the bound. */
function openHttp(kind: HttpTransportConfig["kind"], url: URL, fetch: Fetch): OpenedHttpTransport {
  const receiver: BodyReceiver = {
    onmessage: (message) => transport.onmessage?.(message),
    onunusable: (id, why) => transport.onunusable?.(id, why),
  };
  let failure: ToolError | undefined;
  let cause: FailureCause | undefined;
  /** Failures of requests to which no answer began. */
  const unanswered = new WeakSet<object>();
  const options = {
    redirectPolicy: "same-origin",
    fetch: async (input: string | URL, init?: RequestInit): Promise<Response> => {
      const id = kind === "sse" ? undefined : requestIdOf(init?.body);
      try {
        const response = await fetch(input, init);
        cause = causeOfResponse(response);
        return takeMessages(response, id, receiver);
      } catch (error) {
        const { cause: tooLong } = error as { cause?: unknown };
        if (id !== undefined && tooLong instanceof AnswerTooLong)
          receiver.onunusable(id, { reason: "answer_too_large", problem: tooLong.problem });
        if (error instanceof TransportFailure) ({ error: failure } = error);
        // What we gave up ourselves says nothing about the server.
        else if (init?.signal?.aborted !== true) cause = causeOfFetchError(error);
        if (!(error instanceof BrokenAnswer)) unanswered.add(error as object);
        throw error;
      }
    },
  } as const;
  const sdk =
    kind === "sse" ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
  if (sdk instanceof StreamableHTTPClientTransport) endSessionWith(sdk);
  const transport = transportOf(sdk);
  tellBadAnswers(transport, sdk, unanswered);
  return { transport, failure: () => failure, cause: () => cause };
}

function transportOf(sdk: SSEClientTransport | StreamableHTTPClientTransport): Transport {
  let closing: Promise<void> | undefined;
  const transport: Transport = {
    hasPerRequestStream: sdk instanceof StreamableHTTPClientTransport,
    start: () => sdk.start(),
    // The SDK's messages are a union of exact shapes; ours are the same JSON with a looser type.
    send: (message, options) => (sdk as StreamableHTTPClientTransport).send(message as never, options),
    // The SDK ends the session and tells of the end again with every call.
    close: () => (closing ??= sdk.close()),
    setProtocolVersion: (version) => sdk.setProtocolVersion(version),
  };
  // Of its own it reads only the error in the body of a 400; everything else has been taken already.
  sdk.onmessage = (message) => {
    if ("error" in message) transport.onmessage?.(message);
  };
  sdk.onclose = () => transport.onclose?.();
  sdk.onerror = (error) => transport.onerror?.(error);
  return transport;
}

/** A server that does not know a session says 404, as it should, or 400, as many do. */
const SESSION_STATUSES: ReadonlySet<number> = new Set([400, 404]);

/**
 * Tells a call's failure from the server's. No answer at all (no name, no connection, no TLS, a reset) is the server's;
 * once an answer has begun, whatever is wrong with it is the matter of that call alone.
 */
function tellBadAnswers(
  transport: Transport,
  sdk: SSEClientTransport | StreamableHTTPClientTransport,
  unanswered: WeakSet<object>,
): void {
  const send = transport.send.bind(transport);
  const isSessionLost = (error: unknown): boolean => {
    // Without a status: the older transport's session is in its address, and its errors do not say what came.
    if (sdk instanceof SSEClientTransport) return true;
    const hasSession = sdk.sessionId !== undefined;
    return hasSession && error instanceof SdkHttpError && SESSION_STATUSES.has(error.status);
  };
  transport.send = async (message, options) => {
    try {
      await send(message, options);
    } catch (error) {
      const isAnswered = !unanswered.has(error as object) && !isNotConnected(error);
      if (!isAnswered) throw error;
      throw new BadAnswer(describe(error), { endsSession: isSessionLost(error), cause: error });
    }
  };
}

function isNotConnected(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.NotConnected;
}

/** The beginning of a page that came in place of an answer; callers are told still less of it. */
const REASON_LENGTH_MAX = 4_000;

function describe(error: unknown): string {
  // What is no JSON, and JSON that is no message; the errors of the SDK's schemas are long, and for programmers.
  const isUnreadable = error instanceof SyntaxError || (error instanceof Error && "issues" in error);
  if (isUnreadable) return "what it sent is not an MCP message";
  const status = error instanceof SdkHttpError ? `HTTP ${error.status}: ` : "";
  return cut(`${status}${messageOf(error)}`, REASON_LENGTH_MAX);
}

/** A server keeps a session until it is told to end it. A server that does not react is left after a moment. */
function endSessionWith(sdk: StreamableHTTPClientTransport): void {
  const close = sdk.close.bind(sdk);
  sdk.close = async () => {
    const told = sdk.terminateSession().catch(() => {});
    await within(told, GOODBYE_MS, { after: backgroundAfter });
    await close();
  };
}

/** For a server that asks for a login when none is possible. */
function refuseDenials(fetch: Fetch, server: string, hasOwn: boolean): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    throw new TransportFailure(
      fail("TOOL_UNAVAILABLE", `The server ${server} rejected our credentials (HTTP 401).`, {
        reason: "auth_required",
        retryable: false,
        hint: hasOwn
          ? "Ask the user to check the Authorization header of this server in the config."
          : `Ask the user to run: repertoire login ${server}`,
      }).error,
    );
  };
}

/** A server that says that it is too busy: that is an error with a name. */
export function refuseBusyAnswers(fetch: Fetch, server: string, now: () => number = Date.now): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 429 && response.status !== 503) return response;
    await response.body?.cancel();
    throw new TransportFailure(busyFailure(server, response, now()).error);
  };
}
