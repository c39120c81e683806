/**
 * MCP over a pair of byte streams, one JSON-RPC message on each line.
 *
 * Nothing that arrives can end the connection: a line that is too long, not UTF-8, not JSON or not JSON-RPC is
 * answered with the error that JSON-RPC has for it, and the next line is read as usual. When the input ends, requests
 * under way get a moment to be answered before the connection closes, so that `printf … | repertoire serve` works.
 *
 * Each request gets one answer: one that fails on its way in, or whose answer JSON cannot carry, is answered with an
 * error, and so is one that the end of the connection would leave without an answer.
 */
import type { Readable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { silentLog, type Log } from "../../core/log.ts";
import { LineFramer } from "../../process/lines.ts";
import type { Output } from "../../process/stdout.ts";
import { encodeAnswer, failureAnswer } from "../answer.ts";
import { readMessage, refuseUnreadable, type MessageId } from "../message.ts";
import { INVALID_REQUEST, REQUEST_FAILED } from "../../core/rpc-codes.ts";

/** No message of a real client comes near it; a larger one is a mistake or an attack. */
export const LINE_BYTES_MAX = 8 * 1024 * 1024;
/** How long requests under way are waited for once the input has ended. */
export const GRACE_MS = 1_000;

/** Some shells put it before the first line. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Ends in order what is under way for a client that has gone. */
  leaving?: () => Promise<void>;
  /** Sees each message first; what it takes goes no further. */
  intercept?: (message: JSONRPCMessage) => boolean;

  readonly #input: Readable;
  readonly #output: Output;
  readonly #log: Log;
  /** Requests whose answer is not in the pipe yet, and whether it is on its way there. */
  readonly #pending = new Map<MessageId, "open" | "answered">();
  readonly #lines = new LineFramer(LINE_BYTES_MAX, {
    line: (bytes, from, to) => this.#receive(bytes.subarray(from, to)),
    excess: () => this.#refuseExcess(),
    excessEnd: () => (this.#isSkipping = false),
  });
  readonly #read = (chunk: Buffer): void => this.#lines.push(chunk);
  #isSkipping = false;
  #closed = false;
  #isLost = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(input: Readable, output: Output, log: Log = silentLog) {
    this.#input = input;
    this.#output = output;
    this.#log = log;
  }

  /** Requests without an answer yet. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#read);
    this.#input.once("end", this.#end);
    this.#input.once("close", this.#end);
    this.#input.once("error", this.#end);
    this.#output.once("error", this.#lose);
  }

  /** Resolves when the message is in the pipe, so that a client that does not read slows its own requests down. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error("The connection is closed.");
    if ("method" in message) return this.#write(JSON.stringify(message));
    const { id } = message;
    this.#markAnswered(id);
    try {
      await this.#write(encodeAnswer(message, this.#log).text);
    } finally {
      this.#settle(id);
    }
  }

  /** Answers a request with a result that is JSON in UTF-8 already; it is not copied. */
  async sendResultBytes(id: MessageId, result: Buffer): Promise<void> {
    if (this.#closed) throw new Error("The connection is closed.");
    this.#markAnswered(id);
    // Three writes in one turn: nothing comes between them.
    const written = [
      this.#writePart(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`),
      this.#writePart(result),
      this.#writePart("}\n"),
    ];
    try {
      await Promise.all(written);
    } finally {
      this.#settle(id);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#isLost) this.#answerRest();
    this.#input.off("data", this.#read);
    this.#input.pause();
    this.onclose?.();
  }

  /** Waits until every request has its answer, at most for the grace time. */
  async drain(graceMs: number = GRACE_MS): Promise<void> {
    if (this.#pending.size === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    const timer = setTimeout(this.#idle.resolve, graceMs);
    await this.#idle.promise;
    clearTimeout(timer);
  }

  readonly #end = (): void => {
    this.drain()
      .then(() => this.#leave())
      .then(() => this.drain())
      .then(() => this.close())
      .catch((error: unknown) => this.onerror?.(error as Error));
  };

  /** The client is gone; there is no one to answer. */
  readonly #lose = (): void => {
    this.#isLost = true;
    this.#leave()
      .then(() => this.close())
      .catch((error: unknown) => this.onerror?.(error as Error));
  };

  /** What is still under way ends in order before its signal is aborted with the connection. */
  async #leave(): Promise<void> {
    if (this.#pending.size > 0) await this.leaving?.();
  }

  /** Refuses a message over the limit once, before it has ended. */
  #refuseExcess(): void {
    if (this.#isSkipping) return;
    this.#isSkipping = true;
    this.#refuse(INVALID_REQUEST, `A message is longer than ${LINE_BYTES_MAX} bytes, which is the limit.`);
  }

  #receive(line: Buffer): void {
    const text = hasByteOrderMark(line) ? line.subarray(BYTE_ORDER_MARK.length) : line;
    if (isBlank(text)) return;
    const read = readMessage(text);
    if (read.kind === "refused") return this.#refuse(read.code, read.message, read.id);
    this.#track(read.message);
    try {
      if (this.intercept?.(read.message) === true) return;
      const refusal = refuseUnreadable(read.message);
      if (refusal === undefined) this.onmessage?.(read.message);
      else this.send(refusal).catch(this.#lose);
    } catch (error) {
      this.#fail(read.message, error);
    }
  }

  #fail(message: JSONRPCMessage, error: unknown): void {
    if (!("method" in message && "id" in message)) return this.onerror?.(error as Error);
    this.send(failureAnswer(message.id, error, this.#log)).catch(this.#lose);
  }

  /** Nothing is left open: what has no answer by now is answered here. */
  #answerRest(): void {
    const words = "The gateway has ended before this request was answered; it may have taken effect.";
    const error = { code: REQUEST_FAILED, message: words, data: { mayHaveHappened: true } };
    for (const [id, state] of this.#pending) {
      if (state === "answered") continue;
      this.#write(JSON.stringify({ jsonrpc: "2.0", id, error })).catch(() => {});
      this.#settle(id);
    }
  }

  #track(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    // A subscription is answered when it ends, and it ends with the connection.
    if ("id" in message && message.method !== "subscriptions/listen") this.#pending.set(message.id, "open");
    if (message.method === "notifications/cancelled") this.#settle(message.params?.["requestId"]);
  }

  #markAnswered(id: unknown): void {
    if (this.#pending.has(id as MessageId)) this.#pending.set(id as MessageId, "answered");
  }

  #settle(id: unknown): void {
    this.#pending.delete(id as MessageId);
    if (this.#pending.size === 0) this.#idle?.resolve();
  }

  #refuse(code: number, message: string, id: MessageId | null = null): void {
    this.#write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })).catch(this.#lose);
    this.onerror?.(new Error(message));
  }

  #write(message: string): Promise<void> {
    return this.#writePart(`${message}\n`);
  }

  #writePart(part: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(part, (error) => (error ? reject(error) : resolve()));
    });
  }
}

function hasByteOrderMark(line: Buffer): boolean {
  return line[0] === BYTE_ORDER_MARK[0] && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
}

/** A line with nothing but white space is no message. */
function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
