import type { Json, JsonObject } from "../../core/json.ts";

/** More values are not counted: a picture of a size needs no more, and a list of millions must not hold up anybody. */
const COUNTED_VALUES_MAX = 200_000;

/** As many bytes as its JSON has, escapes aside; of a very large structure, at least so many. No text is made of it. */
export function measureJson(root: Json): number {
  let bytes = 0;
  const waiting: Json[] = [root];
  for (let count = 0; waiting.length > 0 && count < COUNTED_VALUES_MAX; count++) {
    const value = waiting.pop()!;
    if (typeof value === "string") bytes += Buffer.byteLength(value) + 2;
    else if (typeof value !== "object" || value === null) bytes += String(value).length;
    else bytes += openValue(value, waiting);
  }
  return bytes;
}

/** Brackets, commas and keys; what is inside is left for later. */
function openValue(value: readonly Json[] | JsonObject, waiting: Json[]): number {
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) waiting.push(item);
    return 2 + Math.max(0, value.length - 1);
  }
  let bytes = 2;
  for (const [key, item] of Object.entries(value)) {
    bytes += Buffer.byteLength(key) + 4;
    waiting.push(item);
  }
  return Math.max(2, bytes - 1);
}
