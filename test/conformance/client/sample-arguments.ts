import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json.ts";

const SAMPLES: Readonly<Record<string, Json>> = {
  string: "text",
  number: 2,
  integer: 2,
  boolean: true,
  array: [],
  object: {},
};

/** Arguments that a tool's schema asks for: a plain value for each required property. */
export function sampleArguments(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.fromEntries(required.map((name) => [String(name), sampleOf(properties[String(name)])]));
}

function sampleOf(schema: Json | undefined): Json {
  return isJsonObject(schema) && typeof schema["type"] === "string"
    ? (SAMPLES[schema["type"]] ?? null)
    : null;
}

/** What a form says by itself; a field that says nothing is left out. */
export function formDefaults(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const filled: Record<string, Json> = {};
  for (const [name, field] of Object.entries(properties)) {
    if (isJsonObject(field) && field["default"] !== undefined) filled[name] = field["default"];
  }
  return filled;
}
