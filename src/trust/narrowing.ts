/**
 * Whether a change of a definition can only narrow what a tool is used for, or lower the trust in it.
 *
 * It errs on one side: what is not known to narrow does not. So every text that a model reads must stay as it is, and
 * `not`, `if`, `oneOf` and references are compared as a whole, because a narrower part of them may allow more.
 */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { PinKind } from "../core/trust-store.ts";

type Narrows = (before: Json | undefined, after: Json | undefined) => boolean;

export function canOnlyNarrow(kind: PinKind, before: JsonObject, after: JsonObject): boolean {
  const fields: Readonly<Record<string, Narrows>> =
    kind === "tool"
      ? { inputSchema: narrowsSchema, annotations: lowersTrust }
      : kind === "prompt"
        ? { arguments: narrowsArguments }
        : {};
  return everyKey(before, after, (key, was, is) => Object.hasOwn(fields, key) && fields[key]!(was, is));
}

/** Whether each key holds the same in both, or has changed in a way that the test passes. */
function everyKey(
  before: JsonObject,
  after: JsonObject,
  test: (key: string, before: Json | undefined, after: Json | undefined) => boolean,
): boolean {
  const own = (of: JsonObject, key: string) => (Object.hasOwn(of, key) ? of[key] : undefined);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].every((key) => {
    const [was, is] = [own(before, key), own(after, key)];
    return isDeepStrictEqual(was, is) || test(key, was, is);
  });
}

// ── schemas ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const LOWER_BOUNDS: ReadonlySet<string> = new Set([
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "minItems",
  "minProperties",
]);
const UPPER_BOUNDS: ReadonlySet<string> = new Set([
  "maximum",
  "exclusiveMaximum",
  "maxLength",
  "maxItems",
  "maxProperties",
]);

/** Admission bounds the depth of a schema. */
function narrowsSchema(before: Json | undefined, after: Json | undefined): boolean {
  if (!isJsonObject(before) || !isJsonObject(after)) return false;
  return everyKey(before, after, (key, was, is) => {
    if (LOWER_BOUNDS.has(key)) return isTighter(is, was, -1);
    if (UPPER_BOUNDS.has(key)) return isTighter(is, was, 1);
    switch (key) {
      case "properties":
        return narrowsProperties(was, is);
      case "required":
        return demandsMore(was, is, before["properties"]);
      case "items":
        return narrowsSchema(was, is);
      case "enum":
      case "anyOf":
        return isPartOf(is, was);
      case "type":
        return isPartOf(asList(is), asList(was));
      case "additionalProperties":
        return is === false;
      case "uniqueItems":
        return is === true;
      case "$defs":
      case "definitions":
        return isJsonObject(was) && (is === undefined || (isJsonObject(is) && hasOnlyOf(is, was)));
      default:
        return false;
    }
  });
}

/** `side` is 1 for a bound from above. A bound that was not there is one more. */
function isTighter(after: Json | undefined, before: Json | undefined, side: 1 | -1): boolean {
  if (typeof after !== "number") return false;
  return before === undefined || (typeof before === "number" && (before - after) * side >= 0);
}

/** None is new. One that is gone was optional, or `required` has lost it, which does not narrow. */
function narrowsProperties(before: Json | undefined, after: Json | undefined): boolean {
  if (!isJsonObject(before) || !(after === undefined || isJsonObject(after))) return false;
  return Object.entries(after ?? {}).every(
    ([name, schema]) =>
      Object.hasOwn(before, name) &&
      (isDeepStrictEqual(before[name], schema) || narrowsSchema(before[name], schema)),
  );
}

/** What is demanded beyond that was known before. */
function demandsMore(
  before: Json | undefined,
  after: Json | undefined,
  properties: Json | undefined,
): boolean {
  if (!Array.isArray(after) || !(before === undefined || Array.isArray(before))) return false;
  const earlier: readonly Json[] = before ?? [];
  const isKnown = (name: Json) =>
    typeof name === "string" && isJsonObject(properties) && Object.hasOwn(properties, name);
  return (
    earlier.every((name) => after.includes(name)) &&
    after.every((name) => earlier.includes(name as Json) || isKnown(name as Json))
  );
}

/** Some of them, and not none. */
function isPartOf(after: Json | undefined, before: Json | undefined): boolean {
  if (!Array.isArray(after) || !Array.isArray(before) || after.length === 0) return false;
  return after.every((value) => before.some((other) => isDeepStrictEqual(value, other)));
}

function hasOnlyOf(after: JsonObject, before: JsonObject): boolean {
  return Object.entries(after).every(
    ([name, value]) => Object.hasOwn(before, name) && isDeepStrictEqual(before[name], value),
  );
}

function asList(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? [value] : value;
}

// ── annotations and arguments of prompts ────────────────────────────────────────────────────────────────────────────

/** What each hint means where it is absent, which is the side without trust. */
const UNTRUSTED_HINTS: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

function lowersTrust(before: Json | undefined, after: Json | undefined): boolean {
  const objects = [before ?? {}, after ?? {}];
  if (!objects.every(isJsonObject)) return false;
  const [was, is] = objects as unknown as [JsonObject, JsonObject];
  return everyKey(was, is, (key, _, now) => {
    if (!Object.hasOwn(UNTRUSTED_HINTS, key)) return false;
    return now === undefined || now === UNTRUSTED_HINTS[key];
  });
}

/** One that is gone was optional, one that stays is the same or is required now. */
function narrowsArguments(before: Json | undefined, after: Json | undefined): boolean {
  const byName = (list: Json | undefined) =>
    new Map(
      (Array.isArray(list) ? list : []).flatMap((one: Json) =>
        isJsonObject(one) ? [[one["name"], one]] : [],
      ),
    );
  const [was, is] = [byName(before), byName(after)];
  const hasNew = [...is.keys()].some((name) => !was.has(name));
  return (
    !hasNew &&
    [...was].every(([name, argument]) => {
      const now = is.get(name);
      if (now === undefined) return argument["required"] !== true;
      return everyKey(argument, now, (key, _, required) => key === "required" && required === true);
    })
  );
}
