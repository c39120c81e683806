/** Changes texts wherever they are in a value, its keys included. */
import type { Json, JsonObject } from "../core/json.ts";

/** No answer that anyone reads is as deep; a walk any deeper could end the process. */
const DEPTH_MAX = 1_000;

/**
 * The value with every text and every key changed; the very same value where nothing changes, so that an answer without anything
 * to hide costs no copy. What lies too deep to be looked at becomes `tooDeep`.
 */
export function mapTexts<T>(value: T, change: (text: string) => string, tooDeep: Json): T {
  return mapAt(value as Json, change, tooDeep, 0) as T;
}

function mapAt(value: Json, change: (text: string) => string, tooDeep: Json, depth: number): Json {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return tooDeep;
  return Array.isArray(value)
    ? mapList(value as Json[], (item) => mapAt(item, change, tooDeep, depth + 1))
    : mapObject(value as JsonObject, change, (child) => mapAt(child, change, tooDeep, depth + 1));
}

function mapList(list: Json[], map: (item: Json) => Json): Json[] {
  let copy: Json[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const item = list[at]!;
    const mapped = map(item);
    if (mapped !== item) copy ??= list.slice(0, at);
    copy?.push(mapped);
  }
  return copy ?? list;
}

function mapObject(
  object: JsonObject,
  change: (text: string) => string,
  map: (child: Json) => Json,
): JsonObject {
  let copy: [string, Json][] | undefined;
  const keys = Object.keys(object);
  for (const [at, key] of keys.entries()) {
    const child = object[key]!;
    const mapped = map(child);
    const named = change(key);
    if (mapped !== child || named !== key) copy ??= keys.slice(0, at).map((same) => [same, object[same]!]);
    copy?.push([named, mapped]);
  }
  // Not by assignment: a key may be called __proto__.
  return copy === undefined ? object : Object.fromEntries(copy);
}
