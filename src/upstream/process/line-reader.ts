/**
 * Reads what a server writes to stdout: messages, one JSON object on each line.
 *
 * Every tool call passes here: one search for the end of the line, one decoding, one `JSON.parse`.
 *
 * Nothing ends the reading: what is not a message is counted and skipped, and a line over the limit is skipped without
 * being kept, only its id is looked for. A line without an end is told to the receiver, which ends the connection.
 * Bytes that are not UTF-8 become U+FFFD: an answer with one broken character is better than none.
 */
import type { JsonRpcMessage } from "../transport/transport.ts";
import { LineFramer } from "../../process/lines.ts";
import { IdScanner } from "./id-scanner.ts";

const BRACE = 0x7b;
const SPACE = 0x20;
const TAB = 0x09;
const RETURN = 0x0d;

/**
 * Eight times a line of the largest size. A server that answers with a file of that size has made a mistake, and its
 * next line is worth reading; one that has still not ended its line then is not going to.
 */
const SKIPPED_RATIO = 8;

interface MessageReceiver {
  onmessage(message: JsonRpcMessage): void;
  /** A line longer than the limit has ended; called once for each, with the id of the answer that it was. */
  onoversize(id: string | number | undefined): void;
  /** A line has gone on for many times the limit; called once for each. */
  onendless(): void;
}

export class LineReader {
  /** Lines that are not a JSON-RPC message. */
  noiseCount = 0;
  /** Lines over the limit. */
  oversizeCount = 0;

  readonly #skippedBytesMax: number;
  readonly #receiver: MessageReceiver;
  readonly #lines: LineFramer;
  /** Reads the line that is being skipped. */
  #skipped: IdScanner | undefined;
  #skippedBytes = 0;

  constructor(lineBytesMax: number, receiver: MessageReceiver) {
    this.#skippedBytesMax = SKIPPED_RATIO * lineBytesMax;
    this.#receiver = receiver;
    this.#lines = new LineFramer(lineBytesMax, {
      line: (bytes, from, to) => this.#readLine(bytes, from, to),
      excess: (bytes, from, to) => this.#skip(bytes, from, to),
      excessEnd: () => this.#endSkipped(),
    });
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  #readLine(bytes: Buffer, from: number, to: number): void {
    const start = skipBlank(bytes, from, to);
    if (start === to) return;
    // Looking at one byte spares the price of a thrown error for every line of a log.
    const message = bytes[start] === BRACE ? parseMessage(bytes.toString("utf8", start, to)) : undefined;
    if (message === undefined) this.noiseCount += 1;
    else this.#receiver.onmessage(message);
  }

  #skip(bytes: Buffer, from: number, to: number): void {
    const before = this.#skippedBytes;
    this.#skippedBytes += to - from;
    this.#skipped ??= new IdScanner();
    if (before > this.#skippedBytesMax) return;
    this.#skipped.push(bytes, from, to);
    if (this.#skippedBytes > this.#skippedBytesMax) this.#receiver.onendless();
  }

  #endSkipped(): void {
    const scanner = this.#skipped;
    this.#skipped = undefined;
    this.#skippedBytes = 0;
    this.oversizeCount += 1;
    this.#receiver.onoversize(scanner?.answeredId());
  }
}

/** Steps over a byte order mark and leading blanks; JSON.parse itself allows a carriage return at the end. */
function skipBlank(bytes: Buffer, from: number, to: number): number {
  let at = hasByteOrderMark(bytes, from) ? Math.min(from + 3, to) : from;
  while (at < to && isBlank(bytes[at]!)) at += 1;
  return at;
}

function hasByteOrderMark(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === RETURN || byte === TAB;
}

function parseMessage(text: string): JsonRpcMessage | undefined {
  try {
    const value = JSON.parse(text) as { readonly jsonrpc?: unknown };
    return value.jsonrpc === "2.0" ? (value as JsonRpcMessage) : undefined;
  } catch {
    return undefined;
  }
}
