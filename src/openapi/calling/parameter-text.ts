/**
 * The value of a parameter as the text of its place, in the styles of OpenAPI. Everything of the value is percent-encoded, so it
 * can end neither its segment nor its part of the query; the only characters that are not are the style's own.
 */
import { isJsonObject, type Json } from "../../core/json.ts";
import type { ParameterPlan } from "../api-description.ts";

type Pair = readonly [name: string, value: string];

/** For the place of `{name}` in a path. */
export function pathText(plan: ParameterPlan, value: Json): string {
  if (plan.isJson) return encode(JSON.stringify(value));
  const name = encode(plan.name);
  const { explode } = plan;
  if (plan.style === "label") return `.${partsOf(value, explode).join(explode ? "." : ",")}`;
  if (plan.style === "simple") return partsOf(value, explode).join(",");
  if (!explode || !isComposite(value)) return `;${name}=${partsOf(value, false).join(",")}`;
  const parts = Array.isArray(value)
    ? partsOf(value, true).map((part) => `${name}=${part}`)
    : partsOf(value, true);
  return parts.map((part) => `;${part}`).join("");
}

/** Parts of a query, each `name=value` and encoded; none for a value that is left out. */
export function queryParts(plan: ParameterPlan, value: Json): string[] {
  if (value === null) return [];
  const { name, style, explode } = plan;
  if (plan.isJson) return [pairText([name, JSON.stringify(value)])];
  if (style === "deepObject" && isJsonObject(value)) return deepPairs(name, value).map(pairText);
  if (!isComposite(value)) return [pairText([name, plainText(value)])];
  if (explode) {
    const pairs = Array.isArray(value)
      ? value.map((item): Pair => [name, plainText(item)])
      : entriesOf(value).map(([key, item]): Pair => [key, plainText(item)]);
    return pairs.map(pairText);
  }
  const parts = partsOf(value, false);
  return parts.length === 0 ? [] : [`${encode(name)}=${parts.join(SEPARATORS[style] ?? ",")}`];
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

/** Not encoded: a header has no such encoding. What it may not hold is for its reader to check. */
export function headerText(plan: ParameterPlan, value: Json): string {
  if (plan.isJson) return JSON.stringify(value);
  if (!isComposite(value)) return plainText(value);
  if (Array.isArray(value)) return value.map(plainText).join(",");
  return entriesOf(value)
    .map(([key, item]) => (plan.explode ? `${key}=${plainText(item)}` : `${key},${plainText(item)}`))
    .join(",");
}

/** Each `name=value`. */
export function cookieParts(plan: ParameterPlan, value: Json): string[] {
  return queryParts(plan, value);
}

export function pairText([name, value]: Pair): string {
  return `${encode(name)}=${encode(value)}`;
}

/** A value within a list or an object of a parameter. */
export function plainText(value: Json): string {
  if (typeof value === "string") return value;
  return value === null ? "" : JSON.stringify(value);
}

/** A lone half of a character has no encoding; it becomes the mark for that. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function isComposite(value: Json): value is Exclude<Json, string | number | boolean | null> {
  return typeof value === "object" && value !== null;
}

function entriesOf(value: Json): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value).filter(([, item]) => item !== null) : [];
}

/** Encoded: the items of a list; the keys and values of an object, as pairs where they are exploded. */
function partsOf(value: Json, explode: boolean): string[] {
  if (!isComposite(value)) return [encode(plainText(value))];
  if (Array.isArray(value)) return value.map((item) => encode(plainText(item)));
  return entriesOf(value).flatMap(([key, item]) => {
    const text = encode(plainText(item));
    return explode ? [`${encode(key)}=${text}`] : [encode(key), text];
  });
}

/** Deeper than any filter of a real API. */
const DEEP_MAX = 6;

function deepPairs(name: string, value: Json, depth = 0): Pair[] {
  if (value === null) return [];
  if (depth > DEEP_MAX || !isComposite(value)) return [[name, plainText(value)]];
  if (Array.isArray(value)) return value.flatMap((item) => deepPairs(name, item, DEEP_MAX));
  return entriesOf(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item, depth + 1));
}
