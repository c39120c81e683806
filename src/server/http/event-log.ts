/**
 * The last events of a session, so that a client whose stream was cut gets what it missed. An event id says which
 * stream of the session the event belongs to and its place there; it means nothing in another session.
 */
import { KEPT_EVENT_BYTES_MAX, KEPT_EVENT_COUNT_MAX } from "./limits.ts";

export interface KeptEvent {
  readonly id: string;
  readonly stream: number;
  readonly place: number;
  readonly data: string;
}

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
  const parts = /^(\d{1,9})-(\d{1,9})$/.exec(id);
  return parts === null ? undefined : { stream: Number(parts[1]), place: Number(parts[2]) };
}
