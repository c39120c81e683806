/**
 * One channel to a server: a connection that is made when it is needed, the calls on it, what the server is asked to
 * tell of, and the end when it is not used.
 *
 * - A lost connection fails the calls that were under way at once. None is sent again: it may have taken effect.
 * - What the server asks goes to the client that the owner of the channel names, if that client can be asked for it,
 *   and to no other (see `questions.ts`).
 */
import type { Clock } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Redactor } from "../../text/redaction.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, ClientHandle, Offer, ServerTask, Starting } from "../../core/tool.ts";
import { CallTimer } from "./call-timer.ts";
import { explainClosed, type Loss, type OpenConnection } from "./connect.ts";
import { Connection, type ConnectionDeps } from "./connection.ts";
import { Listening } from "./listening.ts";
import { listOffer } from "./listing.ts";
import type { AnswerToPeer, Peer, Reply, RequestOptions } from "./peer.ts";
import { throttleProgress, type Progress } from "./progress.ts";
import { Questions, type NoClient } from "./questions.ts";
import { failureOf } from "./reply.ts";
import { checkInput, giveInput, needsInput, requestOf } from "./request.ts";
import { beginsTask, taskRequestOf, TASK_NOT_WANTED } from "../tasks/begun-task.ts";
import { followTask } from "../tasks/followed-task.ts";
import type { UpstreamConfig } from "../upstream-config.ts";
import { METHOD_NOT_FOUND } from "../../core/rpc-codes.ts";
import { InFlight } from "../../timing/in-flight.ts";

const SUBSCRIPTION = /^resources\/(?:un)?subscribe$/;

/** What is the same for all channels to a server. */
export interface CommonChannelDeps extends Pick<
  ConnectionDeps,
  "clientInfo" | "log" | "openTransport" | "redact" | "health" | "prefersModern" | "startWaitMs"
> {
  readonly clock: Clock;
  readonly random?: (() => number) | undefined;
  /** Takes secrets out of what the server asks a client. */
  readonly mask?: Redactor["mask"] | undefined;
}

export interface ChannelDeps extends CommonChannelDeps {
  readonly clientCapabilities: ConnectionDeps["clientCapabilities"];
  /** Who answers what the server asks now, or why no client can. */
  readonly findClient: (channel: Channel) => ClientHandle | NoClient;
  readonly onNotification: (channel: Channel, method: string, params: JsonObject) => void;
  /** The least important log messages that are wanted: on the channel, or for one call of a modern server. */
  readonly logLevel: (context?: CallContext) => string | undefined;
  /** The channel was not used for as long as the config says. */
  readonly onIdle: (channel: Channel) => void;
}

export class Channel {
  readonly #config: UpstreamConfig;
  readonly #deps: ChannelDeps;
  readonly #connection: Connection;
  readonly #calls = new InFlight<CallContext>();
  readonly #strays = new Set<ClientHandle | undefined>();
  readonly #questions = new Questions();
  #listening: Listening | undefined;
  /** What was listened to on the connection before; the next one goes on with it. */
  #lost: Listening | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #unusedSince = 0;

  constructor(config: UpstreamConfig, deps: ChannelDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#connection = new Connection(config, {
      ...deps,
      onRequest: (method, params, signal) => this.#answer(method, params, signal),
      onNotification: (method, params) => deps.onNotification(this, method, params),
      onOpen: (connection) => {
        this.#strays.clear();
        this.#listening = new Listening(connection, deps.logLevel(), this.#lost);
      },
      onGone: () => {
        this.#lost = this.#listening ?? this.#lost;
        this.#listening = undefined;
      },
    });
  }

  get connection(): OpenConnection | undefined {
    return this.#connection.current;
  }

  get isConnecting(): boolean {
    return this.#connection.isConnecting;
  }

  starting(): Starting | undefined {
    return this.#connection.starting();
  }

  stderrTail(lineCount: number): readonly string[] {
    return this.#connection.stderrTail(lineCount);
  }

  /** The calls under way, the newest last. */
  get calls(): readonly CallContext[] {
    return this.#calls.values();
  }

  /**
   * Whose calls were given up on this connection without an answer: the server may still be at work on them, and ask.
   */
  get strays(): ReadonlySet<ClientHandle | undefined> {
    return this.#strays;
  }

  /** A call is under way, or a client is subscribed to a resource. */
  get isUsed(): boolean {
    return this.#calls.size > 0 || (this.#listening?.subscriptionCount ?? 0) > 0;
  }

  list(context: CallContext): Promise<ToolResult<Offer>> {
    return this.#with(context, async (connection) => {
      const { peer, session } = connection;
      const { callTimeoutMs: timeoutMs } = this.#config;
      const outcome = await listOffer(peer, session, { timeoutMs, signal: context.signal });
      if (outcome.kind === "offer") return succeed(outcome.offer);
      this.#judge(connection, outcome.reply);
      return failureOf(this.#config.id, "tools/list", outcome.reply, this.#deps.redact);
    });
  }

  request(method: string, params: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>> {
    return this.#with(context, (connection) => {
      if (SUBSCRIPTION.test(method)) return this.#subscribe(connection, method, params, context);
      const goesOn = context.modern?.serverState;
      const isOfAnother = goesOn !== undefined && goesOn.server !== this.#config.id;
      if (isOfAnother || (goesOn !== undefined && connection.session.era === "legacy"))
        return Promise.resolve(askedByAnother());
      return this.#exchange(connection, method, params, context);
    });
  }

  /** Opens the connection, if it is not open yet. */
  connect(context: CallContext): Promise<ToolResult<OpenConnection>> {
    return this.#with(context, async (connection) => succeed(connection));
  }

  notify(method: string, params: JsonObject): void {
    this.#connection.current?.peer.notify(method, params);
  }

  setLogLevel(level: string): void {
    this.#listening?.setLogLevel(level);
  }

  /** Gives the connection up until it is needed again. */
  disconnect(): Promise<void> {
    return this.#connection.disconnect();
  }

  /** For good; see `Connection.close` for a start that is under way. */
  async close(how?: { readonly finishStart: boolean }): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#connection.close(how);
  }

  // ── a call's way in and out ───────────────────────────────────────────────────────────────────────────────────────

  async #with<T>(
    context: CallContext,
    use: (connection: OpenConnection) => Promise<ToolResult<T>>,
  ): Promise<ToolResult<T>> {
    const call = this.#calls.add(context);
    try {
      const connection = this.#connection.current;
      if (connection !== undefined) return await use(connection);
      const opened = await this.#connection.open(context);
      return opened.success ? await use(opened.data) : opened;
    } finally {
      this.#calls.delete(call);
      this.#waitForIdle();
    }
  }

  async #exchange(
    connection: OpenConnection,
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> {
    const { peer, session } = connection;
    const { signal, onProgress, headers } = context;
    const leftMs = this.#runLeftMs(context);
    const timeoutMs = Math.min(this.#config.callTimeoutMs, leftMs);
    const runDeadline =
      leftMs < this.#config.callTimeoutMs ? describeRunDeadline(context, leftMs) : undefined;
    const endsByClosing = session.era === "modern";
    const options = { timeoutMs, signal, onProgress, headers, endsByClosing };
    const begun = context.taskRecord?.begun;
    if (begun !== undefined) return this.#follow(begun, {}, context);
    const sent = requestOf(params, session, context, this.#deps.logLevel);
    let reply = await this.#send(peer, method, sent, options);
    if (needsInput(reply)) {
      const again = (next: JsonObject) => this.#send(peer, method, next, options);
      reply = await giveInput(reply, sent, session, context, again, this.#deps.mask);
    }
    if (method === "tasks/get" && reply.kind === "result" && context.modern !== undefined)
      reply = await checkInput(reply, context.modern.capabilities);
    const task = beginsTask(method, reply) ? reply.result : undefined;
    if (task !== undefined && context.tasks !== "passed") return this.#takeTask(session, task, context);
    if (reply.kind === "closed") reply = await explainClosed(reply, connection, this.#config, this.#deps);
    // Two are enough to know that it is not clear whose a question is.
    if (isGivenUp(reply) && this.#strays.size < 2) this.#strays.add(context.client);
    this.#judge(connection, reply);
    if (reply.kind === "result") return succeed(reply.result);
    return failureOf(this.#config.id, method, reply, this.#deps.redact, runDeadline);
  }

  async #takeTask(
    { era }: OpenConnection["session"],
    begun: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> {
    const { id } = this.#config;
    if (era === "legacy" || context.tasks === "declined")
      return failureOf(id, "tools/call", TASK_NOT_WANTED, this.#deps.redact);
    const task = { server: id, taskId: begun["taskId"] as string };
    // Another owner has the run, and follows the task from its record.
    if ((await context.taskRecord?.note(task)) === false)
      return fail("CANCELLED", "The run had ended.", { mayHaveHappened: true });
    return this.#follow(task, begun, context);
  }

  /** The caller of a call that became a task sees one call with one result. */
  async #follow(task: ServerTask, begun: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>> {
    const { id, callTimeoutMs: timeoutMs } = this.#config;
    if (task.server !== id) return askedByAnother();
    const runLeftMs = this.#runLeftMs(context);
    const ask = (method: string, params: JsonObject, options: RequestOptions) =>
      this.#askOfTask(method, params, options, context);
    const { mask = (value) => value, redact, random = Math.random } = this.#deps;
    const progress = this.#progressTo(context.onProgress);
    const told = { ...context, onProgress: progress?.report };
    const end = await followTask(task, begun, { ask, context: told, timeoutMs, runLeftMs, mask, random });
    if (end.kind === "task_ended" || !isGivenUp(end)) progress?.end();
    else progress?.drop();
    if (end.kind === "task_ended") return { success: false, error: end.error };
    if (end.kind === "result") return succeed(end.result);
    const isRunOver = end.kind === "timeout" && end.timeoutMs === runLeftMs;
    const runDeadline = isRunOver ? describeRunDeadline(context, runLeftMs) : undefined;
    return failureOf(id, "tools/call", end, redact, runDeadline);
  }

  /** Over the connection that there is now: the one that the call was sent on may be lost. */
  async #askOfTask(
    method: string,
    params: JsonObject,
    options: RequestOptions,
    context: CallContext,
  ): Promise<Reply> {
    const { current } = this.#connection;
    const opened = current === undefined ? await this.#connection.open(context) : succeed(current);
    if (!opened.success) return { kind: "refused", error: opened.error };
    const { peer, session } = opened.data;
    const whole = taskRequestOf(params, session, context, this.#deps.logLevel);
    const reply = await peer.request(method, whole, { ...options, endsByClosing: session.era === "modern" });
    this.#judge(opened.data, reply);
    return reply;
  }

  /**
   * Who is to blame for a request that failed: the server, if nothing came back at all; the call alone, if something
   * did. A remote session that is gone says so only when it is used, and the next call opens a new one: whether that
   * succeeds is what counts.
   */
  #judge(connection: OpenConnection, reply: Reply): void {
    if (connection.process !== undefined) return;
    const isSessionLost = reply.kind === "unusable" && reply.endsSession === true;
    if (reply.kind !== "closed" && !isSessionLost) return;
    const reason = reply.kind === "closed" ? reply.reason : reply.problem;
    const loss: Loss = { reason, cause: "lost", stderr: [] };
    this.#connection.lose(connection, loss, !isSessionLost);
  }

  #progressTo(tell: CallContext["onProgress"]): Progress | undefined {
    const { clock, log } = this.#deps;
    const failed = (error: unknown): void =>
      log.warn("upstream.progress.failed", { server: this.#config.id, error });
    return tell && throttleProgress(tell, clock, failed);
  }

  /** What the server asks meanwhile may belong to this request. */
  #send(peer: Peer, method: string, params: JsonObject, options: RequestOptions): Promise<Reply> {
    const { onProgress, timeoutMs } = options;
    const progress = this.#progressTo(onProgress);
    const timer = new CallTimer(timeoutMs);
    const call = this.#questions.callBegan(timer);
    const onEnd = (reply: Reply): void => {
      this.#questions.callEnded(call, isGivenUp(reply));
      if (isGivenUp(reply)) progress?.drop();
      else progress?.end();
    };
    return peer.request(method, params, { ...options, timer, onEnd, onProgress: progress?.report });
  }

  /** A modern server has no such request: it is told by what it listens to. */
  async #subscribe(
    connection: OpenConnection,
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> {
    const uri = typeof params["uri"] === "string" ? params["uri"] : "";
    const { client } = context;
    const isEnd = method === "resources/unsubscribe";
    const isTold = connection.session.era === "modern";
    const isOfOthers = isEnd && this.#listening?.isWantedBesides(uri, client) === true;
    if (!isTold && !isOfOthers) {
      const result = await this.#exchange(connection, method, params, context);
      if (!result.success) return result;
    }
    if (isEnd) this.#listening?.unsubscribe(uri, client);
    else this.#listening?.subscribe(uri, client);
    return succeed({});
  }

  /** Of the run that makes the call; without one, there is no end to it. */
  #runLeftMs({ deadlineAt }: CallContext): number {
    if (deadlineAt === undefined) return Infinity;
    return Math.max(1, Math.ceil(deadlineAt - this.#deps.clock.elapsed()));
  }

  /**
   * One timer runs from the first pause on, and looks again when it ends: calls come far more often than an idle time
   * passes. It goes by the clock of the timers themselves.
   */
  #waitForIdle(): void {
    const { idleMs } = this.#config;
    if (idleMs === 0 || this.isUsed) return;
    this.#unusedSince = performance.now();
    if (this.#idleTimer === undefined) this.#lookIn(idleMs);
  }

  #lookIn(delayMs: number): void {
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      if (this.isUsed) return;
      const leftMs = this.#config.idleMs - (performance.now() - this.#unusedSince);
      if (leftMs > 0) this.#lookIn(leftMs);
      else this.#deps.onIdle(this);
    }, delayMs);
    this.#idleTimer.unref();
  }

  async #answer(method: string, params: JsonObject, signal: AbortSignal): Promise<AnswerToPeer> {
    const client = this.#deps.findClient(this);
    if ("noClient" in client) {
      return {
        error: {
          code: METHOD_NOT_FOUND,
          message: `there is no client to answer ${method}: ${client.noClient}`,
        },
      };
    }
    return this.#questions.ask(client, method, this.#deps.mask?.(params) ?? params, signal);
  }
}

/** The caller no longer waits for the answer, and the server may still be working on it. */
function isGivenUp(reply: Reply): boolean {
  return reply.kind === "cancelled" || reply.kind === "timeout";
}

/** The name leads to another server than the one that asked, or to one that keeps no state: the config has changed. */
function askedByAnother(): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", "The requestState belongs to a question of another server.", {
    field: "requestState",
    reason: "request_state_refused",
    hint: "Call again without requestState and inputResponses; look first whether the earlier call took effect.",
  });
}

/**
 * For a call that ends because the run that makes it has no time left, which is no fault of the server. `leftMs` is what was left
 * when the call was sent.
 */
function describeRunDeadline({ deadlineMs }: CallContext, leftMs: number): string {
  return `the time limit of the run, ${deadlineMs === undefined ? `of which ${leftMs} ms were left` : `${deadlineMs} ms`},`;
}
