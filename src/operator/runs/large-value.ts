/**
 * A large value of a run, read in parts. It is read from the store once and kept for the next part; of two values at
 * most, so that somebody who looks at results does not fill the memory. No text is made of the whole, and only what is
 * shown is redacted.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import { pointerParts } from "../../text/json-pointer.ts";
import { REDACTED, type Redactor } from "../../text/redaction.ts";
import { createLru } from "../../timing/lru.ts";
import type { AnswerOf } from "../contract/contract.ts";
import { measureJson } from "./json-size.ts";

type Part = AnswerOf<"readValue">;

interface Wanted {
  /** A JSON Pointer. */
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
}

/** What a screen shows at once; the next ones are asked for. */
const ENTRY_COUNT_MAX = 500;
/** An entry up to so many bytes is shown as it is. */
const SHORT_BYTES_MAX = 300;
const VALUE_COUNT_MAX = 2;
/** About as much as the texts of two of the largest results. */
const VALUE_BYTES_MAX = 64 * 1024 * 1024;

export interface LargeValues {
  /** The value of this key, read where it is not kept. */
  get(key: string, read: () => Promise<Json | undefined>): Promise<Json | undefined>;
}

export function createLargeValues(): LargeValues {
  const kept = createLru<{ readonly value: Json }>({ countMax: VALUE_COUNT_MAX, sizeMax: VALUE_BYTES_MAX });
  return {
    async get(key, read) {
      const known = kept.get(key);
      if (known !== undefined) return known.value;
      const value = await read();
      if (value !== undefined) kept.set(key, { value }, measureJson(value));
      return value;
    },
  };
}

/** The part at a path; undefined where there is nothing. */
export function readPart(root: Json, { path, offset, limit }: Wanted, redactor: Redactor): Part | undefined {
  const value = walk(root, path, redactor);
  if (value === undefined) return undefined;
  const bytes = measureJson(value);
  if (typeof value !== "object" || value === null)
    return { kind: kindOf(value), bytes, ...textOf(value, redactor, offset, limit) };
  const entries = Array.isArray(value)
    ? listEntries(value as readonly Json[], offset, limit)
    : objectEntries(value as JsonObject, offset, limit);
  const end = offset + entries.length;
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  return {
    kind: kindOf(value),
    bytes,
    entry_count: count,
    entries: entries.map(([key, child]) => entryOf(value, key, child, redactor)),
    ...(end < count && { next: end }),
  };
}

function walk(root: Json, path: string, redactor: Redactor): Json | undefined {
  let value: Json | undefined = root;
  for (const key of pointerParts(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (isHidden(value, key, redactor)) return REDACTED;
    value = (value as JsonObject)[key];
  }
  return value;
}

type Entry = readonly [key: string | number, value: Json];

function listEntries(list: readonly Json[], offset: number, limit: number): Entry[] {
  const some = list.slice(offset, offset + Math.min(limit, ENTRY_COUNT_MAX));
  return some.map((value, at) => [offset + at, value]);
}

function objectEntries(object: JsonObject, offset: number, limit: number): Entry[] {
  const keys = Object.keys(object).slice(offset, offset + Math.min(limit, ENTRY_COUNT_MAX));
  return keys.map((key) => [key, object[key]!]);
}

function entryOf(parent: object, key: string | number, value: Json, redactor: Redactor) {
  const isSecret = isHidden(parent, String(key), redactor);
  const shown = isSecret ? REDACTED : value;
  const bytes = measureJson(shown);
  const isInner = typeof shown === "object" && shown !== null;
  return {
    key: typeof key === "string" ? redactor.text(key) : key,
    kind: kindOf(shown),
    bytes,
    ...(bytes <= SHORT_BYTES_MAX && { value: isSecret ? shown : redactor.value(shown) }),
    ...(isInner && { entry_count: Array.isArray(shown) ? shown.length : Object.keys(shown).length }),
  };
}

function kindOf(value: Json): Part["kind"] {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as "object" | "string" | "number" | "boolean";
}

/** A text by characters; any other plain value whole. */
function textOf(value: string | number | boolean | null, redactor: Redactor, offset: number, limit: number) {
  const text = typeof value === "string" ? redactText(value, redactor) : String(value);
  const end = Math.min(text.length, offset + limit);
  return { text: text.slice(offset, end), ...(end < text.length && { next: end }) };
}

/** What a redactor reads at once. */
const CHUNK_LENGTH = 256 * 1024;

/** Of a long text, known secrets are taken out of the whole, and what looks like one out of each piece between blanks. */
function redactText(text: string, redactor: Redactor): string {
  if (text.length <= CHUNK_LENGTH) return redactor.text(text);
  const masked = redactor.mask(text);
  const pieces: string[] = [];
  for (let at = 0; at < masked.length;) {
    const end = endOfPiece(masked, at);
    pieces.push(redactor.text(masked.slice(at, end)));
    at = end;
  }
  return pieces.join("");
}

function endOfPiece(text: string, start: number): number {
  const end = start + CHUNK_LENGTH;
  if (end >= text.length) return text.length;
  const blank = Math.max(text.lastIndexOf(" ", end), text.lastIndexOf("\n", end));
  return blank > start ? blank + 1 : end;
}

/** No redactor takes it out by itself, so only its place can. */
const PROBE = "x";

/** Whether the value under a key is a secret whatever it is: by its name, or by what is said of it beside it. */
function isHidden(parent: object, key: string, redactor: Redactor): boolean {
  if (Array.isArray(parent)) return false;
  const { name, key: named } = parent as { readonly name?: unknown; readonly key?: unknown };
  const probe = {
    ...(typeof name === "string" && { name }),
    ...(typeof named === "string" && { key: named }),
    [key]: PROBE,
  };
  const shown = redactor.value(probe) as Readonly<Record<string, unknown>>;
  return Object.hasOwn(shown, key) && shown[key] !== PROBE;
}
