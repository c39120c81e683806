/** What one node of a JSON Schema says, for a comparison of two. */
import { readPointer, isLocalPointer } from "../../text/json-pointer.ts";
import { isDeepStrictEqual } from "node:util";
import { type JsonObject, isJsonObject } from "../../core/json.ts";

/** A chain of references longer than this leads nowhere. */
const REFERENCES_MAX = 20;

/** What a local reference leads to; one that leads nowhere stays as it is. */
export function follow(schema: unknown, root: unknown): unknown {
  let target = schema;
  for (let i = 0; i < REFERENCES_MAX; i++) {
    const reference = isJsonObject(target) ? target["$ref"] : undefined;
    if (typeof reference !== "string" || !isLocalPointer(reference)) return target;
    const next = readPointer(root, reference);
    if (next === undefined) return target;
    target = next;
  }
  return target;
}

/** Whether both pass the test and allow the same types. */
export function areBoth(
  test: (schema: JsonObject) => boolean,
  before: JsonObject,
  after: JsonObject,
): boolean {
  return test(before) && test(after) && isDeepStrictEqual(typesOf(before), typesOf(after));
}

export function isObjectType(schema: JsonObject): boolean {
  return isFree(schema) && typesOf(schema).includes("object");
}

export function isListType(schema: JsonObject): boolean {
  const hasItems = isJsonObject(schema["items"]) && schema["prefixItems"] === undefined;
  return isFree(schema) && hasItems && typesOf(schema).includes("array");
}

/** Its values are not listed one by one. */
function isFree(schema: JsonObject): boolean {
  return schema["enum"] === undefined && schema["const"] === undefined;
}

/** In a fixed order; properties without a type mean an object. */
function typesOf(schema: JsonObject): readonly unknown[] {
  const { type } = schema;
  if (Array.isArray(type)) return type.map(String).sort();
  return [type ?? (isJsonObject(schema["properties"]) ? "object" : undefined)];
}

export function fieldsOf(schema: JsonObject): ReadonlyMap<string, unknown> {
  return new Map(isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : []);
}

export function requiredOf(schema: JsonObject): ReadonlySet<string> {
  const { required } = schema;
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []);
}

/** What a value holds under a key itself, a list too. */
export function own(value: unknown, key: string): unknown {
  const holds = typeof value === "object" && value !== null && Object.hasOwn(value, key);
  return holds ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
