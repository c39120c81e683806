/**
 * A stream of a session's events, which outlives the response that carries it: when that is cut, events are kept, and
 * the next response goes on where the client says it was.
 */
import type { EventLog } from "./event-log.ts";
import type { EventWriter } from "./event-writer.ts";

export class EventStream {
  readonly number: number;
  readonly #log: EventLog;
  #writer: EventWriter | undefined;
  #place = 0;
  #hasEnded = false;

  constructor(number: number, log: EventLog) {
    this.number = number;
    this.#log = log;
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
