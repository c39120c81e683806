/**
 * A schema loosened until it surely accepts a value: a keyword that refuses the value, or that is not decided here (a
 * pattern of a stranger is not run), is left out. It takes the schemas that copying makes: sound, bounded and without
 * references.
 */
import { isDeepStrictEqual } from "node:util";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { ANNOTATIONS } from "./copied-schema.ts";
import { listAt, ownValue } from "../json-object.ts";
import { schemaOfValue, typeName } from "./value-schema.ts";

/** Where a list is longer, nothing is said of its items: each would have to be looked at. */
const LOOSENED_ITEMS_MAX = 1_000;

/** The schema without whatever does not surely accept the value; the same object if all of it does. */
export function loosen(schema: JsonObject, value: Json): JsonObject {
  const parts = Object.entries(schema);
  const fitted = parts.map(([keyword, part]) => fit(keyword, part, value, schema));
  if (parts.every(([, part], index) => fitted[index] === part)) return schema;
  const kept = parts.flatMap(([keyword], index) => {
    const part = fitted[index];
    return part === undefined ? [] : [[keyword, part] as const];
  });
  return Object.fromEntries(kept);
}

/** One keyword so that it accepts the value; nothing if it cannot. */
function fit(keyword: string, part: Json, value: Json, schema: JsonObject): Json | undefined {
  if (keyword === "type") return fitType([part].flat() as string[], value) ?? part;
  if (keyword === "default" || ANNOTATIONS.has(keyword)) return part;
  if (keyword === "allOf") return fitEach(part as JsonObject[], () => value);
  if (keyword === "anyOf") return fitChoices(part as JsonObject[], value);
  if (isJsonObject(value)) return fitObject(keyword, part, value, schema);
  if (Array.isArray(value)) return fitList(keyword, part, value as readonly Json[], schema);
  return accepts(keyword, part, value) ? part : undefined;
}

function fitType(types: readonly string[], value: Json): Json | undefined {
  const isInteger = types.includes("integer") && Number.isInteger(value);
  return isInteger || types.includes(typeName(value)) ? undefined : [...types, typeName(value)];
}

/** Fits each schema of a list to its value, where it has one. */
function fitEach(schemas: readonly JsonObject[], valueOf: (index: number) => Json | undefined): Json {
  const fitted = schemas.map((schema, index) => {
    const value = valueOf(index);
    return value === undefined ? schema : loosen(schema, value);
  });
  return fitted.every((schema, index) => schema === schemas[index]) ? schemas : fitted;
}

function fitChoices(choices: readonly JsonObject[], value: Json): Json {
  if (choices.some((choice) => loosen(choice, value) === choice)) return choices;
  return [...choices, value === null ? { type: "null" } : schemaOfValue(value)];
}

function fitObject(keyword: string, part: Json, value: JsonObject, schema: JsonObject): Json | undefined {
  if (keyword === "properties" && isJsonObject(part)) {
    const names = Object.keys(part);
    const schemas = Object.values(part) as JsonObject[];
    const fitted = fitEach(schemas, (index) => ownValue(value, names[index]!)) as readonly Json[];
    return fitted === schemas ? part : Object.fromEntries(names.map((name, index) => [name, fitted[index]!]));
  }
  if (keyword === "required") {
    const names = (part as readonly string[]).filter((name) => Object.hasOwn(value, name));
    return names.length === (part as readonly string[]).length ? part : names;
  }
  if (keyword === "additionalProperties") {
    const named = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const others = Object.keys(value).filter((name) => !Object.hasOwn(named, name));
    if (!isJsonObject(part)) return others.length === 0 ? part : undefined;
    return others.reduce((fitted, name) => loosen(fitted, value[name]!), part);
  }
  return accepts(keyword, part, value) ? part : undefined;
}

function fitList(keyword: string, part: Json, value: readonly Json[], schema: JsonObject): Json | undefined {
  if (keyword === "prefixItems") return fitEach(part as JsonObject[], (index) => value[index]);
  if (keyword !== "items") return accepts(keyword, part, value) ? part : undefined;
  const others = value.slice(listAt(schema, "prefixItems").length);
  return others.length > LOOSENED_ITEMS_MAX
    ? undefined
    : others.reduce<JsonObject>(loosen, part as JsonObject);
}

/** Whether a value surely has what a limit asks of its type. */
function accepts(keyword: string, limit: Json, value: Json): boolean {
  if (keyword === "enum")
    return (limit as readonly Json[]).some((member) => isDeepStrictEqual(member, value));
  if (keyword === "const") return isDeepStrictEqual(limit, value);
  const rule = RULES[keyword];
  return (
    rule === undefined ||
    rule.measure(value) === undefined ||
    rule.holds(rule.measure(value)!, limit as number)
  );
}

interface Rule {
  /** What the keyword judges of a value; nothing where it does not apply. */
  readonly measure: (value: Json) => number | undefined;
  readonly holds: (measured: number, limit: number) => boolean;
}

const number = (value: Json): number | undefined => (typeof value === "number" ? value : undefined);
const length = (value: Json): number | undefined =>
  typeof value === "string" ? Array.from(value).length : undefined;
const itemCount = (value: Json): number | undefined => (Array.isArray(value) ? value.length : undefined);
const propertyCount = (value: Json): number | undefined =>
  isJsonObject(value) ? Object.keys(value).length : undefined;
const isAtLeast = (measured: number, limit: number): boolean => measured >= limit;
const isAtMost = (measured: number, limit: number): boolean => measured <= limit;

const RULES: Readonly<Record<string, Rule>> = {
  minimum: { measure: number, holds: isAtLeast },
  maximum: { measure: number, holds: isAtMost },
  exclusiveMinimum: { measure: number, holds: (measured, limit) => measured > limit },
  exclusiveMaximum: { measure: number, holds: (measured, limit) => measured < limit },
  multipleOf: { measure: number, holds: (measured, limit) => Number.isInteger(measured / limit) },
  minLength: { measure: length, holds: isAtLeast },
  maxLength: { measure: length, holds: isAtMost },
  minItems: { measure: itemCount, holds: isAtLeast },
  maxItems: { measure: itemCount, holds: isAtMost },
  minProperties: { measure: propertyCount, holds: isAtLeast },
  maxProperties: { measure: propertyCount, holds: isAtMost },
  // Not decided here.
  pattern: { measure: length, holds: () => false },
  uniqueItems: { measure: itemCount, holds: (measured) => measured < 2 },
};
