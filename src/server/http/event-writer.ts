import type { ServerResponse } from "node:http";
import { UNREAD_BYTES_MAX } from "./limits.ts";

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
