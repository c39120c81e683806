import type { IncomingMessage } from "node:http";
import { readMessage } from "../message.ts";
import { PARSE_ERROR } from "../../core/rpc-codes.ts";
import { BODY_BYTES_MAX } from "./limits.ts";
import type { HttpError } from "./reply.ts";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

export type ReadBody =
  | { readonly kind: "message"; readonly message: JSONRPCMessage; readonly byteCount: number }
  /** What was not read may never end. */
  | { readonly kind: "refused"; readonly error: HttpError; readonly isUnread: boolean }
  /** The client has gone before its request was whole. */
  | { readonly kind: "gone" };

const refused = (status: number, message: string, code?: number): ReadBody => ({
  kind: "refused",
  isUnread: true,
  error: { status, message, ...(code !== undefined && { code }) },
});

/** Reads the one message of a POST. Only what is declared as JSON is read: a form of another site cannot be that. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const { headers } = request;
  if (!isJson(headers["content-type"])) return refused(415, "The Content-Type must be application/json.");
  if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity") {
    return refused(415, "The body must not be compressed.");
  }
  if (Number(headers["content-length"] ?? 0) > BODY_BYTES_MAX) return tooLarge();
  const bytes = await readBytes(request);
  if (bytes === "too_large") return tooLarge();
  if (bytes === "gone") return { kind: "gone" };
  if (bytes.length === 0) return refused(400, "The request has no body.", PARSE_ERROR);
  const read = readMessage(bytes);
  if (read.kind === "message") return { ...read, byteCount: bytes.length };
  const { code, message, id } = read;
  return { kind: "refused", isUnread: false, error: { status: 400, code, message, id } };
}

function tooLarge(): ReadBody {
  return refused(413, `The body is larger than ${BODY_BYTES_MAX} bytes, which is the limit.`);
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(?:;|$)/i.test(contentType);
}

function readBytes(request: IncomingMessage): Promise<Buffer | "too_large" | "gone"> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let byteCount = 0;
    request.on("data", (part: Buffer) => {
      byteCount += part.length;
      if (byteCount <= BODY_BYTES_MAX) return void parts.push(part);
      request.pause();
      resolve("too_large");
    });
    request.once("end", () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    request.once("close", () => resolve("gone"));
    request.once("error", () => resolve("gone"));
  });
}
