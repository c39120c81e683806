/**
 * Cuts what a server writes to stdout into messages, one JSON object on each line.
 *
 * Every tool call passes here, so a chunk that is whole lines is read in place: one search, one decoding, one `JSON.parse`.
 * Only a line that is cut by the end of a chunk is copied, into a buffer that is kept for the next such line.
 *
 * Nothing ends the reading: what is not a message is counted and skipped, and a line over the limit is skipped without being
 * kept, only its id is looked for. A line without an end is told to the receiver, which ends the connection. Bytes that are not UTF-8 become U+FFFD: an answer with one broken character is better than none.
 */
import type { JsonRpcMessage } from "../transport/transport.ts";
import { IdScanner } from "./id-scanner.ts";

const NEWLINE = 0x0a;
const BRACE = 0x7b;
const SPACE = 0x20;
const TAB = 0x09;
const RETURN = 0x0d;
/** The buffer starts with the size of one read of a pipe. */
const KEPT_BYTES_MIN = 64 * 1024;
/** A buffer that grew larger for one message is given back after it. */
const KEPT_BYTES_IDLE_MAX = 1024 * 1024;

/**
 * Eight times a line of the largest size. A server that answers with a file of that size has made a mistake, and its next line is
 * worth reading; one that has still not ended its line then is not going to.
 */
const SKIPPED_RATIO = 8;

interface LineReceiver {
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

  readonly #lineBytesMax: number;
  readonly #receiver: LineReceiver;
  #kept: Buffer | undefined;
  #keptBytes = 0;
  /** Reads the line that is being skipped. */
  #skipped: IdScanner | undefined;
  #skippedBytes = 0;

  constructor(lineBytesMax: number, receiver: LineReceiver) {
    this.#lineBytesMax = lineBytesMax;
    this.#receiver = receiver;
  }

  push(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length) {
      const at = chunk.indexOf(NEWLINE, from);
      if (at === -1) return this.#keep(chunk, from, chunk.length);
      this.#endLine(chunk, from, at);
      from = at + 1;
    }
  }

  #endLine(chunk: Buffer, from: number, to: number): void {
    if (this.#keptBytes === 0 && this.#skipped === undefined) return this.#readLine(chunk, from, to);
    this.#keep(chunk, from, to);
    const bytes = this.#keptBytes;
    this.#keptBytes = 0;
    if (this.#skipped !== undefined) this.#endSkipped(this.#skipped);
    else this.#readLine(this.#kept!, 0, bytes);
    this.#giveBack();
  }

  /** Holds the part of a line until the rest of it comes, or begins to skip the line. */
  #keep(chunk: Buffer, from: number, to: number): void {
    if (this.#skipped !== undefined) return this.#skip(this.#skipped, chunk, from, to);
    const bytes = this.#keptBytes + to - from;
    if (bytes > this.#lineBytesMax) {
      this.#skipped = new IdScanner();
      if (this.#kept !== undefined) this.#skip(this.#skipped, this.#kept, 0, this.#keptBytes);
      this.#keptBytes = 0;
      this.#giveBack();
      return this.#skip(this.#skipped, chunk, from, to);
    }
    chunk.copy(this.#room(bytes), this.#keptBytes, from, to);
    this.#keptBytes = bytes;
  }

  #skip(scanner: IdScanner, bytes: Buffer, from: number, to: number): void {
    const bytesMax = SKIPPED_RATIO * this.#lineBytesMax;
    const before = this.#skippedBytes;
    this.#skippedBytes += to - from;
    if (before > bytesMax) return;
    scanner.push(bytes, from, to);
    if (this.#skippedBytes > bytesMax) this.#receiver.onendless();
  }

  #endSkipped(scanner: IdScanner): void {
    this.#skipped = undefined;
    this.#skippedBytes = 0;
    this.oversizeCount += 1;
    this.#receiver.onoversize(scanner.answeredId());
  }

  /** The buffer, at least so large. It doubles, so that a server that writes byte by byte costs no more than another. */
  #room(bytes: number): Buffer {
    if (this.#kept !== undefined && this.#kept.length >= bytes) return this.#kept;
    const larger = Buffer.allocUnsafeSlow(Math.max(KEPT_BYTES_MIN, bytes, (this.#kept?.length ?? 0) * 2));
    this.#kept?.copy(larger, 0, 0, this.#keptBytes);
    this.#kept = larger;
    return larger;
  }

  #giveBack(): void {
    if (this.#kept !== undefined && this.#kept.length > KEPT_BYTES_IDLE_MAX) this.#kept = undefined;
  }

  #readLine(bytes: Buffer, from: number, to: number): void {
    if (to - from > this.#lineBytesMax) {
      const scanner = new IdScanner();
      this.#skip(scanner, bytes, from, to);
      return this.#endSkipped(scanner);
    }
    const start = skipBlank(bytes, from, to);
    if (start === to) return;
    // Looking at one byte spares the price of a thrown error for every line of a log.
    const message = bytes[start] === BRACE ? parseMessage(bytes.toString("utf8", start, to)) : undefined;
    if (message === undefined) this.noiseCount += 1;
    else this.#receiver.onmessage(message);
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
