/**
 * Writes messages to a server's stdin, and holds a bounded amount for one that reads slowly.
 *
 * A message that is alone is written at once. Where others are under way, those of one turn of the event loop are written
 * together: each write wakes the server, which costs more than all the rest of a call.
 *
 * A message is serialised once, when there is room for it. Up to the limit the stream queues it and `send` is done;
 * beyond, `send` waits with the message as it is, in order, and gives up after a time. So the queue is at most the
 * limit and one message, and a sender that waits for its `send` is slowed down to the pace of the server.
 */
import type { Writable } from "node:stream";
import type { JsonRpcMessage } from "../transport/transport.ts";
import { ProcessError } from "./process-error.ts";

export interface OutboxLimits {
  readonly queueBytesMax: number;
  readonly sendTimeoutMs: number;
}

interface WaitingSend {
  readonly message: JsonRpcMessage;
  /** Resolves the send, or rejects it with the error. */
  settle(error?: unknown): void;
}

/** What every send that found room returns. */
const SENT = Promise.resolve();

export class Outbox {
  readonly #stdin: Writable;
  readonly #limits: OutboxLimits;
  /** In the order of sending. */
  readonly #waiting = new Set<WaitingSend>();
  /** Lines that are written at the end of this turn. */
  #together = "";
  #closedBy: ProcessError | undefined;

  constructor(stdin: Writable, limits: OutboxLimits) {
    this.#stdin = stdin;
    this.#limits = limits;
    stdin.on("drain", () => this.#admit());
  }

  /** `together`: it may be written at the end of this turn of the event loop. */
  send(message: JsonRpcMessage, signal?: AbortSignal, together = false): Promise<void> {
    if (this.#closedBy !== undefined) return Promise.reject(this.#closedBy);
    if (this.#waiting.size > 0 || !this.#hasRoom()) return this.#wait(message, signal);
    try {
      const line = lineOf(message);
      if (together) this.#writeTogether(line);
      else this.#write(line);
      return SENT;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * From now on every send is refused with this error, also those that wait. A later reason is the more precise one.
   */
  close(error: ProcessError): void {
    this.#closedBy = error;
    if (this.#stdin.writable) this.#write("");
    for (const waiting of this.#waiting) waiting.settle(error);
  }

  /** Being full implies that the stream will say when it has drained, or that lines are written at the end of this turn. */
  #hasRoom(): boolean {
    const { writableNeedDrain, writableLength } = this.#stdin;
    // Characters, of which each is a byte or more: what is held back is one turn's.
    const length = writableLength + this.#together.length;
    return (!writableNeedDrain && this.#together === "") || length < this.#limits.queueBytesMax;
  }

  #writeTogether(line: string): void {
    if (this.#together === "")
      setImmediate(() => {
        this.#write("");
        this.#admit();
      });
    this.#together += line;
  }

  /**
   * In the order of sending. A string goes into an idle pipe without a copy; what has to queue is bytes, so that the limit counts
   * bytes.
   */
  #write(line: string): void {
    const lines = this.#together + line;
    this.#together = "";
    if (lines !== "") this.#stdin.write(this.#stdin.writableLength === 0 ? lines : Buffer.from(lines));
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom()) return;
      try {
        this.#write(lineOf(waiting.message));
        waiting.settle();
      } catch (error) {
        waiting.settle(error);
      }
    }
  }

  #wait(message: JsonRpcMessage, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(abortedSend(signal));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => waiting.settle(abortedSend(signal!));
    const timer = setTimeout(() => waiting.settle(this.#blocked()), this.#limits.sendTimeoutMs);
    const waiting: WaitingSend = {
      message,
      settle: (error) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.#waiting.delete(waiting);
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    signal?.addEventListener("abort", abort);
    this.#waiting.add(waiting);
    return promise;
  }

  #blocked(): ProcessError {
    const { queueBytesMax, sendTimeoutMs } = this.#limits;
    return new ProcessError(
      "PROCESS_BLOCKED",
      `The server does not read its stdin: ${queueBytesMax} bytes wait for it, which is the limit, and there was no room within ${sendTimeoutMs} ms.`,
    );
  }
}

function lineOf(message: JsonRpcMessage): string {
  return `${JSON.stringify(message)}\n`;
}

function abortedSend(signal: AbortSignal): ProcessError {
  return new ProcessError(
    "PROCESS_SEND_ABORTED",
    "The message was withdrawn before it was sent.",
    signal.reason,
  );
}
