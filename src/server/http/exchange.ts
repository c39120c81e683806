/**
 * One request and the answer on its way. An answer that comes soon and alone is plain JSON. When something comes before it
 * (progress, a question), or it takes long, the response becomes a stream of events that ends with the answer.
 */
import type { ServerResponse } from "node:http";
import type { MessageId } from "../message.ts";
import { STREAM_AFTER_MS } from "./limits.ts";
import { replyBytes, replyEmpty, replyText } from "./reply.ts";

/** Where events go once the response is a stream. */
export interface EventSink {
  send(message: unknown): void;
  end(): void;
}

export interface ExchangeParts {
  readonly response: ServerResponse;
  /** Whether the client can read a stream; without it, only the answer reaches it. */
  readonly canStream: boolean;
  /** Of an answer that is plain JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly openSink: () => EventSink;
  /** Sees the answer before it goes out. */
  readonly answered?: (answer: Answer) => void;
}

/** A JSON-RPC message with one of the two. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #timer: NodeJS.Timeout | undefined;
  #sink: EventSink | undefined;
  #isAnswered = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    if (parts.canStream) this.#timer = setTimeout(() => this.#stream(), STREAM_AFTER_MS);
  }

  get canStream(): boolean {
    return this.#parts.canStream && !this.#isAnswered;
  }

  /** Something that comes before the answer. */
  send(message: unknown): void {
    if (this.canStream) this.#stream().send(message);
  }

  answer(message: Answer, status = 200): void {
    if (!this.#end()) return;
    this.#parts.answered?.(message);
    if (this.#sink === undefined) {
      const { response, headers } = this.#parts;
      return replyText(response, status, JSON.stringify(message), headers);
    }
    this.#sink.send(message);
    this.#sink.end();
  }

  /** A result of one key whose value is JSON already. */
  answerBytes(id: MessageId, key: string, value: Buffer): void {
    if (this.#sink !== undefined) {
      const result = { [key]: JSON.parse(value.toString()) as unknown };
      return this.answer({ jsonrpc: "2.0", id, result });
    }
    if (!this.#end()) return;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${JSON.stringify(key)}:`;
    const { response, headers } = this.#parts;
    replyBytes(response, 200, Buffer.concat([Buffer.from(head), value, Buffer.from("}}")]), headers);
  }

  /** There will be no answer: the client has cancelled the request, or the session has ended. */
  abandon(): void {
    if (!this.#end()) return;
    if (this.#sink === undefined) replyEmpty(this.#parts.response, 202);
    else this.#sink.end();
  }

  #end(): boolean {
    if (this.#isAnswered) return false;
    this.#isAnswered = true;
    clearTimeout(this.#timer);
    return true;
  }

  #stream(): EventSink {
    clearTimeout(this.#timer);
    return (this.#sink ??= this.#parts.openSink());
  }
}
