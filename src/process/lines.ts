/**
 * Cuts a stream of bytes into lines.
 *
 * Every tool call passes here, so a line that lies whole in one chunk is handed on in place. Only a line that is cut by
 * the end of a chunk is copied, into a buffer that is kept for the next such line. A line over the limit is never kept:
 * its pieces are handed on as they come.
 */

import { expectLargeMessages, LARGE_MESSAGE_BYTES } from "./heap.ts";

const NEWLINE = 0x0a;
/** The buffer starts with the size of one read of a pipe. */
const KEPT_BYTES_MIN = 64 * 1024;
/** A buffer that grew larger for one line is given back after it. */
const KEPT_BYTES_IDLE_MAX = 1024 * 1024;

/** Bytes are handed on as a part of a buffer, which is the receiver's until it returns. */
export interface LineReceiver {
  /** A line without its end; it may be empty. */
  line(bytes: Buffer, from: number, to: number): void;
  /** The next piece of a line over the limit, from its first byte on. */
  excess(bytes: Buffer, from: number, to: number): void;
  /** The line over the limit has ended. */
  excessEnd?(): void;
}

export class LineFramer {
  readonly #lineBytesMax: number;
  readonly #receiver: LineReceiver;
  #kept: Buffer | undefined;
  #keptBytes = 0;
  #isSkipping = false;

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
    const isWhole = this.#keptBytes === 0 && !this.#isSkipping;
    if (isWhole && to - from <= this.#lineBytesMax) return this.#receiver.line(chunk, from, to);
    this.#keep(chunk, from, to);
    const bytes = this.#keptBytes;
    this.#keptBytes = 0;
    if (this.#isSkipping) {
      this.#isSkipping = false;
      this.#receiver.excessEnd?.();
    } else {
      if (bytes >= LARGE_MESSAGE_BYTES) expectLargeMessages();
      this.#receiver.line(this.#kept!, 0, bytes);
    }
    this.#giveBack();
  }

  /** Holds the part of a line until the rest of it comes, or begins to skip the line. */
  #keep(chunk: Buffer, from: number, to: number): void {
    if (this.#isSkipping) return this.#receiver.excess(chunk, from, to);
    const before = this.#keptBytes;
    const bytes = before + to - from;
    if (bytes <= this.#lineBytesMax) {
      chunk.copy(this.#room(bytes), before, from, to);
      this.#keptBytes = bytes;
      return;
    }
    this.#isSkipping = true;
    this.#keptBytes = 0;
    if (before > 0) this.#receiver.excess(this.#kept!, 0, before);
    this.#giveBack();
    this.#receiver.excess(chunk, from, to);
  }

  /** The buffer, at least so large. It doubles, so that a writer of single bytes costs no more than another. */
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
}
