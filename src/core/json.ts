/**
 * JSON on arrival: bounded before it is walked, canonical before it is stored or hashed.
 *
 * `JSON.parse` accepts a depth of a million and `JSON.stringify` dies at ten thousand, so nothing from outside goes further
 * than `parseJson` or `findJsonProblem` before its depth, keys and size are known. Both walk without recursion.
 */
import { hash } from "node:crypto";
import { parse as parseJsonc, printParseErrorCode, type ParseError } from "jsonc-parser";
import { configure } from "safe-stable-stringify";
import { RepertoireError } from "./errors.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface JsonLimits {
  readonly depthMax: number;
  readonly keyCountMax: number;
  readonly bytesMax: number;
}

/** No tool seen in the wild nests deeper than 20 or has more than 2,000 keys; 4 MiB is the largest HTTP body. */
export const JSON_LIMITS: JsonLimits = { depthMax: 64, keyCountMax: 10_000, bytesMax: 4 * 1024 * 1024 };

/**
 * For what tools answer and code returns: as deep as what a client may send, and far wider, because a table of ten thousand
 * rows is an answer and no attack.
 */
export const DATA_LIMITS: JsonLimits = { ...JSON_LIMITS, keyCountMax: 200_000 };

/** For what was bounded where it came in, and must not fail a second time. */
export const NO_LIMITS: JsonLimits = { depthMax: Infinity, keyCountMax: Infinity, bytesMax: Infinity };

export type JsonParsed = { ok: true; value: Json } | { ok: false; message: string; position?: number };

/** Parses text that came from outside; too deep, too many keys, too large or malformed is a value, not a throw. */
export function parseJson(text: string, limits: JsonLimits = JSON_LIMITS): JsonParsed {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytesMax) {
    return { ok: false, message: `JSON is ${bytes} bytes; the limit is ${limits.bytesMax}` };
  }
  const tooDeepAt = findDepthExcess(text, limits.depthMax);
  if (tooDeepAt !== undefined) {
    return { ok: false, message: `JSON nests deeper than ${limits.depthMax} levels`, position: tooDeepAt };
  }
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return explainMalformed(text);
  }
  const problem = findJsonProblem(value, limits);
  return problem === undefined ? { ok: true, value } : { ok: false, message: problem };
}

/** V8's own message quotes the text, which may hold a secret, and does not always say where. */
function explainMalformed(text: string): JsonParsed {
  const errors: ParseError[] = [];
  parseJsonc(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  const first = errors[0];
  if (first === undefined) return { ok: false, message: "Not valid JSON" };
  const what = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return { ok: false, message: `Not valid JSON: ${what}`, position: first.offset };
}

function findDepthExcess(text: string, depthMax: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) {
      depth++;
      if (depth > depthMax) return i;
    } else if (char === 0x7d || char === 0x5d) depth--;
  }
  return undefined;
}

/** Which limit a value breaks, and in words. */
export interface JsonProblem {
  readonly kind: "too_deep" | "too_many_keys" | "not_json";
  readonly message: string;
}

/** Says why a value is not plain, bounded JSON data; `undefined` when it is. A cycle shows as too deep. */
export function findJsonProblem(root: unknown, limits: JsonLimits = JSON_LIMITS): string | undefined {
  return judgeJson(root, limits)?.message;
}

function judgeJson(root: unknown, limits: JsonLimits): JsonProblem | undefined {
  let keyCount = 0;
  const stack: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { value, depth } = entry;
    const problem = findScalarProblem(value);
    if (problem !== undefined) return { kind: "not_json", message: problem };
    if (typeof value !== "object" || value === null) continue;
    if (depth >= limits.depthMax)
      return { kind: "too_deep", message: `JSON nests deeper than ${limits.depthMax} levels` };
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) keyCount += children.length;
    if (keyCount > limits.keyCountMax)
      return { kind: "too_many_keys", message: `JSON has more than ${limits.keyCountMax} keys` };
    for (const child of children) stack.push({ value: child, depth: depth + 1 });
  }
  return undefined;
}

/**
 * The limit that data from `JSON.parse` breaks, if it breaks one. The same limits as `findJsonProblem`, for the way of every call:
 * it recurses no deeper than the limit, and allocates nothing where the data is within it.
 */
export function findParsedProblem(root: unknown, limits: JsonLimits): JsonProblem | undefined {
  if (typeof root !== "object" || root === null) return undefined;
  return keysLeftAfter(root, limits.depthMax, limits.keyCountMax) < 0 ? judgeJson(root, limits) : undefined;
}

/** How many more keys there may be after this value; below 0 where it has too many, or is too deep. */
function keysLeftAfter(value: object, levelsLeft: number, keysMax: number): number {
  if (levelsLeft === 0) return -1;
  let keysLeft = keysMax;
  if (Array.isArray(value)) {
    for (const child of value as unknown[]) {
      if (typeof child !== "object" || child === null) continue;
      keysLeft = keysLeftAfter(child, levelsLeft - 1, keysLeft);
      if (keysLeft < 0) return -1;
    }
    return keysLeft;
  }
  // What JSON.parse made inherits nothing that `in` would show.
  for (const key in value) {
    if (--keysLeft < 0) return -1;
    const child = (value as JsonObject)[key];
    if (typeof child !== "object" || child === null) continue;
    keysLeft = keysLeftAfter(child, levelsLeft - 1, keysLeft);
    if (keysLeft < 0) return -1;
  }
  return keysLeft;
}

/**
 * How many keys data from `JSON.parse` has in all; undefined where `findJsonProblem` has something against it. For the way of every
 * message of a client: one walk that allocates nothing, and recurses no deeper than the limit.
 */
export function countParsedKeys(root: unknown, limits: JsonLimits = JSON_LIMITS): number | undefined {
  const keyCount = keysOf(root, limits.depthMax);
  return Number.isFinite(keyCount) && keyCount <= limits.keyCountMax ? keyCount : undefined;
}

/** More than any limit where a part is too deep, or a number too large for JSON (`1e999`). */
function keysOf(value: unknown, levelsLeft: number): number {
  if (typeof value === "number") return Number.isFinite(value) ? 0 : Infinity;
  if (typeof value !== "object" || value === null) return 0;
  if (levelsLeft === 0) return Infinity;
  let keyCount = 0;
  if (Array.isArray(value)) {
    for (const child of value as unknown[]) keyCount += keysOf(child, levelsLeft - 1);
    return keyCount;
  }
  for (const key in value) keyCount += 1 + keysOf((value as JsonObject)[key], levelsLeft - 1);
  return keyCount;
}

function findScalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : `${value} is not a JSON number`;
    case "object": {
      if (value === null || Array.isArray(value)) return undefined;
      const prototype: unknown = Object.getPrototypeOf(value);
      return prototype === Object.prototype || prototype === null
        ? undefined
        : "only plain objects are JSON data";
    }
    default:
      return `a ${typeof value} is not JSON data`;
  }
}

const stringify = configure({ deterministic: true, strict: true, bigint: false });

/** The one text of a JSON value: keys sorted by code unit, no white space. Throws `JSON_LIMIT` on anything but bounded plain data. */
export function canonicalJson(value: unknown, limits: JsonLimits = JSON_LIMITS): string {
  const problem = findJsonProblem(value, limits);
  if (problem !== undefined) throw new RepertoireError("JSON_LIMIT", problem);
  const text = stringify(value) as string;
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytesMax) {
    throw new RepertoireError("JSON_LIMIT", `JSON is ${bytes} bytes; the limit is ${limits.bytesMax}`);
  }
  return text;
}

/** SHA-256 of a text, as 64 hex digits. */
export function hashText(text: string): string {
  return hash("sha256", text, "hex");
}

/** SHA-256 of the canonical form: equal for equal values, whatever the order of their keys. */
export function hashJson(value: unknown, limits: JsonLimits = JSON_LIMITS): string {
  return hashText(canonicalJson(value, limits));
}
