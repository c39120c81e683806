/**
 * Reads a JSON-RPC message that is too large to be kept, only to learn whose answer it is: the `id` of its outermost
 * object, wherever it stands, and whether it is an answer at all. It takes the bytes as they come and keeps no more of
 * them than one short value.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;
const SPACE = 0x20;

/** Ids that we hand out are small numbers; a longer text is not one of them. */
const TOKEN_BYTES_MAX = 64;

export class IdScanner {
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
