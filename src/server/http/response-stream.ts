/**
 * One request and the answer on its way. An answer that comes soon and alone is plain JSON. When something comes
 * before it (progress, a question), or it takes long, the response becomes a stream of events that ends with the
 * answer.
 *
 * Whatever happens, the response gets one head and one end: the timer does nothing once the response has begun in
 * another way, and a response that cannot be written is closed.
 */
import type { ServerResponse } from "node:http";
import type { Log } from "../../core/log.ts";
import { encodeAnswer, type Answer } from "../answer.ts";
import type { MessageId } from "../message.ts";
import { STREAM_AFTER_MS } from "./limits.ts";
import { replyBytes, replyEmpty, replyText } from "./reply.ts";

/** Where events go once the response is a stream; each is one message as JSON. */
export interface EventSink {
  send(data: string): void;
  end(): void;
}

export interface ResponseStreamDeps {
  readonly response: ServerResponse;
  /** Whether the client can read a stream; without it, only the answer reaches it. */
  readonly canStream: boolean;
  /** Of an answer that is plain JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly openSink: () => EventSink;
  /** Sees the answer before it goes out. */
  readonly answered?: (answer: Answer) => void;
  readonly log: Log;
}

export class ResponseStream {
  /** Those without an answer yet, of all clients. */
  static openCount = 0;
  readonly #deps: ResponseStreamDeps;
  readonly #timer: NodeJS.Timeout | undefined;
  #sink: EventSink | undefined;
  #isAnswered = false;

  constructor(deps: ResponseStreamDeps) {
    this.#deps = deps;
    ResponseStream.openCount++;
    if (deps.canStream) this.#timer = setTimeout(() => this.#write(() => this.#stream()), STREAM_AFTER_MS);
  }

  get canStream(): boolean {
    return this.#deps.canStream && !this.#isAnswered;
  }

  /** Something that comes before the answer. It throws when JSON cannot carry the message. */
  send(message: unknown): void {
    if (!this.canStream) return;
    const data = JSON.stringify(message);
    this.#write(() => this.#stream()?.send(data));
  }

  answer(message: Answer, status = 200): void {
    if (!this.#end()) return;
    const { response, headers, answered, log } = this.#deps;
    const { answer, text } = encodeAnswer(message, log);
    answered?.(answer);
    this.#write(() => {
      if (this.#sink === undefined) return replyText(response, status, text, headers);
      this.#sink.send(text);
      this.#sink.end();
    });
  }

  /** A result that is JSON already. */
  answerBytes(id: MessageId, result: Buffer): void {
    if (!this.#end()) return;
    const { response, headers } = this.#deps;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    const body = Buffer.concat([Buffer.from(head), result, Buffer.from("}")]);
    this.#write(() => {
      if (this.#sink === undefined) return replyBytes(response, 200, body, headers);
      this.#sink.send(body.toString());
      this.#sink.end();
    });
  }

  /** There will be no answer: the client has cancelled the request. */
  abandon(): void {
    if (!this.#end()) return;
    this.#write(() => {
      if (this.#sink === undefined) replyEmpty(this.#deps.response, 202);
      else this.#sink.end();
    });
  }

  #end(): boolean {
    if (this.#isAnswered) return false;
    this.#isAnswered = true;
    ResponseStream.openCount--;
    clearTimeout(this.#timer);
    return true;
  }

  /** Undefined when the response has begun without us: a second head would throw. */
  #stream(): EventSink | undefined {
    clearTimeout(this.#timer);
    if (this.#sink === undefined && !this.#deps.response.headersSent) this.#sink = this.#deps.openSink();
    return this.#sink;
  }

  /** A response that cannot be written any more is closed, which is all that its client can still be told. */
  #write(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#deps.log.error("http.response.failed", { error });
      this.#deps.response.destroy();
    }
  }
}
