/**
 * One client of the legacy era: everything that it opened with `initialize`. It is a transport for the SDK's server;
 * the fast path of tool calls bypasses that server.
 *
 * Nothing that a client does to its connections ends a call: a response that is cut leaves the call running, and its
 * answer is kept for a while for the client to fetch. What ends a call is a cancellation, and the end of the session.
 */
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { Principal } from "../../core/principal.ts";
import { failureAnswer, type Answer } from "../answer.ts";
import { refuseUnreadable, type MessageId } from "../message.ts";
import { REQUEST_FAILED } from "../../core/rpc-codes.ts";
import { InFlight } from "../../timing/in-flight.ts";
import { EventWriter, EventLog, EventStream } from "./event-stream.ts";
import { ResponseStream } from "./response-stream.ts";
import { SESSION_REQUEST_COUNT_MAX } from "./limits.ts";
import { noteAnswer, type HttpCall } from "./http-call.ts";

/** Ended streams that a client may still come back for. */
const ENDED_STREAM_COUNT_MAX = 32;
/** The stream of what belongs to no request. */
const STANDING = 0;
/** Clients of earlier versions take an event without data for a broken message. */
const PRIMED_FROM = "2025-11-25";

export interface HttpSessionDeps {
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly log: Log;
  readonly now: () => number;
  /** It was another replica's, whose events are gone. */
  readonly isAdopted?: boolean;
}

export class HttpSession implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Sees each message first; what it takes goes no further. */
  intercept?: (message: JSONRPCMessage) => boolean;
  readonly sessionId: string;
  readonly principal: Principal | undefined;
  readonly #now: () => number;
  readonly #problems: Log;
  readonly #gone = new AbortController();
  readonly #log = new EventLog();
  readonly #responses = new InFlight<ResponseStream, MessageId>();
  readonly #streams = new Map<number, EventStream>();
  readonly #replays = new Map<MessageId, (answer: Answer) => void>();
  #lastStream: number;
  #protocolVersion = "";
  #usedAt: number;
  #openedBy: MessageId | undefined;

  constructor({ id, principal, log, now, isAdopted = false }: HttpSessionDeps) {
    this.sessionId = id;
    this.principal = principal;
    this.#problems = log;
    this.#now = now;
    this.#usedAt = now();
    // The numbers go on behind all that the client has seen: none of its ids means an event of ours.
    this.#lastStream = isAdopted ? Date.now() : STANDING;
    this.#streams.set(STANDING, new EventStream(STANDING, this.#log, this.#lastStream));
  }

  /** Aborted when the session has ended. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Whether something is under way that has no answer yet. */
  get hasRequests(): boolean {
    return this.#responses.size > 0;
  }

  /** How long it has not been used; 0 while a request or a stream is open. */
  get idleMs(): number {
    const isUsed = this.hasRequests || this.#streams.get(STANDING)!.isConnected;
    return isUsed ? 0 : this.#now() - this.#usedAt;
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  /** Why a request cannot be taken, if it cannot. */
  findProblem(id: MessageId): string | undefined {
    if (this.#responses.has(id)) return `A request with the id ${JSON.stringify(id)} is under way already.`;
    if (this.#responses.size >= SESSION_REQUEST_COUNT_MAX)
      return `More than ${SESSION_REQUEST_COUNT_MAX} requests of one session are under way at once.`;
    return undefined;
  }

  /** A request, with the response that its answer goes to. */
  request(id: MessageId, message: JSONRPCMessage, call: HttpCall, canStream: boolean): void {
    const { response } = call;
    const headers = { "Mcp-Session-Id": this.sessionId };
    const openSink = (): EventStream => this.#openStream(new EventWriter(response, headers));
    const answered = (answer: Answer): void => noteAnswer(call, answer);
    const log = this.#problems;
    this.#responses.set(id, new ResponseStream({ response, canStream, headers, openSink, answered, log }));
    try {
      this.receive(message);
    } catch (error) {
      this.#answer(id, failureAnswer(id, error, log));
    }
  }

  /** The request that opens the session: refused, it leaves no session behind. */
  open(id: MessageId, message: JSONRPCMessage, call: HttpCall): void {
    this.#openedBy = id;
    this.request(id, message, call, false);
  }

  /** A request that the client made at another replica, made again; its answer goes to nobody else. */
  async replay(method: string, params: JsonObject): Promise<Answer> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#replays.set(id, resolve);
    this.receive({ jsonrpc: "2.0", id, method, params });
    return promise;
  }

  /** A notification, or an answer to what we asked. */
  receive(message: JSONRPCMessage): void {
    this.#usedAt = this.#now();
    if ("method" in message && message.method === "initialize") this.#noteVersion(message.params);
    if (this.intercept?.(message) !== true) this.#pass(message);
    if ("method" in message && message.method === "notifications/cancelled")
      this.#abandon(message.params?.["requestId"] as MessageId);
  }

  #pass(message: JSONRPCMessage): void {
    const refusal = refuseUnreadable(message);
    if (refusal === undefined) this.onmessage?.(message);
    else this.#answer(refusal.id, refusal);
  }

  /** The stream of what belongs to no request, or one that was cut, from the event on that the client had last. */
  listen(response: ServerResponse, from?: { readonly stream: number; readonly place: number }): boolean {
    const stream = this.#streams.get(from?.stream ?? STANDING);
    if (stream === undefined) return false;
    this.#usedAt = this.#now();
    const writer = new EventWriter(response, { "Mcp-Session-Id": this.sessionId });
    writer.onClose(() => (this.#usedAt = this.#now()));
    stream.connect(writer, from?.place, this.#canPrime());
    return true;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ("method" in message) return this.#tell(message, options?.relatedRequestId);
    this.#answer(message.id as MessageId, message);
  }

  async sendResultBytes(id: MessageId, result: Buffer): Promise<void> {
    const response = this.#responses.get(id);
    this.#settle(id);
    response?.answerBytes(id, result);
  }

  keepAlive(): void {
    for (const stream of this.#streams.values()) stream.keepAlive();
  }

  async close(): Promise<void> {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    for (const id of [...this.#responses.ids(), ...this.#replays.keys()]) this.#answer(id, endedAnswer(id));
    for (const stream of this.#streams.values()) stream.end();
    this.onclose?.();
  }

  /** A question that belongs to no request goes with the newest one under way: the client is sure to listen there. */
  #tell(message: JSONRPCMessage, related: MessageId | undefined): void {
    const isQuestion = "id" in message;
    const response = related === undefined ? undefined : this.#responses.get(related);
    const carrier = response ?? (isQuestion ? this.#newestResponse() : undefined);
    if (carrier === undefined) this.#streams.get(STANDING)!.send(JSON.stringify(message));
    else carrier.send(message);
  }

  #newestResponse(): ResponseStream | undefined {
    return this.#responses.values().findLast(({ canStream }) => canStream);
  }

  #answer(id: MessageId, answer: Answer): void {
    this.#replays.get(id)?.(answer);
    this.#replays.delete(id);
    const response = this.#responses.get(id);
    this.#settle(id);
    response?.answer(answer);
    if (id !== this.#openedBy) return;
    // The id may be used again for another request.
    this.#openedBy = undefined;
    if (answer.error !== undefined) void this.close();
  }

  #abandon(id: MessageId): void {
    const response = this.#responses.get(id);
    this.#settle(id);
    response?.abandon();
  }

  #settle(id: MessageId): void {
    this.#responses.delete(id);
    this.#usedAt = this.#now();
  }

  #openStream(writer: EventWriter): EventStream {
    const stream = new EventStream(++this.#lastStream, this.#log);
    this.#streams.set(stream.number, stream);
    this.#forgetStreams();
    stream.connect(writer, undefined, this.#canPrime());
    return stream;
  }

  #forgetStreams(): void {
    const ended = [...this.#streams.values()].filter((stream) => stream.hasEnded);
    for (const stream of ended.slice(0, Math.max(0, ended.length - ENDED_STREAM_COUNT_MAX)))
      this.#streams.delete(stream.number);
  }

  #canPrime(): boolean {
    return this.#protocolVersion >= PRIMED_FROM;
  }

  #noteVersion(params: Record<string, unknown> | undefined): void {
    const version = params?.["protocolVersion"];
    if (typeof version === "string") this.#protocolVersion = version;
  }
}

/** For a request that the end of its session leaves without an answer. */
function endedAnswer(id: MessageId): Answer {
  const message =
    "The session has ended before this request was answered; it may have taken effect. Send initialize to open a new one.";
  return { jsonrpc: "2.0", id, error: { code: REQUEST_FAILED, message, data: { mayHaveHappened: true } } };
}
