import { isJsonObject, type Json } from "../core/json.ts";

/** Whether a value is of a type as JSON Schema names it. A name that it does not know allows anything. */
export function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isJsonObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}
