/**
 * One configured server: nothing runs until it is needed, one connection at a time, and what goes wrong here stays here.
 *
 * - The first need connects; everybody who comes meanwhile waits for the same attempt.
 * - A lost connection fails the calls that were under way at once. None is sent again: it may have taken effect. The next call
 *   starts the server anew, unless it failed too often (see `breaker.ts`): then calls fail at once and say when it is tried again.
 * - A server that nobody uses for a while is stopped. So is it, with its whole process tree, on `close`.
 * - What the server asks back goes to the client whose call is under way.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock, type Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, ClientFace, Offer, ToolAnswer, ToolSource } from "../core/tool.ts";
import { createBreaker } from "./breaker.ts";
import { connect, type Connection, type ConnectParts } from "./connection.ts";
import { CLIENT_CAPABILITIES_KEY, LOG_LEVEL_KEY, type Era, type Session } from "./handshake.ts";
import { fulfilInput } from "./input-required.ts";
import { Listening } from "./listening.ts";
import { listOffer } from "./listing.ts";
import { openWire } from "./open-wire.ts";
import type { AnswerToPeer, Reply } from "./peer.ts";
import { resultOf } from "./reply.ts";
import type { UpstreamConfig } from "./upstream-config.ts";

/** A call waits so long for the next attempt; beyond that it is better told to come back. */
const PATIENCE_MS = 1_000;
/** Up for so long, a server has made up for its earlier failures. */
const WELL_MS = 10_000;
const SUBSCRIPTION = /^resources\/(?:un)?subscribe$/;
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
  readonly lastError?: { readonly reason: string; readonly stderr: readonly string[]; readonly at: number };
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
  readonly #breaker;
  readonly #changed = new Set<() => void>();
  readonly #notified = new Set<(method: string, params: JsonObject) => void>();
  /** The calls under way, the newest last. */
  readonly #calls = new Set<CallContext>();
  #connection: Connection | undefined;
  #connecting: Promise<ToolResult<Connection>> | undefined;
  #lastEra: Era | undefined;
  #lastError: UpstreamStatus["lastError"];
  #idleTimer: NodeJS.Timeout | undefined;
  #wellTimer: NodeJS.Timeout | undefined;
  #listening: Listening | undefined;
  #logLevel: string | undefined;
  #closed = false;

  constructor(config: UpstreamConfig, parts: UpstreamParts) {
    this.id = config.id;
    this.#config = config;
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#breaker = createBreaker(this.#clock, parts.random);
    this.#lastEra = parts.lastEra;
  }

  async list(context: CallContext): Promise<ToolResult<Offer>> {
    return this.#with(context, async ({ peer, session }) => {
      const outcome = await listOffer(peer, session, {
        timeoutMs: this.#config.callTimeoutMs,
        signal: context.signal,
      });
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
      const options = {
        timeoutMs: this.#timeoutMs(context),
        signal: context.signal,
        onProgress: context.onProgress,
      };
      const send = (next: JsonObject) => peer.request(method, next, options);
      const reply = await exchange(
        requestOf(params, session, context, this.#logLevel),
        session,
        context,
        send,
      );
      if (reply.kind === "result" && SUBSCRIPTION.test(method)) this.#subscribe(method, params);
      // A remote session that is gone says so only when it is used; the next call opens a new one.
      if (reply.kind === "closed" && connection.process === undefined) this.#lose(reply.reason, []);
      return resultOf(this.id, method, reply);
    });

  /** Keeps the count for the idle stop; for a modern server it is also the whole subscription. */
  #subscribe(method: string, params: JsonObject): ToolResult<JsonObject> {
    const uri = typeof params["uri"] === "string" ? params["uri"] : "";
    if (method === "resources/subscribe") this.#listening?.subscribe(uri);
    else this.#listening?.unsubscribe(uri);
    return succeed({});
  }

  setLogLevel(level: string): void {
    this.#logLevel = level;
    this.#listening?.setLogLevel(level);
  }

  readonly notify = (method: string, params: JsonObject): void => {
    this.#connection?.peer.notify(method, params);
  };

  readonly notified = (listener: (method: string, params: JsonObject) => void): (() => void) => {
    this.#notified.add(listener);
    return () => this.#notified.delete(listener);
  };

  changed(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#wellTimer);
    await this.#connecting?.catch(() => {});
    await this.#disconnect();
  }

  status(): UpstreamStatus {
    const { session, process, connectMs } = this.#connection ?? {};
    const retryInMs = this.#breaker.waitMs();
    return {
      state: this.#state(),
      callCount: this.#calls.size,
      failureCount: this.#breaker.failureCount(),
      ...(session === undefined
        ? {}
        : { era: session.era, protocolVersion: session.protocolVersion, serverInfo: session.serverInfo }),
      ...(process?.pid === undefined ? {} : { pid: process.pid }),
      ...(connectMs === undefined ? {} : { connectMs }),
      ...(retryInMs === 0 ? {} : { retryInMs }),
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
    };
  }

  #state(): UpstreamStatus["state"] {
    if (this.#connection !== undefined) return "ready";
    if (this.#connecting !== undefined) return "connecting";
    if (this.#breaker.isOpen()) return "broken";
    return this.#breaker.waitMs() > 0 ? "waiting" : "idle";
  }

  // ── a call's way in and out ───────────────────────────────────────────────────────────────────────────────────────

  async #with<T>(
    context: CallContext,
    use: (connection: Connection) => Promise<ToolResult<T>>,
  ): Promise<ToolResult<T>> {
    this.#calls.add(context);
    clearTimeout(this.#idleTimer);
    try {
      if (this.#connection !== undefined) return await use(this.#connection);
      const connected = await this.#connected(context);
      return connected.success ? await use(connected.data) : connected;
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

  #waitForIdle(): void {
    clearTimeout(this.#idleTimer);
    const { idleMs } = this.#config;
    if (
      idleMs === 0 ||
      this.#calls.size > 0 ||
      (this.#listening?.subscriptionCount ?? 0) > 0 ||
      this.#connection === undefined
    )
      return;
    this.#idleTimer = setTimeout(() => void this.#disconnect(), idleMs);
    this.#idleTimer.unref();
  }

  // ── connecting ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whoever gives up waiting leaves the attempt to the others. */
  async #connected(context: CallContext): Promise<ToolResult<Connection>> {
    if (this.#closed)
      return fail("TOOL_UNAVAILABLE", `The server ${this.id} was removed.`, { retryable: false });
    this.#connecting ??= this.#connect(context).finally(() => (this.#connecting = undefined));
    const { promise, resolve } = Promise.withResolvers<ToolResult<Connection>>();
    const giveUp = (): void => resolve(fail("CANCELLED", "The call was cancelled."));
    context.signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await Promise.race([this.#connecting, promise]);
    } finally {
      context.signal.removeEventListener("abort", giveUp);
    }
  }

  async #connect(context: CallContext): Promise<ToolResult<Connection>> {
    const waitMs = this.#breaker.waitMs();
    if (waitMs > PATIENCE_MS) return this.#unavailable();
    if (waitMs > 0) await sleep(waitMs);
    const outcome = await connect(this.#config, {
      clientInfo: this.#parts.clientInfo,
      clientCapabilities: capabilitiesOf(context.client ?? this.#parts.client?.()),
      lastEra: this.#lastEra ?? (this.#parts.prefersModern?.() === true ? "modern" : undefined),
      log: this.#parts.log,
      openWire: this.#parts.openWire ?? openWire,
      onRequest: (method, params, signal) => this.#answer(method, params, signal),
      onNotification: (method, params) => this.#hear(method, params),
      onLost: (reason, stderr) => this.#lose(reason, stderr),
    });
    if (outcome.kind === "failed") {
      this.#fail(outcome.reason, outcome.stderr);
      return this.#unavailable();
    }
    return this.#adopt(outcome.connection);
  }

  #adopt(connection: Connection): ToolResult<Connection> {
    if (this.#closed) {
      void connection.peer.close().catch(() => {});
      return fail("TOOL_UNAVAILABLE", `The server ${this.id} was removed.`, { retryable: false });
    }
    this.#connection = connection;
    this.#lastEra = connection.session.era;
    this.#wellTimer = setTimeout(() => this.#breaker.reset(), WELL_MS);
    this.#wellTimer.unref();
    this.#listening = new Listening(connection, this.#logLevel);
    const { era, protocolVersion } = connection.session;
    this.#parts.log.info("upstream.connected", { server: this.id, era, protocolVersion });
    return succeed(connection);
  }

  async #disconnect(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const connection = this.#connection;
    this.#connection = undefined;
    this.#listening = undefined;
    await connection?.peer.close();
  }

  // ── what goes wrong ───────────────────────────────────────────────────────────────────────────────────────────────

  #lose(reason: string, stderr: readonly string[]): void {
    if (this.#connection === undefined) return;
    this.#connection = undefined;
    this.#listening = undefined;
    clearTimeout(this.#wellTimer);
    this.#fail(reason, stderr);
  }

  #fail(reason: string, stderr: readonly string[]): void {
    this.#breaker.recordFailure();
    this.#lastError = { reason: reason.replace(/\.$/, ""), stderr, at: this.#clock.now() };
    this.#parts.log.warn("upstream.failed", { server: this.id, reason, stderr: stderr.slice(-5) });
  }

  #unavailable(): ToolResult<never> {
    const { reason = "it is not connected", stderr = [] } = this.#lastError ?? {};
    const seconds = Math.ceil(this.#breaker.waitMs() / 1000);
    const said = stderr.length === 0 ? "" : ` It said: ${stderr.slice(-3).join(" | ").slice(0, 500)}`;
    return fail("TOOL_UNAVAILABLE", `The server ${this.id} is not available: ${reason}.${said}`, {
      hint: `It is tried again ${seconds === 0 ? "with the next call" : `in ${seconds} s`}; the other servers are not affected.`,
    });
  }

  // ── what the server says unasked ──────────────────────────────────────────────────────────────────────────────────

  async #answer(method: string, params: JsonObject, signal: AbortSignal): Promise<AnswerToPeer> {
    const caller = [...this.#calls].findLast((context) => context.client !== undefined)?.client;
    const client = caller ?? this.#parts.client?.();
    if (client === undefined)
      return { error: { code: -32601, message: `there is no client to answer ${method}` } };
    const answer = await client.request(method, params, signal);
    if (answer.success) return { result: answer.data };
    const { upstream, message } = answer.error;
    return { error: upstream ?? { code: -32603, message } };
  }

  #hear(method: string, params: JsonObject): void {
    if (/^notifications\/(tools|resources|prompts)\/list_changed$/.test(method)) {
      for (const listener of this.#changed) listener();
      return;
    }
    for (const listener of this.#notified) listener(method, params);
  }
}

/** The parameters as this session wants them: with `_meta` of the caller and the session, and what a modern client said. */
function requestOf(
  params: JsonObject,
  session: Session,
  { meta, modern }: CallContext,
  logLevel: string | undefined,
): JsonObject {
  if (session.era === "legacy") return meta === undefined ? params : { ...params, _meta: meta };
  const level = modern === undefined ? logLevel : modern.logLevel;
  const envelope: JsonObject = {
    ...meta,
    ...session.envelope,
    ...(level === undefined ? {} : { [LOG_LEVEL_KEY]: level }),
  };
  if (modern === undefined) return { ...params, _meta: envelope };
  const { capabilities, inputResponses, requestState } = modern;
  return {
    ...params,
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
    _meta: { ...envelope, [CLIENT_CAPABILITIES_KEY]: capabilities },
  };
}

/** Input that a modern server needs is the modern client's own matter; for anybody else it is fetched here. */
function exchange(
  params: JsonObject,
  session: Session,
  context: CallContext,
  send: (params: JsonObject) => Promise<Reply>,
): Promise<Reply> {
  const isOurs = session.era === "modern" && context.modern === undefined;
  return isOurs ? fulfilInput(params, context, send) : send(params);
}

function capabilitiesOf(client: ClientFace | undefined): JsonObject {
  const declared = client?.capabilities ?? {};
  return Object.fromEntries(
    CLIENT_CAPABILITIES.flatMap((key) => (key in declared ? [[key, declared[key]!]] : [])),
  );
}
