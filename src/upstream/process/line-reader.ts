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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;

/** Ids that we hand out are small numbers; a longer text is not one of them. */
const TOKEN_BYTES_MAX = 64;

/**
 * Reads a JSON-RPC message that is too large to be kept, only to learn whose answer it is: the `id` of its outermost
 * object, wherever it stands, and whether it is an answer at all. It takes the bytes as they come and keeps no more of
 * them than one short value.
 */
class IdScanner {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Between a colon and the next comma of the outermost object. */
  #isValue = false;
  #key = "";
  /** The bytes of the current key or value at depth 1, as far as they are of interest. */
  #token = "";
  #id: string | undefined;
  #hasMethod = false;

  push(bytes: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.#depth > 1) at = this.#skipNested(bytes, at, to);
      else this.#take(bytes[at++]!);
    }
  }

  /** The id of the answer that was read; undefined where it has none, or is a request or notification. */
  answeredId(): string | number | undefined {
    if (this.#hasMethod || this.#id === undefined) return undefined;
    try {
      const id: unknown = JSON.parse(this.#id);
      return typeof id === "string" || typeof id === "number" ? id : undefined;
    } catch {
      return undefined;
    }
  }

  /** Nearly all of a large message is here, so this keeps its state in local variables. Returns where it came to. */
  #skipNested(bytes: Buffer, from: number, to: number): number {
    let depth = this.#depth;
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    let at = from;
    for (; at < to && depth > 1; at++) {
      const byte = bytes[at]!;
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    }
    this.#depth = depth;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
    return at;
  }

  #take(byte: number): void {
    if (this.#isInText) return this.#takeText(byte);
    if (byte === QUOTE) {
      this.#isInText = true;
      this.#keep(byte);
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (this.#depth-- === 1) this.#endMember();
    } else if (this.#depth !== 1) return;
    else if (byte === COLON && !this.#isValue) this.#beginValue();
    else if (byte === COMMA) this.#endMember();
    else if (byte > SPACE) this.#keep(byte);
  }

  #takeText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
    this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length < TOKEN_BYTES_MAX) this.#token += String.fromCharCode(byte);
  }

  #beginValue(): void {
    this.#key = this.#token;
    this.#token = "";
    this.#isValue = true;
  }

  #endMember(): void {
    if (this.#key === '"id"') this.#id = this.#token;
    if (this.#key === '"method"') this.#hasMethod = true;
    this.#key = "";
    this.#token = "";
    this.#isValue = false;
  }
}
