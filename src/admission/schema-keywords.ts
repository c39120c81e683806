/** JSON Schema's keywords by what their values must be, for the drafts from 04 to 2020-12 together. */
import { type Json, type JsonObject, isJsonObject } from "../core/json.ts";

const TYPES: ReadonlySet<unknown> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

/** A subschema with the way to it, and its relation to its parent. */
export interface Branch {
  readonly path: string;
  readonly schema: Json;
  /** It judges the same value as its parent, so a circle of such steps never ends. */
  readonly inPlace: boolean;
  /** It is a property of its parent. */
  readonly property: boolean;
}

type Shape = "schema" | "schemas" | "schema list" | "schema or list" | "dependencies";

const SUBSCHEMAS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["properties", "schemas"],
  ["patternProperties", "schemas"],
  ["$defs", "schemas"],
  ["definitions", "schemas"],
  ["dependentSchemas", "schemas"],
  ["dependencies", "dependencies"],
  ["items", "schema or list"],
  ["prefixItems", "schema list"],
  ["allOf", "schema list"],
  ["anyOf", "schema list"],
  ["oneOf", "schema list"],
  ["additionalProperties", "schema"],
  ["additionalItems", "schema"],
  ["unevaluatedProperties", "schema"],
  ["unevaluatedItems", "schema"],
  ["propertyNames", "schema"],
  ["contains", "schema"],
  ["contentSchema", "schema"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
]);

const IN_PLACE: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
]);

const isText = (value: Json) => typeof value === "string";
const isNumber = (value: Json) => typeof value === "number";
const isCount = (value: Json) => typeof value === "number" && Number.isInteger(value) && value >= 0;
const isTexts = (value: Json) => Array.isArray(value) && value.every(isText);

/** What is not a subschema: the rule in words, and whether a value follows it. */
const PLAIN: Readonly<Record<string, readonly [rule: string, holds: (value: Json) => boolean]>> = {
  type: ["one of JSON's types, or a list of them", isType],
  required: ["a list of names", isTexts],
  enum: ["a list", (value) => Array.isArray(value)],
  pattern: ["a text", isText],
  format: ["a text", isText],
  $ref: ["a text", isText],
  $anchor: ["a text", isText],
  minimum: ["a number", isNumber],
  maximum: ["a number", isNumber],
  exclusiveMinimum: ["a number", (value) => isNumber(value) || typeof value === "boolean"],
  exclusiveMaximum: ["a number", (value) => isNumber(value) || typeof value === "boolean"],
  multipleOf: ["a number above 0", (value) => typeof value === "number" && value > 0],
  uniqueItems: ["true or false", (value) => typeof value === "boolean"],
  dependentRequired: [
    "names, each with a list of names",
    (value) => isJsonObject(value) && Object.values(value).every(isTexts),
  ],
  ...Object.fromEntries(
    [
      "minLength",
      "maxLength",
      "minItems",
      "maxItems",
      "minProperties",
      "maxProperties",
      "minContains",
      "maxContains",
    ].map((keyword) => [keyword, ["a whole number from 0", isCount] as const]),
  ),
};

/** The first keyword of a schema whose value is of the wrong kind. */
export function findKeywordProblem(schema: JsonObject): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const plain = Object.hasOwn(PLAIN, keyword) ? PLAIN[keyword] : undefined;
    if (plain !== undefined && !plain[1](value)) return `"${keyword}" must be ${plain[0]}`;
    const shape = SUBSCHEMAS.get(keyword);
    if (shape !== undefined && !hasShape(shape, value)) return `"${keyword}" must be ${wordsOf(shape)}`;
  }
  return undefined;
}

/** The subschemas directly below a schema whose keywords are sound. */
export function* branchesOf(schema: JsonObject, path: string): Generator<Branch> {
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = SUBSCHEMAS.get(keyword);
    if (shape === undefined) continue;
    const inPlace = IN_PLACE.has(keyword);
    if (shape === "schema" || (shape === "schema or list" && !Array.isArray(value))) {
      yield { path: `${path}/${keyword}`, schema: value, inPlace, property: false };
      continue;
    }
    for (const [key, child] of Object.entries(value as JsonObject)) {
      if (shape === "dependencies" && Array.isArray(child)) continue;
      yield { path: `${path}/${keyword}/${key}`, schema: child, inPlace, property: keyword === "properties" };
    }
  }
}

function isType(value: Json): boolean {
  if (typeof value === "string") return TYPES.has(value);
  return Array.isArray(value) && value.length > 0 && value.every((name) => TYPES.has(name));
}

function isSchema(value: Json): boolean {
  return typeof value === "boolean" || isJsonObject(value);
}

function hasShape(shape: Shape, value: Json): boolean {
  switch (shape) {
    case "schema":
      return isSchema(value);
    case "schemas":
      return isJsonObject(value) && Object.values(value).every(isSchema);
    case "schema list":
      return Array.isArray(value) && value.every(isSchema);
    case "schema or list":
      return Array.isArray(value) ? value.every(isSchema) : isSchema(value);
    case "dependencies":
      return isJsonObject(value) && Object.values(value).every((child) => isSchema(child) || isTexts(child));
  }
}

function wordsOf(shape: Shape): string {
  switch (shape) {
    case "schema":
      return "a schema";
    case "schemas":
      return "names, each with a schema";
    case "schema list":
      return "a list of schemas";
    case "schema or list":
      return "a schema or a list of schemas";
    case "dependencies":
      return "names, each with a schema or a list of names";
  }
}
