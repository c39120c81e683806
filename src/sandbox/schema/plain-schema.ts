/**
 * Schemas that are so simple that fitting arguments are known without the thread: an object whose properties are single
 * values. Looking at them takes one step for each property and nothing of the schema is executed, so nothing here can run
 * long. Whatever is not certain, and what is wrong with arguments, is left to the thread.
 */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { dialectOf } from "./dialect.ts";

/** Whether arguments certainly fit; false also where that is not known. */
export type PlainCheck = (args: JsonObject) => boolean;

type ValueCheck = (value: Json) => boolean;

/** Each keyword with the values of it that are understood here. */
const KEYWORDS: Readonly<Record<string, (value: Json) => boolean>> = {
  $schema: () => true,
  $comment: () => true,
  title: () => true,
  description: () => true,
  type: (value) => value === "object",
  properties: isJsonObject,
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  additionalProperties: (value) => typeof value === "boolean",
};

const VALUE_KEYWORDS: ReadonlySet<string> = new Set(["type", "title", "description", "$comment"]);

const TYPES: Readonly<Record<string, ValueCheck>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
};

export function plainCheckOf(schema: JsonObject): PlainCheck | undefined {
  const isUnderstood = Object.entries(schema).every(
    ([keyword, value]) => Object.hasOwn(KEYWORDS, keyword) && KEYWORDS[keyword]!(value),
  );
  if (!isUnderstood || dialectOf(schema) === undefined) return undefined;
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const checks = new Map<string, ValueCheck>();
  for (const [name, property] of Object.entries(properties as JsonObject)) {
    const check = valueCheckOf(property);
    if (check === undefined) return undefined;
    checks.set(name, check);
  }
  return (args) =>
    (required as readonly string[]).every((name) => Object.hasOwn(args, name)) &&
    Object.entries(args).every(([name, value]) => {
      const check = checks.get(name);
      return check === undefined ? additionalProperties === true : check(value);
    });
}

function valueCheckOf(property: Json): ValueCheck | undefined {
  if (!isJsonObject(property) || !Object.keys(property).every((keyword) => VALUE_KEYWORDS.has(keyword)))
    return undefined;
  const { type } = property;
  if (type === undefined) return () => true;
  return typeof type === "string" && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
}
