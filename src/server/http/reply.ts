/** Answers over HTTP that are no stream. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ToolError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { failureOf } from "../answer.ts";
import { type MessageId } from "../message.ts";
import { REQUEST_FAILED } from "../../core/rpc-codes.ts";
import { UNREAD_MS } from "./limits.ts";

export interface HttpError {
  readonly status: number;
  /** Of JSON-RPC. */
  readonly code?: number;
  readonly message: string;
  readonly id?: MessageId | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const SMALL_BYTES = 16 * 1024;

export function replyJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  replyText(response, status, JSON.stringify(body), headers);
}

/** Node joins a body that is text to the header lines: one piece of memory, one write. */
export function replyText(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (startReply(response, status, Buffer.byteLength(body), headers)) response.end(body);
}

/** For what is large and bytes already. */
export function replyBytes(
  response: ServerResponse,
  status: number,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (startReply(response, status, body.length, headers)) response.end(body);
}

function startReply(
  response: ServerResponse,
  status: number,
  byteCount: number,
  headers: Readonly<Record<string, string>>,
): boolean {
  if (response.headersSent || response.destroyed) return false;
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": byteCount,
    "Cache-Control": "no-store",
    ...headers,
  });
  // Small answers fit into the buffers of the system; node sets its own limit again when all has gone out.
  if (byteCount > SMALL_BYTES) response.setTimeout(UNREAD_MS);
  return true;
}

export function replyEmpty(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "Content-Length": 0, ...headers });
  response.end();
}

/** A request that goes no further, in the words of JSON-RPC. */
export function replyError(response: ServerResponse, error: HttpError): void {
  const { status, code = REQUEST_FAILED, message, id, headers } = error;
  // Without an id where none is known: a modern client takes null for a mistake.
  const body = { jsonrpc: "2.0", ...(id != null && { id }), error: { code, message } };
  replyJson(response, status, body, headers);
}

/** A request of the API that goes no further: an error as its other answers have it. */
export function replyToolError(
  response: ServerResponse,
  status: number,
  error: ToolError,
  headers: Readonly<Record<string, string>> = {},
): void {
  replyJson(response, status, { error }, headers);
}

/** Ends a request that failed inside: with an error under its id, or, where the response has begun, by closing it. */
export function replyFailure(
  { response, requestId }: { readonly response: ServerResponse; readonly requestId?: MessageId },
  cause: unknown,
  log: Log,
): void {
  const error = failureOf(cause, log);
  if (!response.headersSent) {
    return replyJson(response, 500, {
      jsonrpc: "2.0",
      ...(requestId !== undefined && { id: requestId }),
      error,
    });
  }
  if (!response.writableEnded) response.destroy();
}

/** How long a client that is still sending has to read why its request is not read any more. */
const LINGER_MS = 1_000;

/** Refuses a request that may never end: it is answered, and then the connection is closed under it. */
export function refuseAndClose(request: IncomingMessage, response: ServerResponse, error: HttpError): void {
  replyError(response, { ...error, headers: { ...error.headers, Connection: "close" } });
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
  request.socket.once("close", () => clearTimeout(timer));
}
