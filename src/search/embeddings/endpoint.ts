/**
 * Asks an OpenAI-compatible endpoint what texts mean. Its host is the one that the config names, so it may be private.
 * The texts and the key go nowhere else: redirects are not followed. The key is taken out of everything that is said.
 */
import { AnswerTooLong } from "../../net/answer-limit.ts";
import { createAddressPolicy } from "../../net/address-policy.ts";
import type { Fetch, HttpClient } from "../../net/http-client.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { createRedactor, REDACTED } from "../../text/redaction.ts";
import { cut } from "../../text/cut.ts";
import { isJsonObject, parseJson, type Json, type JsonLimits } from "../../core/json.ts";
import { normalise } from "./vector.ts";

/** What every endpoint takes: 2,000 tokens for each text, and less than a second of work on a graphics card for all. */
export const TEXT_LENGTH_MAX = 8_000;
export const TEXTS_AT_ONCE_MAX = 64;
/** Enough for the sentence with which an endpoint explains an error. */
const EXCERPT_LENGTH_MAX = 200;
/** The texts themselves are not to its liking: fewer, or others, may be. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);

export interface EmbeddingEndpoint {
  /** Up to its version; `/embeddings` is added to it. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string;
  readonly dimensions?: number;
}

export type EmbedReply =
  /** In the order of the texts. */
  | { readonly kind: "vectors"; readonly vectors: readonly Float32Array[] }
  | { readonly kind: "refused" | "failed"; readonly reason: string };

export interface EmbedDeps {
  /** Follows no redirect, and fails for an answer over 16 MiB. */
  readonly fetch: Fetch;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Never throws. At most `TEXTS_AT_ONCE_MAX` texts; each is cut at `TEXT_LENGTH_MAX` characters. */
export async function embedTexts(
  endpoint: EmbeddingEndpoint,
  texts: readonly string[],
  deps: EmbedDeps,
): Promise<EmbedReply> {
  const url = addressOf(endpoint);
  if (url === undefined) return { kind: "failed", reason: "the url of the endpoint cannot be used" };
  try {
    const response = await deps.fetch(url, requestOf(endpoint, texts, deps));
    const body = await response.text();
    if (!response.ok) return refusalOf(response.status, body, endpoint.apiKey);
    const parsed = parseVectors(body, texts.length);
    return parsed.ok
      ? { kind: "vectors", vectors: parsed.vectors }
      : { kind: "failed", reason: parsed.message };
  } catch (error) {
    // The message of an error may quote a header, and so the key; its code does not.
    return { kind: "failed", reason: deps.signal.aborted ? "it did not answer in time" : reasonOf(error) };
  }
}

function addressOf({ url: text }: EmbeddingEndpoint): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    return undefined;
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/embeddings`;
  url.hash = "";
  return url;
}

function requestOf(
  { model, apiKey, dimensions }: EmbeddingEndpoint,
  texts: readonly string[],
  { version, signal }: EmbedDeps,
): RequestInit {
  const key = keyOf(apiKey);
  const input = texts.map((text) => text.slice(0, TEXT_LENGTH_MAX).toWellFormed());
  return {
    method: "POST",
    signal,
    headers: {
      "user-agent": `repertoire/${version}`,
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/json",
      ...(key !== "" && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model, input, ...(dimensions !== undefined && { dimensions }) }),
  };
}

/** White space around it is not sent, so an endpoint that repeats the key repeats it without. */
function keyOf(apiKey = ""): string {
  return apiKey.trim();
}

function refusalOf(status: number, body: string, apiKey: string | undefined): EmbedReply {
  const kind = REFUSING_STATUSES.has(status) ? "refused" : "failed";
  const said = status >= 300 && status < 400 ? "redirects are not followed" : excerptOf(body, apiKey);
  return { kind, reason: `it answered ${status}${said === "" ? "" : `: ${said}`}` };
}

/** An endpoint that refuses a key likes to repeat it. The exact value goes, however short, and what looks like one. */
function excerptOf(body: string, apiKey: string | undefined): string {
  const key = keyOf(apiKey);
  const redacted = createRedactor([key]).text(body);
  const shown = key === "" ? redacted : redacted.replaceAll(key, REDACTED);
  return escapeUnprintable(cut(shown.replace(/\s+/g, " ").trim(), EXCERPT_LENGTH_MAX));
}

function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof AnswerTooLong) return "its answer has more than 16 MiB";
    if ("code" in at && typeof at.code === "string") return `it cannot be reached: ${at.code}`;
  }
  return "it cannot be reached";
}

export interface EndpointFetch {
  readonly fetch: Fetch;
  readonly close: () => Promise<void>;
}

/**
 * `fetch` for the endpoint that the config names, which may name another one tomorrow: the connections to one origin
 * are kept until another is asked. The client is loaded with the first request, because it costs every start of the
 * gateway some 30 ms and few need it.
 */
export function createEndpointFetch(): EndpointFetch {
  let current: { readonly origin: string; readonly client: Promise<HttpClient> } | undefined;

  async function open(url: URL): Promise<HttpClient> {
    const { createHttpClient } = await import("../../net/http-client.ts");
    const policy = createAddressPolicy(new URL(url.origin));
    return createHttpClient({ policy, bytesMax: ANSWER_BYTES_MAX });
  }

  return {
    async fetch(input, init) {
      const url = new URL(input);
      if (current?.origin !== url.origin) {
        // Requests to the old origin end by themselves, and so do its idle connections.
        current = { origin: url.origin, client: open(url) };
      }
      return (await current.client).fetch(url, init);
    },
    async close() {
      (await current?.client)?.close();
    },
  };
}

/** 64 vectors of the longest models are 6 MiB of JSON. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const ANSWER_LIMITS: JsonLimits = { depthMax: 8, keyCountMax: 10_000, bytesMax: ANSWER_BYTES_MAX };
/** Twice what the longest models have. */
const VECTOR_LENGTH_MAX = 8_192;

type ParsedVectors =
  | { readonly ok: true; readonly vectors: Float32Array[] }
  | { readonly ok: false; readonly message: string };

/** Reads `data[].embedding`, one for each text in the order of the texts, all of one length, each made one long. */
function parseVectors(body: string, count: number): ParsedVectors {
  const parsed = parseJson(body, ANSWER_LIMITS);
  const data = parsed.ok && isJsonObject(parsed.value) ? parsed.value["data"] : undefined;
  if (!Array.isArray(data)) return { ok: false, message: "it answered something other than embeddings" };
  if (data.length !== count) {
    return { ok: false, message: `it answered ${data.length} vectors for ${count} texts` };
  }
  const vectors: Float32Array[] = [];
  for (const [at, item] of (data as readonly Json[]).entries()) {
    const place = placeOf(item, at);
    const vector = isJsonObject(item) ? vectorOf(item["embedding"]) : undefined;
    if (place === undefined || place >= count || vectors[place] !== undefined) {
      return { ok: false, message: "it answered vectors whose index does not tell which text they are of" };
    }
    if (vector === undefined) {
      return { ok: false, message: `vector ${place} is no list of at most ${VECTOR_LENGTH_MAX} numbers` };
    }
    vectors[place] = vector;
  }
  const lengths = new Set(vectors.map(({ length }) => length));
  return lengths.size === 1
    ? { ok: true, vectors }
    : { ok: false, message: "it answered vectors of different lengths" };
}

/** Some endpoints leave the index out and answer in order. */
function placeOf(item: Json, at: number): number | undefined {
  const index = isJsonObject(item) ? (item["index"] ?? at) : at;
  return typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : undefined;
}

function vectorOf(value: Json | undefined): Float32Array | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > VECTOR_LENGTH_MAX) return undefined;
  const numbers = value as readonly Json[];
  return numbers.every((one) => typeof one === "number") ? normalise(numbers) : undefined;
}
