/**
 * The words for what changed between two JSON Schemas: each change is one line, with its path. Names and values come
 * from strangers: they are cut and cannot forge a line.
 */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../core/json.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { typeText } from "../../text/schema-type.ts";
import { SHOWN } from "../../text/type-style.ts";
import { cut } from "../../text/cut.ts";
import { quote } from "../../text/quote.ts";
import { own } from "./diff-nodes.ts";

const TYPE_LENGTH_MAX = 160;
const VALUE_LENGTH_MAX = 60;
const NAME_LENGTH_MAX = 80;
/** Of an enum too long to be written out. */
const MEMBERS_SHOWN_MAX = 5;

/** Keywords with a value that reads well by itself. */
const LIMITS: readonly string[] = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "default",
];
const WORDS: readonly string[] = ["title", "description"];

/** What was told so far, of which two schemas. */
export interface Changes {
  readonly roots: { readonly before: unknown; readonly after: unknown };
  readonly lines: string[];
}

/** Whether there was a change to tell: two schemas may differ and still be of one type. */
export function tellTypes(path: string, before: unknown, after: unknown, changes: Changes): boolean {
  const types = [typeOf(before, changes.roots.before), typeOf(after, changes.roots.after)] as const;
  if (types[0] === types[1]) return false;
  changes.lines.push(`${nameOf(path)}: ${types[0]} became ${types[1]}`);
  return true;
}

/** Of two enums whose types read the same, because both are cut. */
export function tellMembers(path: string, before: unknown, after: unknown, changes: Changes): boolean {
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  const texts = { before: new Set(before.map(show)), after: new Set(after.map(show)) };
  const added = [...texts.after.difference(texts.before)].sort();
  const removed = [...texts.before.difference(texts.after)].sort();
  if (added.length > 0) changes.lines.push(`${nameOf(path)}: ${members(added)} may be given now`);
  if (removed.length > 0)
    changes.lines.push(`${nameOf(path)}: ${members(removed)} may not be given any more`);
  return added.length + removed.length > 0;
}

function members(texts: readonly string[]): string {
  const rest = texts.length - MEMBERS_SHOWN_MAX;
  return texts.slice(0, MEMBERS_SHOWN_MAX).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** A keyword that came, went or has another value. */
export function tellValue(
  path: string,
  key: string,
  before: unknown,
  after: unknown,
  changes: Changes,
): void {
  if (isDeepStrictEqual(before, after)) return;
  const start = `${nameOf(path)}: ${key}`;
  if (before === undefined) changes.lines.push(`${start} ${show(after)} was added`);
  else if (after === undefined) changes.lines.push(`${start} ${show(before)} was removed`);
  else changes.lines.push(`${start} ${show(before)} became ${show(after)}`);
}

/** Limits with their values; texts only as changed, because they are long and say nothing about what may be given. */
export function tellWords(
  path: string,
  before: (key: string) => unknown,
  after: (key: string) => unknown,
  changes: Changes,
): void {
  for (const key of LIMITS) tellValue(path, key, before(key), after(key), changes);
  for (const key of WORDS) {
    if (!isDeepStrictEqual(before(key), after(key))) changes.lines.push(`${key} of ${nameOf(path)} changed`);
  }
}

/** What only an alternative refers to is not walked; that it changed is all that can be said. */
export function tellDefinitions(before: JsonObject, after: JsonObject, changes: Changes): void {
  const known = new Set([...Object.keys(before), ...Object.keys(after)]);
  known.delete("$defs");
  known.delete("definitions");
  tellOthers("", before, after, [...known], changes);
}

/** Everything without words of its own, by the names of the keywords. */
export function tellOthers(
  path: string,
  before: JsonObject,
  after: JsonObject,
  told: readonly string[],
  changes: Changes,
): void {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const known = new Set<string>([...told, ...LIMITS, ...WORDS]);
  const changed = [...keys].filter(
    (key) => !known.has(key) && !isDeepStrictEqual(own(before, key), own(after, key)),
  );
  if (changed.includes("additionalProperties")) {
    tellValue(
      path,
      "additionalProperties",
      before["additionalProperties"],
      after["additionalProperties"],
      changes,
    );
  }
  const others = changed.filter((key) => key !== "additionalProperties").sort();
  if (others.length > 0)
    changes.lines.push(`${nameOf(path)}: details changed (${members(others.map(cutName))})`);
}

function nameOf(path: string): string {
  return path === "" ? "the schema" : path;
}

/** A property as a step of a path. */
export function step(name: string, path: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `[${escapeUnprintable(quote(name, NAME_LENGTH_MAX))}]`;
  return `${path === "" ? "" : "."}${cutName(name)}`;
}

function cutName(name: string): string {
  return escapeUnprintable(cut(name, NAME_LENGTH_MAX));
}

/** The type of a schema in one line. */
export function typeOf(schema: unknown, root: unknown): string {
  return cut(typeText(schema, SHOWN, 0, root), TYPE_LENGTH_MAX);
}

function show(value: unknown): string {
  return escapeUnprintable(cut(JSON.stringify(value), VALUE_LENGTH_MAX));
}
