import type { ServerResponse } from "node:http";
import { UNREAD_BYTES_MAX, KEPT_EVENT_BYTES_MAX, KEPT_EVENT_COUNT_MAX } from "./limits.ts";

/**
 * The events of one response, as server-sent events. A client that stops reading loses the stream, and no other
 * client notices.
 */
export class EventWriter {
  /** Of all clients. */
  static openCount = 0;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      // A proxy that gathers or packs the answer would hold events back.
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
      ...headers,
    });
    response.flushHeaders();
    countStream(response);
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** `data` is one line of JSON, or nothing for an event that only tells its id. */
  event(data: string, id?: string): void {
    const name = data === "" ? "" : "event: message\n";
    this.#write(`${name}${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`);
  }

  /** Keeps proxies from taking a silent stream for a dead one. */
  keepAlive(): void {
    this.#write(": keepalive\n\n");
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }

  onClose(listener: () => void): void {
    this.#response.once("close", listener);
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    if (this.#response.writableLength > UNREAD_BYTES_MAX) this.#response.destroy();
    else this.#response.write(text);
  }
}

/** Counts a response that is a stream of events, until it is closed. */
export function countStream(response: ServerResponse): void {
  EventWriter.openCount++;
  response.once("close", () => EventWriter.openCount--);
}

interface KeptEvent {
  readonly id: string;
  readonly stream: number;
  readonly place: number;
  readonly data: string;
}

/**
 * The last events of a session, so that a client whose stream was cut gets what it missed. An event id says which
 * stream of the session the event belongs to and its place there; it means nothing in another session.
 */
export class EventLog {
  readonly #events: KeptEvent[] = [];
  #bytes = 0;

  add(stream: number, place: number, data: string): string {
    const id = `${stream}-${place}`;
    this.#events.push({ id, stream, place, data });
    this.#bytes += data.length;
    while (this.#events.length > KEPT_EVENT_COUNT_MAX || this.#bytes > KEPT_EVENT_BYTES_MAX) {
      this.#bytes -= this.#events.shift()!.data.length;
    }
    return id;
  }

  /** What came after an event in its stream. */
  after(stream: number, place: number): readonly KeptEvent[] {
    return this.#events.filter((event) => event.stream === stream && event.place > place);
  }
}

/** Undefined for an id that no session has given. */
export function parseEventId(id: string): { readonly stream: number; readonly place: number } | undefined {
  const parts = /^(\d{1,15})-(\d{1,15})$/.exec(id);
  return parts === null ? undefined : { stream: Number(parts[1]), place: Number(parts[2]) };
}

/**
 * A stream of a session's events, which outlives the response that carries it: when that is cut, events are kept, and
 * the next response goes on where the client says it was.
 */
export class EventStream {
  readonly number: number;
  readonly #log: EventLog;
  #writer: EventWriter | undefined;
  #place: number;
  #hasEnded = false;

  /** The first event comes behind `place`. */
  constructor(number: number, log: EventLog, place = 0) {
    this.number = number;
    this.#log = log;
    this.#place = place;
  }

  get isConnected(): boolean {
    return this.#writer?.isOpen === true;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Goes on over this response, after the event that the client had last. `primes` tells the client an id before
   * anything has come, so that it can come back for the very first event too.
   */
  connect(writer: EventWriter, after?: number, primes = false): void {
    this.#writer?.end();
    this.#writer = writer;
    if (after === undefined && primes) writer.event("", `${this.number}-${this.#place}`);
    const missed = after === undefined ? [] : this.#log.after(this.number, after);
    for (const event of missed) writer.event(event.data, event.id);
    if (this.#hasEnded) writer.end();
  }

  /** One message as JSON. */
  send(data: string): void {
    const id = this.#log.add(this.number, ++this.#place, data);
    this.#writer?.event(data, id);
  }

  keepAlive(): void {
    this.#writer?.keepAlive();
  }

  /** Nothing more will come. */
  end(): void {
    this.#hasEnded = true;
    this.#writer?.end();
  }
}
