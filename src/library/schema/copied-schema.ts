/**
 * The part of a tool's schema at a path, copied: keyword by keyword, only in shapes that are sound, without references
 * and without defaults, and never narrower than the tool means it. Copies are bounded, whatever references do.
 */
import { lineOf } from "../../text/cut.ts";
import { readPointer } from "../../text/json-pointer.ts";
import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { listAt, ownValue } from "../json-object.ts";
import { DEPTH_MAX } from "./value-schema.ts";

/** Schemas, and every hundred characters of what they say, in one result. The largest tools seen have some hundreds. */
export const WEIGHT_MAX = 2_000;
const TEXT_PER_WEIGHT = 100;
/** References that may follow one another without going into the value. */
const REFERENCE_CHAIN_MAX = 8;

/** What copies may still weigh together. */
export interface Budget {
  weightLeft: number;
}

interface Copy {
  readonly root: JsonObject;
  /** The schemas around this one. */
  readonly inside: readonly JsonObject[];
  readonly budget: Budget;
}

type SchemaCopy = Record<string, Json>;

/** What says nothing about what may be given. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "format"]);
const TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);
const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];

/** A copy of the schema of the value at a path; nothing where the schema does not speak of it. */
export function copySchemaAt(
  root: JsonObject,
  path: readonly string[],
  budget: Budget,
): JsonObject | undefined {
  const found = schemaAt(root, path, { root, budget });
  return found && copySchema(found, { root, inside: [], budget });
}

/** The schema of the value at a path, looked for in combined schemas too. */
function schemaAt(
  schema: Json | undefined,
  path: readonly string[],
  place: { readonly root: JsonObject; readonly budget: Budget },
): JsonObject | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return isJsonObject(schema) ? schema : undefined;
  const target = followReferences(schema, place.root);
  // Combined schemas may lead back to themselves.
  if (target === undefined || place.budget.weightLeft-- <= 0) return undefined;
  const below = childAt(target, name);
  if (below !== undefined) return schemaAt(below, rest, place);
  for (const branch of ["allOf", "anyOf", "oneOf"].flatMap((keyword) => listAt(target, keyword))) {
    const found = schemaAt(branch, path, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function childAt({ items, properties, additionalProperties }: JsonObject, name: string): Json | undefined {
  if (name === "*" && isJsonObject(items)) return items;
  const own = isJsonObject(properties) ? ownValue(properties, name) : undefined;
  return own ?? (isJsonObject(additionalProperties) ? additionalProperties : undefined);
}

function followReferences(schema: Json | undefined, root: JsonObject): JsonObject | undefined {
  let target = schema;
  for (let count = 0; isJsonObject(target) && typeof target["$ref"] === "string"; count++) {
    target =
      count < REFERENCE_CHAIN_MAX ? (readPointer(root, target["$ref"]) as Json | undefined) : undefined;
  }
  return isJsonObject(target) ? target : undefined;
}

/** A copy without references; what is unsound, unknown, a circle or too much says nothing. */
function copySchema(schema: Json | undefined, around: Copy): JsonObject {
  const source = followReferences(schema, around.root);
  const { inside, budget } = around;
  if (source === undefined || inside.length >= DEPTH_MAX || inside.includes(source)) return {};
  budget.weightLeft -= weightOf(source);
  if (budget.weightLeft < 0) return {};
  const copy = { ...around, inside: [...inside, source] };
  const beside = isJsonObject(schema) && schema !== source ? copyAnnotations(schema) : {};
  return {
    ...copyType(source),
    ...copyAnnotations(source),
    ...beside,
    ...copyLimits(source),
    ...copyParts(source, copy),
  };
}

/** What a copy adds to the result, but for the schemas below it. */
function weightOf(schema: JsonObject): number {
  const own = ["title", "description", "format", "pattern", "enum", "const", "required"];
  return 1 + Math.floor(JSON.stringify(own.map((keyword) => schema[keyword])).length / TEXT_PER_WEIGHT);
}

function copyType({ type, nullable }: JsonObject): SchemaCopy {
  const types = [type].flat().filter((name) => TYPES.has(name)) as string[];
  if (types.length === 0) return {};
  const all = nullable === true ? [...new Set([...types, "null"])] : types;
  return { type: all.length === 1 ? all[0]! : all };
}

/**
 * What is kept is listed in every conversation, with these texts; the whole ones are with the tools that the code calls.
 */
const DESCRIPTION_LENGTH_MAX = 160;

function copyAnnotations(schema: JsonObject): SchemaCopy {
  const { description, ...others } = pick(schema, [...ANNOTATIONS], (text) => typeof text === "string");
  if (description === undefined) return others;
  return { ...others, description: lineOf(description as string, DESCRIPTION_LENGTH_MAX) };
}

function copyLimits(schema: JsonObject): SchemaCopy {
  const { minimum, maximum, ...bounds } = pick(schema, BOUNDS, (limit) => typeof limit === "number");
  return {
    // Draft-04 writes `exclusiveMinimum: true` beside `minimum`.
    ...(minimum !== undefined && {
      [schema["exclusiveMinimum"] === true ? "exclusiveMinimum" : "minimum"]: minimum,
    }),
    ...(maximum !== undefined && {
      [schema["exclusiveMaximum"] === true ? "exclusiveMaximum" : "maximum"]: maximum,
    }),
    ...bounds,
    ...pick(schema, COUNTS, (count) => Number.isInteger(count) && (count as number) >= 0),
    ...pick(schema, ["multipleOf"], (factor) => typeof factor === "number" && factor > 0),
    ...pick(schema, ["pattern"], (pattern) => typeof pattern === "string"),
    ...pick(schema, ["uniqueItems"], (flag) => typeof flag === "boolean"),
    ...pick(schema, ["enum"], (members) => Array.isArray(members) && members.length > 0),
    ...pick(schema, ["const"], () => true),
  };
}

function pick(
  schema: JsonObject,
  keywords: readonly string[],
  isSound: (value: Json) => boolean,
): SchemaCopy {
  const found = keywords.flatMap((keyword) => {
    const value = ownValue(schema, keyword);
    return value !== undefined && isSound(value) ? [[keyword, value] as const] : [];
  });
  return Object.fromEntries(found);
}

function copyParts(schema: JsonObject, copy: Copy): SchemaCopy {
  const { properties, required, additionalProperties, patternProperties, items } = schema;
  const copied = (child: Json): JsonObject => copySchema(child, copy);
  // A tuple was written as a list of items before it got a keyword of its own.
  const tuple = Array.isArray(items) ? (items as readonly Json[]) : listAt(schema, "prefixItems");
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  // Where exactly one must fit, what was left out of the copies may make two fit.
  const choices = [listAt(schema, "anyOf"), listAt(schema, "oneOf")].find((list) => list.length > 0);
  const all = listAt(schema, "allOf");
  return {
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, copied(child)]),
      ),
    }),
    ...(names.length > 0 && { required: [...new Set(names)] }),
    ...(patternProperties === undefined && additionalProperties === false && { additionalProperties: false }),
    ...(patternProperties === undefined &&
      isJsonObject(additionalProperties) && { additionalProperties: copied(additionalProperties) }),
    ...(tuple.length > 0 && { prefixItems: tuple.map(copied) }),
    ...(isJsonObject(items) && { items: copied(items) }),
    ...(choices !== undefined && { anyOf: choices.map(copied) }),
    ...(all.length > 0 && { allOf: all.map(copied) }),
  };
}
