/**
 * What changed between two JSON Schemas, in lines for a person or a model: each is one change, at its path.
 *
 * It walks both schemas side by side, through local references. Each pair of nodes is walked once, so references that
 * lead in a circle end, and what two places share is told at the first of them. What it has no words for is still told,
 * by the names of the keywords. The lines do not depend on the order of keys.
 */
import { isDeepStrictEqual } from "node:util";
import { type JsonObject, isJsonObject } from "../../core/json.ts";
import { cut } from "../../text/cut.ts";
import {
  step,
  tellDefinitions,
  tellMembers,
  tellOthers,
  tellTypes,
  tellValue,
  tellWords,
  typeOf,
  type Changes,
} from "./diff-lines.ts";
import { areBoth, fieldsOf, follow, isListType, isObjectType, own, requiredOf } from "./diff-nodes.ts";

/** More changes are not reported: compare the schemas themselves. */
const LINES_MAX = 40;
/** Above any schema that is admitted; hostile references could make many more pairs of fewer nodes. */
const PAIRS_MAX = 10_000;
/** Deeper than any schema that is admitted; a chain of references could lead deeper than the stack. */
const DEPTH_MAX = 100;
/** A path of many long names. */
const LINE_LENGTH_MAX = 500;

/** What a type is made of: once the change of type is told, these say nothing more. */
const TYPE_KEYS = ["type", "enum", "const", "items", "prefixItems", "anyOf", "oneOf", "allOf", "properties"];
/** Told where they are referred to. */
const DEFINITION_KEYS = ["$defs", "definitions", "$ref"];

interface Walk extends Changes {
  readonly seen: Map<unknown, Set<unknown>>;
  pairsLeft: number;
  depth: number;
  /** Something was left out for its size. */
  isCut: boolean;
}

/** The changes between two schemas of a tool's input or output; none when nothing a caller could notice changed. */
export function diffSchemas(before: JsonObject | undefined, after: JsonObject | undefined): string[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [`a schema was added: ${typeOf(after, after)}`];
  if (after === undefined) return [`the schema was removed: it was ${typeOf(before, before)}`];
  const roots = { before, after };
  const walk: Walk = { roots, lines: [], seen: new Map(), pairsLeft: PAIRS_MAX, depth: 0, isCut: false };
  compare("", before, after, walk);
  if (walk.lines.length === 0) tellDefinitions(before, after, walk);
  if (walk.isCut) walk.lines.unshift("the schemas are too large to be compared in full");
  const rest = walk.lines.length - LINES_MAX;
  const lines = walk.lines.slice(0, LINES_MAX).map((line) => cut(line, LINE_LENGTH_MAX));
  return rest <= 0 ? lines : [...lines, `… and ${rest} more`];
}

function compare(path: string, beforeHere: unknown, afterHere: unknown, walk: Walk): void {
  const before = follow(beforeHere, walk.roots.before);
  const after = follow(afterHere, walk.roots.after);
  if (!isJsonObject(before) || !isJsonObject(after)) {
    if (!isDeepStrictEqual(before, after)) tellTypes(path, before, after, walk);
    return;
  }
  const isNew = isNewPair(before, after, walk);
  // What is beside a reference belongs to this place; what the reference leads to is reported once.
  const at = (here: unknown, target: JsonObject) => (key: string) =>
    own(here, key) ?? (isNew ? target[key] : undefined);
  tellWords(path, at(beforeHere, before), at(afterHere, after), walk);
  if (isNew) compareParts(path, before, after, walk);
}

function compareParts(path: string, before: JsonObject, after: JsonObject, walk: Walk): void {
  if (walk.pairsLeft === 0 || walk.depth === DEPTH_MAX) {
    walk.isCut = true;
    return;
  }
  walk.pairsLeft--;
  walk.depth++;
  const told = compareTypes(path, before, after, walk);
  tellOthers(path, before, after, [...told, ...DEFINITION_KEYS], walk);
  compareFields(path, before, after, told, walk);
  walk.depth--;
}

/** Tells a change of type, unless it is told by parts; returns the keywords that need no other word. */
function compareTypes(path: string, before: JsonObject, after: JsonObject, walk: Walk): readonly string[] {
  const told = ["required", "properties", "type"];
  const areMaps = isJsonObject(before["additionalProperties"]) && isJsonObject(after["additionalProperties"]);
  if (areBoth(isObjectType, before, after)) return areMaps ? [...told, "additionalProperties"] : told;
  if (areBoth(isListType, before, after)) return [...told, "items"];
  if (tellTypes(path, before, after, walk)) return [...told, ...TYPE_KEYS];
  if (tellMembers(path, before["enum"], after["enum"], walk)) told.push("enum");
  tellValue(path, "type", before["type"], after["type"], walk);
  return told;
}

/** One level down: properties, items and additional properties, where both have them. */
function compareFields(
  path: string,
  before: JsonObject,
  after: JsonObject,
  told: readonly string[],
  walk: Walk,
): void {
  if (told.includes("anyOf")) return;
  const fields = { before: fieldsOf(before), after: fieldsOf(after) };
  const required = { before: requiredOf(before), after: requiredOf(after) };
  const names = new Set([
    ...fields.before.keys(),
    ...fields.after.keys(),
    ...required.before,
    ...required.after,
  ]);
  for (const name of [...names].sort()) {
    const field = path + step(name, path);
    const was = fields.before.has(name) || required.before.has(name);
    const is = fields.after.has(name) || required.after.has(name);
    const need = required.after.has(name) ? "required" : "optional";
    if (!was) walk.lines.push(`${field} was added (${need})`);
    else if (!is) walk.lines.push(`${field} was removed`);
    else {
      if (required.before.has(name) !== required.after.has(name)) walk.lines.push(`${field} is ${need} now`);
      compare(field, fields.before.get(name) ?? true, fields.after.get(name) ?? true, walk);
    }
  }
  if (told.includes("items")) compare(`${path}[]`, before["items"], after["items"], walk);
  if (told.includes("additionalProperties")) {
    compare(`${path}[*]`, before["additionalProperties"], after["additionalProperties"], walk);
  }
}

function isNewPair(before: unknown, after: unknown, walk: Walk): boolean {
  if (!isJsonObject(before) || !isJsonObject(after)) return true;
  const partners = walk.seen.get(before) ?? new Set();
  walk.seen.set(before, partners);
  if (partners.has(after)) return false;
  partners.add(after);
  return true;
}
