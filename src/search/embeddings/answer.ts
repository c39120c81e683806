import { isJsonObject, parseJson, type Json, type JsonLimits } from "../../core/json.ts";
import { normalise } from "./vector.ts";

/** 64 vectors of the longest models are 6 MiB of JSON. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const ANSWER_LIMITS: JsonLimits = { depthMax: 8, keyCountMax: 10_000, bytesMax: ANSWER_BYTES_MAX };
/** Twice what the longest models have. */
const VECTOR_LENGTH_MAX = 8_192;

type ParsedVectors =
  | { readonly ok: true; readonly vectors: Float32Array[] }
  | { readonly ok: false; readonly message: string };

/** Reads `data[].embedding`, one for each text in the order of the texts, all of one length, each made one long. */
export function parseVectors(body: string, count: number): ParsedVectors {
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
