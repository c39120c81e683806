import { cut } from "../text/cut.ts";
/** A line of a log is rarely longer; the tail is for a message, and a message has to stay readable. */
const LINE_CHARS_MAX = 1_000;
const NEWLINE = 0x0a;

/** The last bytes that a server wrote to stderr. However much it writes, the memory is the size of the ring. */
export class StderrRing {
  readonly #size: number;
  #ring: Buffer | undefined;
  #at = 0;
  #isFull = false;

  constructor(size: number) {
    this.#size = size;
  }

  push(chunk: Buffer): void {
    // Most servers never write to stderr, so there is no ring before the first byte.
    const ring = (this.#ring ??= Buffer.allocUnsafeSlow(this.#size));
    const from = Math.max(0, chunk.length - this.#size);
    const end = this.#at + chunk.copy(ring, this.#at, from);
    const wrapped = chunk.copy(ring, 0, from + (end - this.#at));
    this.#isFull ||= wrapped > 0 || end === this.#size;
    this.#at = wrapped > 0 ? wrapped : end % this.#size;
  }

  /**
   * The last lines, oldest first. Control characters are left in. `redact` sees the whole text: half a secret,
   * cut off by the length of a line or the number of lines, would not be known for one.
   */
  tail(lineCount: number, redact?: (text: string) => string): string[] {
    const bytes = this.#bytes();
    const text =
      redact === undefined
        ? bytes.toString("utf8", startOfTail(bytes, lineCount))
        : redact(this.#isFull ? withoutBeginning(bytes.toString()) : bytes.toString());
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines.slice(Math.max(0, lines.length - lineCount)).map(shorten);
  }

  #bytes(): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0);
    const newest = this.#ring.subarray(0, this.#at);
    return this.#isFull ? Buffer.concat([this.#ring.subarray(this.#at), newest]) : newest;
  }
}

/** The byte at which the last lines begin, so that only these are decoded. */
function startOfTail(bytes: Buffer, lineCount: number): number {
  let from = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let found = 0; found < lineCount; found += 1) {
    if (from <= 0) return 0;
    from = bytes.lastIndexOf(NEWLINE, from - 1);
  }
  return from + 1;
}

/** What a full ring begins with has lost its own beginning, and may be the rest of a secret. */
function withoutBeginning(text: string): string {
  const end = text.indexOf("\n");
  return text.slice(end === -1 || end > LINE_CHARS_MAX ? LINE_CHARS_MAX : end + 1);
}

function shorten(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return cut(text, LINE_CHARS_MAX);
}
