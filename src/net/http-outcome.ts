/** What one HTTP request came to, as a value: an answer that is cut at a limit, or why there is none. */
import type { IncomingMessage } from "node:http";

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: Buffer;
}

export interface HttpAnswer {
  readonly kind: "answer";
  readonly status: number;
  /** By lower-case name; of several under one name, joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /** As it came: what is compressed stays compressed. */
  readonly body: Buffer;
  readonly truncated: boolean;
}

/** An answer that has begun; reading it is the caller's. */
export interface OpenedAnswer {
  readonly kind: "opened";
  readonly message: IncomingMessage;
}

export type HttpOutcome = HttpAnswer | Unanswered;

/** `sent`: whether the other side may have seen the request. */
export type Unanswered =
  | { readonly kind: "refused" }
  | { readonly kind: "aborted"; readonly sent: boolean }
  | { readonly kind: "broken"; readonly sent: boolean; readonly code: string };

/** The answer, no more of its body than the limit. */
export async function readAnswer(message: IncomingMessage, bytesMax: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop ends the connection: the rest is not read.
    if (bytes > bytesMax) break;
  }
  return {
    kind: "answer",
    status: message.statusCode ?? 0,
    headers: joinHeaders(message.rawHeaders),
    body: Buffer.concat(chunks).subarray(0, bytesMax),
    truncated: bytes > bytesMax,
  };
}

function joinHeaders(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? raw[i + 1]! : `${before}, ${raw[i + 1]!}`);
  }
  return headers;
}

/** The code of a failure, such as ECONNREFUSED. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "unknown error";
}
