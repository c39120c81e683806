/** An HTTP answer as that of a tool. */
import { DATA_LIMITS, isJsonObject, parseJson, type JsonObject } from "../../core/json.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { ToolAnswer } from "../../core/tool.ts";
import { busyFailure } from "../../net/retry-after.ts";
import { cut } from "../../text/cut.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { isJsonType } from "../media-type.ts";

/** Of what a server says about a failure: enough for its reason, and for a list of fields. */
const WORDS_LENGTH_MAX = 4_000;

export async function answerOf(response: Response, server: string): Promise<ToolResult<ToolAnswer>> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status === 429 || response.status === 503)
    return busyFailure(server, response, Date.now(), wordsOf(response, bytes));
  if (response.status >= 400) return succeed(failureOf(response, bytes, server));
  return succeed({ content: contentOf(response, bytes).blocks, ...structureOf(response, bytes) });
}

/** The API's own failure, in its own words. */
function failureOf(response: Response, bytes: Buffer, server: string): ToolAnswer {
  const { status, statusText } = response;
  const head = `HTTP ${status}${statusText === "" ? "" : ` ${escapeUnprintable(cut(statusText, 100))}`}`;
  const said = wordsOf(response, bytes);
  const hint =
    status === 401
      ? `\nThe API did not accept the login. The user sets it as "auth" of the server ${server} in the config.`
      : "";
  return {
    content: [{ type: "text", text: `${head}${said === "" ? "" : `: ${said}`}${hint}` }],
    isError: true,
  };
}

function wordsOf(response: Response, bytes: Buffer): string {
  const { kind, text } = contentOf(response, bytes);
  return kind === "bytes" ? "" : cut(text.trim(), WORDS_LENGTH_MAX);
}

interface Content {
  readonly kind: "text" | "bytes";
  readonly text: string;
  readonly blocks: JsonObject[];
}

function contentOf(response: Response, bytes: Buffer): Content {
  if (bytes.length === 0) return { kind: "text", text: "", blocks: [] };
  const type = typeOf(response);
  if (!isText(type, bytes)) return { kind: "bytes", text: "", blocks: [blockOf(type, bytes, response.url)] };
  const text = decode(bytes, response.headers.get("content-type") ?? "");
  const parsed = isJsonType(type) ? parseJson(text, DATA_LIMITS) : undefined;
  // Without its white space: it is paid for with every token.
  const written = parsed?.ok === true ? JSON.stringify(parsed.value) : text;
  return { kind: "text", text: written, blocks: [{ type: "text", text: written }] };
}

/** MCP has room for an object; of anything else the text is all. */
function structureOf(response: Response, bytes: Buffer): { readonly structuredContent?: JsonObject } {
  if (bytes.length === 0 || !isJsonType(typeOf(response))) return {};
  const text = decode(bytes, response.headers.get("content-type") ?? "");
  const parsed = parseJson(text, DATA_LIMITS);
  return parsed.ok && isJsonObject(parsed.value) ? { structuredContent: parsed.value } : {};
}

function typeOf(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
}

const TEXT_TYPE =
  /^text\/|^application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|x-yaml|javascript|x-ndjson|graphql|sql|x-www-form-urlencoded)$|\+(?:json|xml|yaml)$/;

function isText(type: string, bytes: Buffer): boolean {
  if (type === "") return isUtf8(bytes);
  return TEXT_TYPE.test(type);
}

function isUtf8(bytes: Buffer): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}

function decode(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset="?([\w:.-]{1,40})/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    // The charset is none that is known here.
    return new TextDecoder().decode(bytes);
  }
}

const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

function blockOf(type: string, bytes: Buffer, url: string): JsonObject {
  const mimeType = MIME_TYPE.test(type) ? type : "application/octet-stream";
  const data = bytes.toString("base64");
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  // Without its query, which can hold a key.
  const { origin, pathname } = new URL(url);
  return { type: "resource", resource: { uri: `${origin}${pathname}`, mimeType, blob: data } };
}
