/**
 * One configured server as a source: nothing runs until it is needed, and what goes wrong here stays here.
 *
 * - A lost connection fails the calls that were under way at once. None is sent again: it may have taken effect.
 * - A server that nobody uses for a while is stopped. So is it, with its whole process tree, on `close`.
 * - What the server asks back goes to the client whose call is under way.
 */
import { systemClock, type Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, ClientFace, Offer, ToolAnswer, ToolSource } from "../core/tool.ts";
import type { Connection, ConnectParts } from "./connection.ts";
import type { Era } from "./handshake.ts";
import { Link, type LastError } from "./link.ts";
import { Listening } from "./listening.ts";
import { listOffer } from "./listing.ts";
import { openWire } from "./open-wire.ts";
import type { AnswerToPeer } from "./peer.ts";
import { resultOf } from "./reply.ts";
import { exchange, requestOf } from "./request.ts";
import type { UpstreamConfig } from "./upstream-config.ts";

const SUBSCRIPTION = /^resources\/(?:un)?subscribe$/;
const LIST_CHANGED = /^notifications\/(?:tools|resources|prompts)\/list_changed$/;
/** What a client may offer to servers; anything else in its capabilities is between it and us. */
const CLIENT_CAPABILITIES = ["roots", "sampling", "elicitation"] as const;

export interface UpstreamParts {
  readonly clientInfo: JsonObject;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly openWire?: ConnectParts["openWire"];
  /** The era of an earlier process's session. */
  readonly lastEra?: Era | undefined;
  /** The client that this gateway serves, for what the server asks while no call of a client is under way. */
  readonly client?: () => ClientFace | undefined;
  /** A modern client can be asked only by a modern server, so one that speaks both eras is asked in that way first. */
  readonly prefersModern?: () => boolean;
}

export interface UpstreamStatus {
  readonly state: "idle" | "connecting" | "ready" | "waiting" | "broken";
  readonly era?: Era;
  readonly protocolVersion?: string;
  readonly serverInfo?: JsonObject;
  readonly pid?: number;
  readonly connectMs?: number;
  readonly callCount: number;
  readonly failureCount: number;
  readonly retryInMs?: number;
  readonly lastError?: LastError;
}

export interface UpstreamServer extends ToolSource {
  status(): UpstreamStatus;
  /** The least important log messages that the client wants to hear. */
  setLogLevel(level: string): void;
}

export function createUpstreamServer(config: UpstreamConfig, parts: UpstreamParts): UpstreamServer {
  return new Upstream(config, parts);
}

class Upstream implements UpstreamServer {
  readonly id: string;
  readonly #config: UpstreamConfig;
  readonly #parts: UpstreamParts;
  readonly #clock: Clock;
  readonly #link: Link;
  readonly #changed = new Set<() => void>();
  readonly #notified = new Set<(method: string, params: JsonObject) => void>();
  /** The calls under way, the newest last. */
  readonly #calls = new Set<CallContext>();
  #listening: Listening | undefined;
  #logLevel: string | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(config: UpstreamConfig, parts: UpstreamParts) {
    this.id = config.id;
    this.#config = config;
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#link = new Link(config, {
      clientInfo: parts.clientInfo,
      log: parts.log,
      clock: this.#clock,
      random: parts.random,
      openWire: parts.openWire ?? openWire,
      lastEra: parts.lastEra,
      prefersModern: () => parts.prefersModern?.() === true,
      clientCapabilities: ({ client }) => capabilitiesOf(client ?? parts.client?.()),
      onRequest: (method, params, signal) => this.#answer(method, params, signal),
      onNotification: (method, params) => this.#hear(method, params),
      onOpen: (connection) => (this.#listening = new Listening(connection, this.#logLevel)),
      onGone: () => (this.#listening = undefined),
    });
  }

  async list(context: CallContext): Promise<ToolResult<Offer>> {
    return this.#with(context, async ({ peer, session }) => {
      const { callTimeoutMs: timeoutMs } = this.#config;
      const outcome = await listOffer(peer, session, { timeoutMs, signal: context.signal });
      if (outcome.kind === "offer") return succeed(outcome.offer);
      return resultOf(this.id, "tools/list", outcome.reply) as ToolResult<never>;
    });
  }

  readonly call = async (
    name: string,
    args: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>> => {
    const result = await this.request("tools/call", { name, arguments: args }, context);
    return result as ToolResult<ToolAnswer>;
  };

  readonly request = (
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> =>
    this.#with(context, async (connection) => {
      const { peer, session } = connection;
      if (session.era === "modern" && SUBSCRIPTION.test(method)) return this.#subscribe(method, params);
      const { signal, onProgress } = context;
      const options = { timeoutMs: this.#timeoutMs(context), signal, onProgress };
      const sent = requestOf(params, session, context, this.#logLevel);
      const reply = await exchange(sent, session, context, (next) => peer.request(method, next, options));
      if (reply.kind === "result" && SUBSCRIPTION.test(method)) this.#subscribe(method, params);
      // A remote session that is gone says so only when it is used; the next call opens a new one.
      if (reply.kind === "closed" && connection.process === undefined)
        this.#link.lose(connection, reply.reason);
      return resultOf(this.id, method, reply);
    });

  readonly notify = (method: string, params: JsonObject): void => {
    this.#link.connection?.peer.notify(method, params);
  };

  readonly notified = (listener: (method: string, params: JsonObject) => void): (() => void) => {
    this.#notified.add(listener);
    return () => this.#notified.delete(listener);
  };

  changed(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    this.#listening?.setLogLevel(level);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#link.close();
  }

  status(): UpstreamStatus {
    const { connection, breaker, lastError } = this.#link;
    const { session, process, connectMs } = connection ?? {};
    const retryInMs = breaker.waitMs();
    return {
      state: this.#state(),
      callCount: this.#calls.size,
      failureCount: breaker.failureCount(),
      ...(session === undefined
        ? {}
        : { era: session.era, protocolVersion: session.protocolVersion, serverInfo: session.serverInfo }),
      ...(process?.pid === undefined ? {} : { pid: process.pid }),
      ...(connectMs === undefined ? {} : { connectMs }),
      ...(retryInMs === 0 ? {} : { retryInMs }),
      ...(lastError === undefined ? {} : { lastError }),
    };
  }

  #state(): UpstreamStatus["state"] {
    const { connection, isConnecting, breaker } = this.#link;
    if (connection !== undefined) return "ready";
    if (isConnecting) return "connecting";
    if (breaker.isOpen()) return "broken";
    return breaker.waitMs() > 0 ? "waiting" : "idle";
  }

  // ── a call's way in and out ───────────────────────────────────────────────────────────────────────────────────────

  async #with<T>(
    context: CallContext,
    use: (connection: Connection) => Promise<ToolResult<T>>,
  ): Promise<ToolResult<T>> {
    this.#calls.add(context);
    clearTimeout(this.#idleTimer);
    try {
      const { connection } = this.#link;
      if (connection !== undefined) return await use(connection);
      const opened = await this.#link.open(context);
      return opened.success ? await use(opened.data) : opened;
    } finally {
      this.#calls.delete(context);
      this.#waitForIdle();
    }
  }

  #timeoutMs(context: CallContext): number {
    const { callTimeoutMs } = this.#config;
    if (context.deadlineAt === undefined) return callTimeoutMs;
    return Math.max(1, Math.min(callTimeoutMs, context.deadlineAt - this.#clock.now()));
  }

  /** Keeps the count for the idle stop; for a modern server it is also the whole subscription. */
  #subscribe(method: string, params: JsonObject): ToolResult<JsonObject> {
    const uri = typeof params["uri"] === "string" ? params["uri"] : "";
    if (method === "resources/subscribe") this.#listening?.subscribe(uri);
    else this.#listening?.unsubscribe(uri);
    return succeed({});
  }

  #waitForIdle(): void {
    clearTimeout(this.#idleTimer);
    const { idleMs } = this.#config;
    const isUsed = this.#calls.size > 0 || (this.#listening?.subscriptionCount ?? 0) > 0;
    if (idleMs === 0 || isUsed || this.#link.connection === undefined) return;
    this.#idleTimer = setTimeout(() => void this.#link.disconnect(), idleMs);
    this.#idleTimer.unref();
  }

  // ── what the server says unasked ──────────────────────────────────────────────────────────────────────────────────

  async #answer(method: string, params: JsonObject, signal: AbortSignal): Promise<AnswerToPeer> {
    const caller = [...this.#calls].findLast((context) => context.client !== undefined)?.client;
    const client = caller ?? this.#parts.client?.();
    if (client === undefined) {
      return { error: { code: -32601, message: `there is no client to answer ${method}` } };
    }
    const answer = await client.request(method, params, signal);
    if (answer.success) return { result: answer.data };
    const { upstream, message } = answer.error;
    return { error: upstream ?? { code: -32603, message } };
  }

  #hear(method: string, params: JsonObject): void {
    if (LIST_CHANGED.test(method)) for (const listener of this.#changed) listener();
    else for (const listener of this.#notified) listener(method, params);
  }
}

function capabilitiesOf(client: ClientFace | undefined): JsonObject {
  const declared = client?.capabilities ?? {};
  return Object.fromEntries(
    CLIENT_CAPABILITIES.flatMap((key) => (key in declared ? [[key, declared[key]!]] : [])),
  );
}
