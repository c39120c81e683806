import type { Json, JsonObject } from "../../core/json.ts";
import { dialectOf } from "./dialect.ts";

/** Keywords that refuse no object when their value is one of these; all others are left to the thread. */
const REFUSE_NOTHING: Readonly<Record<string, (value: Json) => boolean>> = {
  $schema: () => true,
  $comment: () => true,
  title: () => true,
  description: () => true,
  type: (value) => value === "object",
  properties: isEmptyObject,
  required: (value) => Array.isArray(value) && value.length === 0,
  additionalProperties: (value) => value === true || isEmptyObject(value),
};

/** Whether a schema says so little that there is nothing to check, as for most tools without arguments. */
export function acceptsEveryObject(schema: JsonObject): boolean {
  if (dialectOf(schema) === undefined) return false;
  return Object.entries(schema).every(
    ([keyword, value]) => Object.hasOwn(REFUSE_NOTHING, keyword) && REFUSE_NOTHING[keyword]!(value),
  );
}

function isEmptyObject(value: Json): boolean {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}
