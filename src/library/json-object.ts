import type { Json, JsonObject } from "../core/json.ts";

/** What an object holds under a name itself, whatever the names that every object has. */
export function ownValue(object: JsonObject | undefined, name: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The list under a keyword; an empty one where there is none. */
export function listAt(schema: JsonObject, keyword: string): readonly Json[] {
  const list = schema[keyword];
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}
