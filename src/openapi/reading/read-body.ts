import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";
import type { BodyPlan } from "../api-description.ts";
import { objectOf, type ApiDocuments, type Located } from "./api-documents.ts";
import { boundedSchema } from "./bounded-schema.ts";
import { INPUT_BOUNDS, WORDS_LENGTH_MAX } from "./limits.ts";
import { mediaOf, type Media } from "./media.ts";

export interface ReadBody {
  readonly plan: BodyPlan;
  readonly schema: Json;
  readonly isRequired: boolean;
}

/** The first that there is: what is nearest to the arguments of a tool comes first. */
const KINDS: readonly (readonly [BodyPlan["kind"], (type: string) => boolean])[] = [
  ["json", (type) => type === "application/json"],
  ["json", (type) => /^(?:[\w.+-]+\/[\w.+-]+\+json|text\/json|\*\/\*)$/.test(type)],
  ["form", (type) => type === "application/x-www-form-urlencoded"],
  ["multipart", (type) => type === "multipart/form-data"],
  ["text", (type) => /^text\/|^application\/(?:[\w.-]+\+)?(?:xml|yaml|x-yaml|graphql|sql)$/.test(type)],
  ["bytes", () => true],
];

/** Undefined for an operation without a body. Throws `BrokenReference`. */
export function readBody(body: Located, documents: ApiDocuments): ReadBody | undefined {
  if (body.value === undefined) return undefined;
  const settled = documents.settle(body);
  const { content, description, required } = objectOf(settled);
  const medias = mediaOf(content);
  for (const [kind, fits] of KINDS) {
    const media = medias.find(({ type }) => fits(type));
    if (media === undefined) continue;
    const written = schemaOf(kind, { ...settled, value: media.schema }, documents);
    return {
      plan: {
        mediaType: media.type === "*/*" ? "application/json" : media.type,
        kind,
        files: filesIn(kind, written, media),
      },
      schema: describe(written, description),
      isRequired: required === true,
    };
  }
  return undefined;
}

function schemaOf(kind: BodyPlan["kind"], { value, document }: Located, documents: ApiDocuments): Json {
  if (kind === "bytes")
    return { type: "string", contentEncoding: "base64", description: "Bytes, as base64." };
  const written = boundedSchema(value ?? {}, document, {
    documents,
    bounds: INPUT_BOUNDS,
    hides: "readOnly",
  });
  if (kind === "text") return { type: "string" };
  return kind === "multipart" ? withFiles(written) : written;
}

/** Properties that are bytes are given as base64; a schema that describes bytes says nothing of a type. */
function withFiles(schema: Json): Json {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return schema;
  const properties = Object.entries(schema["properties"]).map(([name, property]): [string, Json] => [
    name,
    isBytes(property) ? asBase64(property) : property,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function asBase64(property: Json): Json {
  const one: JsonObject = { type: "string", contentEncoding: "base64" };
  if (!isJsonObject(property)) return one;
  const { description } = property;
  const words = typeof description === "string" ? `${description} ` : "";
  const described = { description: `${words}The bytes of the file, as base64.` };
  return property["type"] === "array"
    ? { type: "array", items: one, ...described }
    : { ...one, ...described };
}

function isBytes(property: Json): boolean {
  if (!isJsonObject(property)) return false;
  if (property["type"] === "array") return isBytes(property["items"] ?? null);
  return property["contentMediaType"] === "application/octet-stream" || property["format"] === "binary";
}

/** Those that are bytes by their schema or by their encoding. */
function filesIn(kind: BodyPlan["kind"], written: Json, { encoding }: Media): string[] {
  if (kind !== "multipart" || !isJsonObject(written) || !isJsonObject(written["properties"])) return [];
  return Object.entries(written["properties"])
    .filter(([name, property]) => isBase64(property) || isBinaryType(encoding, name))
    .map(([name]) => name);
}

function isBase64(property: Json): boolean {
  if (!isJsonObject(property)) return false;
  const one = property["type"] === "array" ? property["items"] : property;
  return isJsonObject(one) && one["contentEncoding"] === "base64";
}

function isBinaryType(encoding: unknown, name: string): boolean {
  const own = isJsonObject(encoding) && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const type = isJsonObject(own) ? own["contentType"] : undefined;
  return typeof type === "string" && /^(?:image|audio|video|font)\/|octet-stream|pdf|zip/.test(type);
}

function describe(schema: Json, description: unknown): Json {
  if (typeof description !== "string" || description.trim() === "" || !isJsonObject(schema)) return schema;
  const own = schema["description"];
  return typeof own === "string"
    ? schema
    : { ...schema, description: cut(description.trim(), WORDS_LENGTH_MAX) };
}
