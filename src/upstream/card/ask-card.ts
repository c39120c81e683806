/**
 * The Server Card of a remote server that is about to be added (SEP-2127). It is a stranger's word, read before
 * anything is known of the server: bounded in size, depth and time, fetched under the address policy of the address
 * that the user wrote, and without anything of the user's in the request. Nothing rests on it but what a person is
 * shown.
 */
import { isJsonObject, parseJson, type Json, type JsonLimits, type JsonObject } from "../../core/json.ts";
import { createAddressPolicy } from "../../net/address-policy.ts";
import type { HttpAnswer } from "../../net/http-outcome.ts";
import { followRedirects } from "../../net/redirects.ts";
import { cut } from "../../text/cut.ts";
import { escapeUnprintable } from "../../text/printable.ts";

interface ServerCard {
  /** `com.example/weather`. */
  readonly name: string;
  readonly version: string;
  /** In one line, with everything in it that would not show written out. */
  readonly title?: string;
  readonly description: string;
  readonly endpoints: readonly CardEndpoint[];
}

export interface CardEndpoint {
  readonly type: "http" | "sse";
  readonly url: URL;
  /** Headers that it needs, by name. */
  readonly headers: readonly string[];
}

export type CardAnswer =
  | { readonly kind: "card"; readonly card: ServerCard }
  | { readonly kind: "none" }
  | { readonly kind: "unusable"; readonly reason: string };

const MEDIA_TYPE = "application/mcp-server-card+json";
/** A card has about one KiB. */
const CARD_BYTES_MAX = 64 * 1024;
const LIMITS: JsonLimits = { depthMax: 16, keyCountMax: 1_000, bytesMax: CARD_BYTES_MAX };
/** A person waits. */
const CARD_MS = 5_000;
const REDIRECT_COUNT_MAX = 3;
const ENDPOINT_COUNT_MAX = 20;
const HEADER_COUNT_MAX = 20;
const TEXT_LENGTH_MAX = 200;
const NAME = /^(?=.{3,200}$)[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Below the address of the endpoint, as the protocol has it. */
function cardUrlOf(endpoint: URL): URL {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/server-card`;
  url.search = "";
  url.hash = "";
  return url;
}

/** Never rejects. */
export async function askCard(endpoint: URL, timeoutMs = CARD_MS): Promise<CardAnswer> {
  const request = { url: cardUrlOf(endpoint), method: "GET", headers: new Map([["accept", MEDIA_TYPE]]) };
  const { end } = await followRedirects(request, {
    policy: createAddressPolicy(endpoint),
    signal: AbortSignal.timeout(timeoutMs),
    bytesMax: CARD_BYTES_MAX,
    redirectCountMax: REDIRECT_COUNT_MAX,
  });
  switch (end.kind) {
    case "answer":
      return readAnswer(end);
    case "aborted":
      return { kind: "unusable", reason: `it did not come within ${timeoutMs / 1000} s` };
    case "refused":
      return { kind: "unusable", reason: "it is at an address that is not reached from here" };
    case "broken":
      return { kind: "unusable", reason: `the server was not reached (${end.code})` };
    default:
      return { kind: "unusable", reason: "its redirects lead to no card" };
  }
}

/** A server without cards answers as it likes: only what says that it is a card is looked at. */
function readAnswer({ status, headers, body, truncated }: HttpAnswer): CardAnswer {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (status !== 200 || (type !== MEDIA_TYPE && type !== "application/json")) return { kind: "none" };
  if (truncated) return { kind: "unusable", reason: `it has more than ${CARD_BYTES_MAX} bytes` };
  const parsed = parseJson(body.toString(), LIMITS);
  if (!parsed.ok) return { kind: "unusable", reason: "it is no JSON, or nests too deep" };
  const card = readCard(parsed.value);
  if (card !== undefined) return { kind: "card", card };
  return type === MEDIA_TYPE
    ? { kind: "unusable", reason: "it has no name, version or description that can be used" }
    : { kind: "none" };
}

function readCard(value: Json): ServerCard | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, version, title, description, remotes } = value;
  if (typeof name !== "string" || !NAME.test(name)) return undefined;
  if (typeof version !== "string" || typeof description !== "string") return undefined;
  return {
    name,
    version: shown(version),
    description: shown(description),
    ...(typeof title === "string" && { title: shown(title) }),
    endpoints: listOf(remotes, ENDPOINT_COUNT_MAX).flatMap(readEndpoint),
  };
}

function readEndpoint({ type, url, headers }: JsonObject): CardEndpoint[] {
  const target = typeof url === "string" && !/[{}\s]/.test(url) ? URL.parse(url) : null;
  if (target === null || !/^https?:$/.test(target.protocol)) return [];
  if (target.username !== "" || target.password !== "") return [];
  const kind = type === "streamable-http" ? "http" : type === "sse" ? "sse" : undefined;
  if (kind === undefined) return [];
  const needed = listOf(headers, HEADER_COUNT_MAX).flatMap(({ name, isRequired }) =>
    typeof name === "string" && isRequired === true && HEADER_NAME.test(name) ? [name] : [],
  );
  return [{ type: kind, url: target, headers: needed }];
}

function listOf(value: Json | undefined, countMax: number): JsonObject[] {
  return Array.isArray(value) ? value.slice(0, countMax).filter(isJsonObject) : [];
}

function shown(text: string): string {
  return escapeUnprintable(cut(text, TEXT_LENGTH_MAX));
}
