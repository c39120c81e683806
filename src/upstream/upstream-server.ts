/**
 * One configured server as a source: nothing runs until it is needed, and what goes wrong here stays here.
 *
 * - All callers use one shared channel. Behind a gateway of one client, what the server asks goes to that client.
 * - Behind a gateway of many, a client that can be asked something has a channel of its own (see `channel-pool.ts`), so
 *   that no question ever reaches another client than the one whose call caused it. A modern server does not ask on its
 *   own, so it needs no more than the shared channel.
 * - A channel that is not used for a while is given up. So is every channel, with its whole process tree, on `close`.
 */
import { systemClock, type Clock } from "../core/clock.ts";
import {
  TASKS_EXTENSION,
  askableOf,
  isAskable,
  withOwnExtensions,
  withoutExtension,
} from "../core/declared.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Redactor } from "../text/redaction.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type {
  CallContext,
  ClientHandle,
  ListKind,
  NotificationListener,
  Offer,
  SourceDescription,
  ToolAnswer,
  ToolSource,
  Starting,
} from "../core/tool.ts";
import { newestCaller, onlyCaller } from "./connection/questions.ts";
import type { ConnectDeps } from "./connection/connect.ts";
import type { Era } from "./connection/handshake.ts";
import { Channel, type CommonChannelDeps } from "./connection/channel.ts";
import { createHealth, type LastError } from "./connection/connection.ts";
import { LogLevels } from "./connection/log-levels.ts";
import { openTransport } from "./transport/open-transport.ts";
import { callOwner, ChannelPool, type Owner } from "./connection/channel-pool.ts";
import type { UpstreamConfig } from "./upstream-config.ts";

const LIST_CHANGED = /^notifications\/(tools|resources|prompts)\/list_changed$/;
const LOG_MESSAGE = "notifications/message";
/** The requests whose answer may be that input is required, so that a modern client can be asked during them. */
const ASKING_METHODS: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

export interface UpstreamDeps {
  readonly clientInfo: JsonObject;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly openTransport?: ConnectDeps["openTransport"];
  /** Takes secrets out of what the server says when it fails; without it, nothing is taken out. */
  readonly redact?: ConnectDeps["redact"];
  /** Takes secrets out of what the server lists: that is kept, searched and shown for long. */
  readonly mask?: Redactor["mask"];
  /** Whether more than one client can be there, as over HTTP. Without it, there is one. */
  readonly hasManyClients?: boolean;
  /** The one client that this gateway serves, for what the server asks while no call of a client is under way. */
  readonly client?: () => ClientHandle | undefined;
  /**
   * What that client can be asked for, if it is of the modern era: the channel may be opened by a request that is not
   * its own.
   */
  readonly modernCapabilities?: () => JsonObject | undefined;
  /** How long a caller without a deadline waits for a start. */
  readonly startWaitMs?: number | undefined;
  /** A modern client is asked best by a modern server, so one that speaks both eras is asked in that way first. */
  readonly prefersModern?: () => boolean;
}

/** The shared channel, and how many others there are. */
export interface UpstreamStatus {
  /** `starting`: its process runs and has not finished its handshake. */
  readonly state: "idle" | "connecting" | "starting" | "ready" | "waiting" | "broken";
  readonly starting?: Starting;
  readonly era?: Era;
  readonly protocolVersion?: string;
  readonly serverInfo?: JsonObject;
  readonly pid?: number;
  readonly connectMs?: number;
  readonly callCount: number;
  readonly ownChannelCount: number;
  readonly failureCount: number;
  readonly retryInMs?: number;
  readonly lastError?: LastError;
}

export interface UpstreamServer extends ToolSource {
  status(): UpstreamStatus;
  /** The last lines that the process of the shared channel wrote to stderr; none where no process runs. */
  stderrTail(lineCount: number): readonly string[];
  /** Of one client where there are many; else of the one that there is. */
  readonly notify: (method: string, params: JsonObject, client?: ClientHandle) => void;
  /** The least important log messages that a client wants to hear; without one, that every client does. */
  setLogLevel(level: string, client?: ClientHandle): void;
}

export function createUpstreamServer(config: UpstreamConfig, deps: UpstreamDeps): UpstreamServer {
  return new Upstream(config, deps);
}

class Upstream implements UpstreamServer {
  readonly id: string;
  readonly #config: UpstreamConfig;
  readonly #deps: UpstreamDeps;
  readonly #common: CommonChannelDeps;
  readonly #shared: Channel;
  readonly #own: ChannelPool;
  readonly #levels = new LogLevels();
  readonly #changed = new Set<(what?: ListKind) => void>();
  readonly #notified = new Set<NotificationListener>();

  constructor(config: UpstreamConfig, deps: UpstreamDeps) {
    this.id = config.id;
    this.#config = config;
    this.#deps = deps;
    const clock = deps.clock ?? systemClock;
    this.#common = {
      clientInfo: deps.clientInfo,
      log: deps.log,
      clock,
      random: deps.random,
      openTransport: deps.openTransport ?? openTransport,
      redact: deps.redact ?? ((text) => text),
      mask: deps.mask,
      startWaitMs: deps.startWaitMs,
      health: createHealth(clock, deps.random),
      prefersModern: () => deps.prefersModern?.() === true,
    };
    this.#shared = this.#openShared();
    this.#own = new ChannelPool({
      server: config.id,
      clock,
      callTimeoutMs: config.callTimeoutMs,
      open: (owner, onIdle) => this.#openOwn(owner, onIdle),
    });
  }

  async list(context: CallContext): Promise<ToolResult<Offer>> {
    const offer = await this.#shared.list(context);
    return offer.success ? succeed(this.#deps.mask?.(offer.data) ?? offer.data) : offer;
  }

  readonly call = (name: string, args: JsonObject, context: CallContext): Promise<ToolResult<ToolAnswer>> =>
    this.request("tools/call", { name, arguments: args }, context) as Promise<ToolResult<ToolAnswer>>;

  readonly request = (
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> =>
    this.#hasManyClients
      ? this.#requestOfMany(method, params, context)
      : this.#shared.request(method, params, context);

  readonly notify = (method: string, params: JsonObject, client?: ClientHandle): void => {
    const channel = client === undefined || !this.#hasManyClients ? this.#shared : this.#own.of(client);
    channel?.notify(method, params);
  };

  readonly notified = (listener: NotificationListener): (() => void) => {
    this.#notified.add(listener);
    return () => this.#notified.delete(listener);
  };

  readonly describe = async (context: CallContext): Promise<ToolResult<SourceDescription>> => {
    const opened = await this.#shared.connect(context);
    if (!opened.success) return opened;
    const { era, capabilities: said, serverInfo, instructions } = opened.data.session;
    // Tasks of that era are others, and are not passed on to anyone.
    const capabilities = era === "legacy" ? withoutExtension(said, TASKS_EXTENSION) : said;
    return succeed({ capabilities, serverInfo, ...(instructions !== undefined && { instructions }) });
  };

  readonly starting = (): Starting | undefined => this.#shared.starting();

  readonly connection = (): object | undefined => this.#shared.connection;

  changed(listener: (what?: ListKind) => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  setLogLevel(level: string, client?: ClientHandle): void {
    const one = this.#hasManyClients ? client : undefined;
    this.#levels.set(level, one);
    if (one !== undefined) this.#own.of(one)?.setLogLevel(level);
    this.#shared.setLogLevel(this.#levels.lowest() ?? level);
  }

  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), this.#own.close()]);
  }

  status(): UpstreamStatus {
    const { breaker, lastError } = this.#common.health;
    const { session, process, connectMs } = this.#shared.connection ?? {};
    const retryInMs = breaker.waitMs();
    return {
      state: this.#state(),
      starting: this.#shared.starting(),
      callCount: this.#shared.calls.length,
      ownChannelCount: this.#own.count,
      failureCount: breaker.failureCount(),
      era: session?.era,
      protocolVersion: session?.protocolVersion,
      serverInfo: session?.serverInfo,
      pid: process?.pid,
      connectMs,
      retryInMs: retryInMs === 0 ? undefined : retryInMs,
      lastError,
    };
  }

  stderrTail(lineCount: number): readonly string[] {
    return this.#shared.stderrTail(lineCount);
  }

  #state(): UpstreamStatus["state"] {
    const { breaker } = this.#common.health;
    if (this.#shared.connection !== undefined) return "ready";
    if (this.#shared.starting() !== undefined) return "starting";
    if (this.#shared.isConnecting) return "connecting";
    if (breaker.isOpen()) return "broken";
    return breaker.waitMs() > 0 ? "waiting" : "idle";
  }

  get #hasManyClients(): boolean {
    return this.#deps.hasManyClients === true;
  }

  // ── which channel ─────────────────────────────────────────────────────────────────────────────────────────────────

  #requestOfMany(method: string, params: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>> {
    const owner = this.#ownerFor(method, context);
    if (owner === undefined) return this.#shared.request(method, params, context);
    return this.#requestOf(owner, method, params, context);
  }

  async #requestOf(
    found: Owner | Promise<ToolResult<Owner | undefined>>,
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> {
    const owner = found instanceof Promise ? await found : succeed(found);
    if (!owner.success) return owner;
    if (owner.data === undefined) return this.#shared.request(method, params, context);
    return this.#own.use(owner.data, context, (channel) => {
      if (context.modern?.logLevel !== undefined) channel.setLogLevel(context.modern.logLevel);
      return channel.request(method, params, context);
    });
  }

  /**
   * Who needs a channel of their own for this request; undefined if the shared one is enough. A promise only where the
   * server's era must be found out.
   */
  #ownerFor(
    method: string,
    context: CallContext,
  ): Owner | undefined | Promise<ToolResult<Owner | undefined>> {
    const { client, modern } = context;
    if (modern !== undefined) {
      const mayAsk = ASKING_METHODS.has(method) && isAskable(modern.capabilities);
      return mayAsk ? this.#ownerOfModern(modern.capabilities, context) : undefined;
    }
    if (client === undefined || !isAskable(client.capabilities)) return undefined;
    const isModern = this.#common.health.era === "modern" && this.#own.of(client) === undefined;
    return isModern ? undefined : { kind: "client", client };
  }

  async #ownerOfModern(
    capabilities: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<Owner | undefined>> {
    const era = await this.#findEra(context);
    if (!era.success) return era;
    return succeed(era.data === "modern" ? undefined : callOwner(askableOf(capabilities), context));
  }

  async #findEra(context: CallContext): Promise<ToolResult<Era>> {
    if (this.#common.health.era === "legacy") return succeed("legacy");
    const { connection } = this.#shared;
    if (connection !== undefined) return succeed(connection.session.era);
    const opened = await this.#shared.connect(context);
    return opened.success ? succeed(opened.data.session.era) : opened;
  }

  #openShared(): Channel {
    const { client, modernCapabilities } = this.#deps;
    return new Channel(this.#config, {
      ...this.#common,
      clientCapabilities: (context) => {
        if (this.#hasManyClients) return withOwnExtensions({});
        const asked = context.client ?? client?.();
        const declared = asked?.capabilities ?? context.modern?.capabilities ?? modernCapabilities?.();
        return withOwnExtensions(askableOf(declared));
      },
      findClient: (channel) =>
        this.#hasManyClients ? onlyCaller(channel) : newestCaller(channel, client?.()),
      onNotification: (channel, method, params) => this.#hearShared(channel, method, params),
      logLevel: (context) =>
        context === undefined ? this.#levels.lowest() : this.#levels.of(context.client),
      onIdle: (channel) => void channel.disconnect(),
    });
  }

  #openOwn(owner: Owner, onIdle: () => void): Channel {
    if (owner.kind === "client") {
      const { client } = owner;
      return new Channel(this.#config, {
        ...this.#common,
        clientCapabilities: () => withOwnExtensions(askableOf(client.capabilities)),
        findClient: () => client,
        onNotification: (_, method, params) => this.#hear(method, params, client),
        logLevel: () => this.#levels.of(client),
        onIdle,
      });
    }
    const channel = new Channel(this.#config, {
      ...this.#common,
      clientCapabilities: () => withOwnExtensions(owner.capabilities),
      findClient: onlyCaller,
      onNotification: (_, method, params) => this.#hearForCall(channel, method, params),
      logLevel: () => channel.calls[0]?.modern?.logLevel,
      onIdle,
    });
    return channel;
  }

  /**
   * A log message that comes while one call is under way belongs to that call; a modern caller gets it with the answer.
   * While several calls are under way its owner is unknown, and with many clients it must not reach the wrong one.
   */
  #hearShared(channel: Channel, method: string, params: JsonObject): void {
    const [caller, ...others] = channel.calls;
    if (method !== LOG_MESSAGE || caller === undefined) return this.#hear(method, params);
    const isTold = others.length === 0 && caller.modern?.logLevel !== undefined;
    if (isTold && caller.onNotice !== undefined) return caller.onNotice(method, params);
    if (!this.#hasManyClients) return this.#hear(method, params);
    const { client, modern } = caller;
    const isOfOne = modern === undefined && others.every((other) => other.client === client);
    if (isOfOne && client !== undefined) this.#hear(method, params, client);
  }

  /**
   * On the channel of a call: between two calls it concerns no client, and log messages go only to a caller that asked
   * for them.
   */
  #hearForCall(channel: Channel, method: string, params: JsonObject): void {
    const [caller] = channel.calls;
    const isWanted = method !== LOG_MESSAGE || caller?.modern?.logLevel !== undefined;
    if (LIST_CHANGED.test(method)) this.#hear(method, params);
    else if (caller?.client !== undefined && isWanted) this.#hear(method, params, caller.client);
  }

  #hear(method: string, params: JsonObject, client?: ClientHandle): void {
    const what = LIST_CHANGED.exec(method)?.[1];
    if (what !== undefined) for (const listener of this.#changed) listener(what as ListKind);
    else for (const listener of this.#notified) listener(method, params, client);
  }
}
