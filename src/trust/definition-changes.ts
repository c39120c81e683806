/**
 * What differs between two definitions of one thing: by field, for the record, and value by value, for a person who
 * decides. Nothing is cut from what a person is shown.
 */
import { hashJson, isJsonObject, NO_LIMITS, type Json, type JsonObject } from "../core/json.ts";
import { cutStart } from "../text/cut.ts";
import { compareText } from "../text/compare-text.ts";
import { escapeUnprintable } from "../text/printable.ts";

/** A field of a definition that is another one now, by the hashes of both; null where there is none. */
export interface FieldChange {
  readonly field: string;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
}

/** `_meta` is told by its keys: each belongs to somebody else. */
export function changedFields(before: JsonObject, after: JsonObject): FieldChange[] {
  const [was, is] = [fieldHashes(before), fieldHashes(after)];
  const fields = [...new Set([...was.keys(), ...is.keys()])].sort(compareText);
  return fields
    .map((field) => ({ field, beforeHash: was.get(field) ?? null, afterHash: is.get(field) ?? null }))
    .filter(({ beforeHash, afterHash }) => beforeHash !== afterHash);
}

const known = new WeakMap<JsonObject, ReadonlyMap<string, string>>();

function fieldHashes(definition: JsonObject): ReadonlyMap<string, string> {
  let hashes = known.get(definition);
  if (hashes === undefined) {
    hashes = new Map(fieldsOf(definition).map(([field, value]) => [field, hashJson(value, NO_LIMITS)]));
    known.set(definition, hashes);
  }
  return hashes;
}

function fieldsOf(definition: JsonObject): [string, Json][] {
  return Object.entries(definition).flatMap(([field, value]): [string, Json][] =>
    field === "_meta" && isJsonObject(value)
      ? Object.entries(value).map(([key, inner]) => [`_meta.${key}`, inner])
      : [[field, value]],
  );
}

/** One value that came, went or is another one now. */
export interface ValueChange {
  /** The way to it: `inputSchema/properties/to/description`. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Every value that differs, in the order of the way to it. */
export function changedValues(before: Json | undefined, after: Json | undefined, path = ""): ValueChange[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(compareText);
    return keys.flatMap((key) =>
      changedValues(own(before, key), own(after, key), path === "" ? key : `${path}/${key}`),
    );
  }
  if (before === undefined && after === undefined) return [];
  if (
    before !== undefined &&
    after !== undefined &&
    hashJson(before, NO_LIMITS) === hashJson(after, NO_LIMITS)
  )
    return [];
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** More are counted: a reason is read in one line. */
const TOLD_MAX = 5;
const PATH_LENGTH_MAX = 80;

/** The same in a few words, for reasons and refusals. */
export function tellChanges(before: JsonObject, after: JsonObject): string[] {
  const changes = changedValues(before, after);
  const told = changes.slice(0, TOLD_MAX).map(tellChange);
  return changes.length > TOLD_MAX ? [...told, `and ${changes.length - TOLD_MAX} more`] : told;
}

function tellChange({ path, before, after }: ValueChange): string {
  const place = escapeUnprintable(cutStart(path, PATH_LENGTH_MAX));
  if (before === undefined) return `${place} was added`;
  return after === undefined ? `${place} was removed` : `${place} changed`;
}

/** Fields of MCP and of an identity; any other is named by the server. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "answerSchema",
  "annotations",
  "arguments",
  "icons",
  "execution",
  "mimeType",
  "_meta.ui",
  "text",
  "command",
  "args",
  "package",
  "url",
  "openapi",
  "baseUrl",
  "serverInfo",
]);

/** The fields that changed, in no word of the server's. */
export function tellFields(before: JsonObject, after: JsonObject): string[] {
  const fields = changedFields(before, after).map(({ field }) =>
    KNOWN_FIELDS.has(field) ? field : "another field",
  );
  return [...new Set(fields)].map((field) => `${field} changed`);
}
