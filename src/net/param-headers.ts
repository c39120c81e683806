/**
 * Arguments that a tool wants to see in headers as well, for proxies that route by them (`x-mcp-header`, header
 * `Mcp-Param-<name>`).
 */
import { isJsonObject, type JsonObject } from "../core/json.ts";

export interface ParamHeader {
  readonly header: string;
  /** The path to the argument. */
  readonly path: readonly string[];
  readonly type: unknown;
}

const known = new WeakMap<JsonObject, readonly ParamHeader[]>();
const NONE: readonly ParamHeader[] = [];

export function declaredHeaders(inputSchema: JsonObject): readonly ParamHeader[] {
  const found = known.get(inputSchema);
  if (found !== undefined) return found;
  const declared = [...walk(inputSchema, [])];
  known.set(inputSchema, declared.length === 0 ? NONE : declared);
  return declared;
}

function* walk(schema: JsonObject, path: readonly string[]): Generator<ParamHeader> {
  const name = schema["x-mcp-header"];
  if (typeof name === "string") yield { header: `Mcp-Param-${name}`, path, type: schema["type"] };
  const { properties } = schema;
  if (!isJsonObject(properties)) return;
  for (const [key, child] of Object.entries(properties)) {
    if (isJsonObject(child)) yield* walk(child, [...path, key]);
  }
}

/** The argument that a header repeats, as text; undefined where there is none to repeat. */
export function argumentAt(path: readonly string[], args: JsonObject): string | number | boolean | undefined {
  const value = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), args);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

/** The headers of a call; undefined for the usual tool, which wants none. */
export function paramHeadersOf(
  inputSchema: JsonObject,
  args: JsonObject,
): Record<string, string> | undefined {
  const declared = declaredHeaders(inputSchema);
  if (declared.length === 0) return undefined;
  const headers: Record<string, string> = {};
  for (const { header, path } of declared) {
    const value = argumentAt(path, args);
    if (value !== undefined) headers[header] = encodeHeader(String(value));
  }
  return headers;
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const SENTINEL = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** What a header cannot carry as it is, or what would be taken for something encoded, is encoded. */
function encodeHeader(text: string): string {
  if (PLAIN.test(text) && !isEncoded(text)) return text;
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** Undefined for one that is encoded wrongly. */
export function decodeHeader(value: string): string | undefined {
  if (!isEncoded(value)) return value;
  const encoded = SENTINEL.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, "base64"));
  } catch {
    return undefined;
  }
}

function isEncoded(text: string): boolean {
  return text.startsWith("=?base64?") && text.endsWith("?=");
}
