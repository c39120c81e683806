/** PostgreSQL's protocol as far as a proxy must know it: where a message ends, and what it asks. */

export interface Message {
  /** The byte of its type; those of the start of a connection have none. */
  readonly type: string;
  readonly bytes: Buffer;
}

export interface Splitter {
  /** The messages that are whole with these bytes. */
  push(chunk: Buffer): Message[];
}

const [SSL_REQUEST, GSS_REQUEST] = [80_877_103, 80_877_104];
/** A question before the start, whether the line may be encrypted. It is answered with one byte. */
export const IS_ENCRYPTED = "encrypted?";
const STARTUP = "startup";

export function splitFromClient(): Splitter {
  let isStarted = false;
  return createSplitter((rest) => {
    if (isStarted) return typedLength(rest);
    if (rest.length < 8) return undefined;
    const code = rest.readInt32BE(4);
    const isQuestion = code === SSL_REQUEST || code === GSS_REQUEST;
    isStarted = !isQuestion;
    return { type: isQuestion ? IS_ENCRYPTED : STARTUP, length: rest.readInt32BE(0) };
  });
}

export function splitFromServer(): Splitter & { expectByte(): void } {
  let expected = 0;
  const splitter = createSplitter((rest) => {
    if (expected === 0) return typedLength(rest);
    if (rest.length === 0) return undefined;
    expected--;
    return { type: IS_ENCRYPTED, length: 1 };
  });
  return { ...splitter, expectByte: () => void expected++ };
}

interface Head {
  readonly type: string;
  readonly length: number;
}

function typedLength(rest: Buffer): Head | undefined {
  if (rest.length < 5) return undefined;
  return { type: String.fromCharCode(rest[0]!), length: 1 + rest.readInt32BE(1) };
}

function createSplitter(headOf: (rest: Buffer) => Head | undefined): Splitter {
  let rest: Buffer = Buffer.alloc(0);
  let head: Head | undefined;
  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const messages: Message[] = [];
      for (;;) {
        head ??= headOf(rest);
        if (head === undefined || rest.length < head.length) return messages;
        messages.push({ type: head.type, bytes: rest.subarray(0, head.length) });
        rest = rest.subarray(head.length);
        head = undefined;
      }
    },
  };
}

/** Follows what a client asks: the text of a prepared statement comes once, later only its name. */
export function createStatementReader(): { sqlOf(message: Message): string | undefined } {
  const prepared = new Map<string, string>();
  return {
    sqlOf({ type, bytes }) {
      const [first, second] = textsOf(bytes.subarray(5), type === "Q" ? 1 : 2);
      if (type === "Q") return first;
      if (type === "P") prepared.set(first!, second!);
      if (type === "P") return second;
      return type === "B" ? prepared.get(second!) : undefined;
    },
  };
}

function textsOf(body: Buffer, count: number): string[] {
  const texts: string[] = [];
  for (let start = 0; texts.length < count;) {
    const end = body.indexOf(0, start);
    if (end === -1) return texts;
    texts.push(body.toString("utf8", start, end));
    start = end + 1;
  }
  return texts;
}
