/**
 * JSON-RPC over a pair of pipes as language servers speak it: a header with the length, an empty line, the JSON.
 *
 * The other side works on hostile code, so what it says is bounded.
 */

/** Twenty complaints are shown; a message beyond this is a flood of them. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const HEADER_BYTES_MAX = 1024;
const HEADER_END = "\r\n\r\n";

export interface CompilerMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

export function writeMessage(message: CompilerMessage): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${HEADER_END}`), body]);
}

/** Takes chunks as they come and gives whole messages; throws on what is no message. */
export function createMessageReader(onMessage: (message: CompilerMessage) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  let needed = 0;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    // Chunks are joined only when a message may be whole, so that a long one is not copied again and again.
    while (held > 0 && held >= needed) {
      const bytes = Buffer.concat(chunks);
      const start = bodyStart(bytes);
      const end = start === undefined ? undefined : start + bodyLength(bytes, start);
      if (start === undefined || end === undefined || bytes.length < end) {
        chunks = [bytes];
        needed = end ?? held + 1;
        return;
      }
      const rest = bytes.subarray(end);
      chunks = [rest];
      held = rest.length;
      needed = 0;
      onMessage(JSON.parse(bytes.toString("utf8", start, end)) as CompilerMessage);
    }
  };
}

function bodyStart(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEADER_END);
  if (end >= 0) return end + HEADER_END.length;
  if (bytes.length > HEADER_BYTES_MAX) throw new Error("no header within its limit");
  return undefined;
}

function bodyLength(bytes: Buffer, start: number): number {
  const length = /content-length: *(\d+)/i.exec(bytes.toString("latin1", 0, start))?.[1];
  if (length === undefined) throw new Error("a header without a length");
  if (Number(length) > MESSAGE_BYTES_MAX) {
    throw new Error(`a message of ${length} bytes; the limit is ${MESSAGE_BYTES_MAX}`);
  }
  return Number(length);
}
