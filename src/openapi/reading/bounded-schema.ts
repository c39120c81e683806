/**
 * A schema of a description as one that stands alone: references are written out, to a depth and a number of schemas that are
 * bounded. What is deeper, and what is inside of itself, becomes a schema that allows anything: it is wider than the
 * description says, and never narrower.
 */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";
import { BrokenReference, referenceIn, type ApiDocument, type ApiDocuments } from "./api-documents.ts";
import { WORDS_LENGTH_MAX, type SchemaBounds } from "./limits.ts";

export interface SchemaUse {
  readonly documents: ApiDocuments;
  readonly bounds: SchemaBounds;
  /** Of a property that says so, the other side of the exchange alone knows. */
  readonly hides: "readOnly" | "writeOnly";
  /** Only what makes a type: without words and without bounds of values. A reference that leads nowhere is anything. */
  readonly isType?: boolean;
}

interface Place {
  readonly document: ApiDocument;
  readonly depth: number;
  /** The references that led here. */
  readonly inside: readonly string[];
}

interface Walk extends SchemaUse {
  readonly depthMax: number;
  schemasLeft: number;
}

/** Throws `BrokenReference` for a reference that leads nowhere, except in a type. */
export function boundedSchema(schema: unknown, document: ApiDocument, use: SchemaUse): Json {
  const { depths, schemasMax } = use.bounds;
  for (const depthMax of depths) {
    const walk: Walk = { ...use, depthMax, schemasLeft: schemasMax };
    const written = convert(schema, { document, depth: 0, inside: [] }, walk);
    if (walk.schemasLeft >= 0) return written;
  }
  return {};
}

/** What says something about a value by itself. */
const PLAIN_KEYWORDS = (
  "type format enum const default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern " +
  "minItems maxItems uniqueItems minProperties maxProperties deprecated contentMediaType contentEncoding"
).split(" ");
const TYPE_KEYWORDS = ["type", "enum", "const"];
const LIST_KEYWORDS = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;
/** A value that is longer than this is no default that a caller reads, and no word of an enum. */
const VALUE_LENGTH_MAX = 1_000;
/** More words of an enum than a type shows, or a client sends. */
const ENUM_COUNT_MAX = { input: 300, type: 24 } as const;

function convert(schema: unknown, place: Place, walk: Walk): Json {
  if (typeof schema === "boolean") return schema;
  if (!isJsonObject(schema) || --walk.schemasLeft < 0) return {};
  const reference = referenceIn(schema);
  return reference === undefined
    ? convertOwn(schema, place, walk)
    : convertReference(schema, reference, place, walk);
}

/** Words beside a reference win over those of what it names; anything else beside it holds as well. */
function convertReference(schema: JsonObject, reference: string, place: Place, walk: Walk): Json {
  const { $ref: _, ...beside } = schema;
  const target = targetOf(reference, place, walk);
  if (target === undefined) return convertOwn(beside, place, walk);
  const { key, value, document } = target;
  if (place.inside.includes(key)) return wordsOf(beside, walk);
  const there = { document, depth: place.depth, inside: [...place.inside, key] };
  const written = convert(value, there, walk);
  const own = convertOwn(beside, place, walk);
  if (!isJsonObject(written) || Object.keys(own).length === 0) return written;
  const isWords = Object.keys(own).every((name) => ["description", "default", "deprecated"].includes(name));
  return isWords ? { ...written, ...own } : { allOf: [written, own] };
}

function targetOf(reference: string, { document }: Place, walk: Walk) {
  try {
    const { key = reference, ...target } = walk.documents.follow(reference, document);
    return { key, ...target };
  } catch (error) {
    if (walk.isType === true && error instanceof BrokenReference) return undefined;
    throw error;
  }
}

function convertOwn(schema: JsonObject, place: Place, walk: Walk): JsonObject {
  const plain = plainOf(schema, walk);
  const below = { ...place, depth: place.depth + 1 };
  if (place.depth >= walk.depthMax) return withoutParts(plain);
  const written: Record<string, Json> = plain;
  const take = (name: string, value: Json | undefined): void => {
    if (value !== undefined) written[name] = value;
  };
  for (const keyword of LIST_KEYWORDS) take(keyword, listOf(schema[keyword], place, walk));
  take("items", partOf(schema["items"], below, walk));
  take("additionalProperties", partOf(schema["additionalProperties"], below, walk));
  if (walk.isType !== true) {
    take("not", partOf(schema["not"], below, walk));
    take("patternProperties", propertiesOf(schema["patternProperties"], new Set(), below, walk));
  }
  const hidden = hiddenIn(schema["properties"], place, walk);
  take("properties", propertiesOf(schema["properties"], hidden, below, walk));
  take("required", requiredOf(schema["required"], hidden));
  return written;
}

function plainOf(schema: JsonObject, walk: Walk): Record<string, Json> {
  const plain: Record<string, Json> = wordsOf(schema, walk);
  for (const keyword of walk.isType === true ? TYPE_KEYWORDS : PLAIN_KEYWORDS) {
    const value = schema[keyword];
    if (value !== undefined && isShort(keyword, value, walk)) plain[keyword] = value;
  }
  return plain;
}

function isShort(keyword: string, value: Json, { isType }: Walk): boolean {
  if (keyword === "enum" && Array.isArray(value))
    return value.length <= (isType === true ? ENUM_COUNT_MAX.type : ENUM_COUNT_MAX.input);
  return typeof value !== "object" || value === null || JSON.stringify(value).length <= VALUE_LENGTH_MAX;
}

function wordsOf({ description }: JsonObject, { isType }: Walk): Record<string, Json> {
  return isType === true || typeof description !== "string" || description.trim() === ""
    ? {}
    : { description: cut(description.trim(), WORDS_LENGTH_MAX) };
}

/** At the deepest level the type is all that is said, and it is said of nothing below. */
function withoutParts(plain: Record<string, Json>): JsonObject {
  const { type, description } = plain;
  const kept = Object.entries({ type, description }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as JsonObject;
}

/** Members judge the same value, so they are no level deeper; a circle of them ends with the budget. */
function listOf(list: unknown, place: Place, walk: Walk): Json | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const below = { ...place, depth: place.depth + 1 };
  const members: unknown[] = list.slice(0, Math.max(1, walk.schemasLeft + 1));
  return members.map((member) => convert(member, below, walk));
}

function partOf(part: unknown, place: Place, walk: Walk): Json | undefined {
  return typeof part === "boolean" || isJsonObject(part) ? convert(part, place, walk) : undefined;
}

function propertiesOf(
  properties: unknown,
  hidden: ReadonlySet<string>,
  place: Place,
  walk: Walk,
): JsonObject | undefined {
  if (!isJsonObject(properties)) return undefined;
  const shown = Object.entries(properties).filter(([name]) => !hidden.has(name));
  const written = shown
    .slice(0, Math.max(1, walk.schemasLeft + 1))
    .map(([name, property]): [string, Json] => [name, convert(property, place, walk)]);
  return Object.fromEntries(written);
}

function requiredOf(required: unknown, hidden: ReadonlySet<string>): Json | undefined {
  if (!Array.isArray(required)) return undefined;
  const names = required.filter((name) => typeof name === "string" && !hidden.has(name));
  return names.length === 0 ? undefined : [...new Set(names as string[])];
}

/** The properties that are not part of this side of the exchange. */
function hiddenIn(properties: unknown, { document }: Place, walk: Walk): Set<string> {
  if (!isJsonObject(properties)) return new Set();
  const isHidden = (property: Json): boolean => {
    if (!isJsonObject(property)) return false;
    if (property[walk.hides] === true) return true;
    const reference = referenceIn(property);
    if (reference === undefined) return false;
    const target = targetOf(reference, { document, depth: 0, inside: [] }, walk)?.value;
    return isJsonObject(target) && target[walk.hides] === true;
  };
  return new Set(
    Object.entries(properties)
      .filter(([, property]) => isHidden(property))
      .map(([name]) => name),
  );
}
