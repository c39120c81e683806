/**
 * One request and its answer, without following anything. Never throws. Every exchange has a connection of its own: a
 * connection that is kept could have been checked under another policy.
 */
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { createLookup, isRefusedLiteral, RefusedAddress, type AddressGuard } from "./address-guard.ts";

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
  readonly body: Buffer;
  readonly truncated: boolean;
}

/** `sent`: whether the other side may have seen the request. */
export type Exchange =
  | HttpAnswer
  | { readonly kind: "refused" }
  | { readonly kind: "aborted"; readonly sent: boolean }
  | { readonly kind: "broken"; readonly sent: boolean; readonly code: string };

export interface ExchangeOptions {
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
  readonly bytesMax: number;
}

export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<Exchange> {
  if (isRefusedLiteral(request.url, options.guard)) return { kind: "refused" };
  if (options.signal.aborted) return { kind: "aborted", sent: false };
  const progress = { sent: false };
  try {
    const message = await send(request, options, progress);
    return await readAnswer(message, options.bytesMax);
  } catch (error) {
    if (error instanceof RefusedAddress) return { kind: "refused" };
    if (options.signal.aborted) return { kind: "aborted", sent: progress.sent };
    return { kind: "broken", sent: progress.sent, code: codeOf(error) };
  }
}

function send(
  { url, method, headers, body }: HttpRequest,
  { guard, signal }: ExchangeOptions,
  progress: { sent: boolean },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === "https:";
    const start = isSecure ? requestHttps : requestHttp;
    const length = body === undefined ? [] : [["content-length", String(body.length)] as const];
    const outgoing = start(url, {
      method,
      headers: Object.fromEntries([...headers, ...length]),
      agent: false,
      lookup: createLookup(guard),
      signal,
    });
    outgoing.once("socket", (socket: Socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => (progress.sent = true));
    });
    outgoing.once("response", resolve);
    outgoing.on("error", reject);
    // A server that switches to another protocol ends the connection without an answer and without an error.
    outgoing.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    outgoing.end(body);
  });
}

async function readAnswer(message: IncomingMessage, bytesMax: number): Promise<HttpAnswer> {
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

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "unknown error";
}
