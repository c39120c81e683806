/**
 * The texts of an entry that models and people read, made visible and kept short. Names, `enum`, `const`, `default`,
 * `examples` and patterns stay exact: they are sent back, or compared.
 */
import { isLocalPointer, readPointer } from "../text/json-pointer.ts";
import { type Json, type JsonObject, isJsonObject } from "../core/json.ts";
import { makeVisible } from "../text/visible-text.ts";
import { cutStart } from "../text/cut.ts";
import { branchesOf } from "./schema-keywords.ts";
import type { TextNote } from "./finding-code.ts";
import { createTextRepair, type TextRepair } from "./text-repair.ts";

/** A longer one costs every client tokens in every request, and has room to argue with the model. */
export const DESCRIPTION_BYTES_MAX = 8 * 1024;
/** For titles and what is said about one parameter. The longest that a real server has is 5.2 KiB. */
export const DETAIL_BYTES_MAX = 6 * 1024;
/** Of a place that a note names: its end says most. */
const PLACE_LENGTH_MAX = 120;

export interface RepairedEntry {
  /** The very same object where nothing is to be repaired. */
  readonly entry: JsonObject;
  readonly notes: readonly TextNote[];
}

/** `shown` is one field more that is only for people. */
export function repairTexts(entry: JsonObject, shown?: string): RepairedEntry {
  const texts = createTextRepair();
  const changes: Record<string, Json | undefined> = {};
  for (const field of Object.keys(entry)) {
    const repaired = repairField(field, entry[field]!, texts, shown);
    if (repaired !== entry[field]) changes[field] = repaired;
  }
  return { entry: withChanges(entry, changes), notes: texts.notes() };
}

/** Without fields whose change is to undefined. */
function withChanges(entry: JsonObject, changes: Readonly<Record<string, Json | undefined>>): JsonObject {
  if (Object.keys(changes).length === 0) return entry;
  const fields = Object.entries({ ...entry, ...changes });
  return Object.fromEntries(fields.filter((field): field is [string, Json] => field[1] !== undefined));
}

function repairField(field: string, value: Json, texts: TextRepair, shown?: string): Json | undefined {
  switch (field) {
    case "title":
    case shown:
      return typeof value === "string" ? texts.repair(value, field, DETAIL_BYTES_MAX) : value;
    case "description":
      return typeof value === "string" ? texts.repair(value, field, DESCRIPTION_BYTES_MAX) : undefined;
    case "annotations":
      return repairDetails(value, field, texts);
    case "arguments":
      return mapSame(value, (item, key) => repairDetails(item, `arguments/${key}`, texts));
    case "inputSchema":
    case "outputSchema":
      return isJsonObject(value) && mayNeedRepair(value) ? repairSchema(value, field, texts) : value;
    default:
      return value;
  }
}

/** The title and description of a part of an entry. */
function repairDetails(value: Json, place: string, texts: TextRepair): Json {
  if (!isJsonObject(value)) return value;
  return mapSame(value, (item, key) =>
    (key === "title" || key === "description") && typeof item === "string"
      ? texts.repair(item, `${place}/${key}`, DETAIL_BYTES_MAX)
      : item,
  );
}

/** A quick look that may be wrong in one way only: most schemas need nothing, and are walked once. */
function mayNeedRepair(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(mayNeedRepair);
  for (const key of Object.keys(value)) {
    const child = (value as JsonObject)[key]!;
    if (typeof child === "object") {
      if (mayNeedRepair(child)) return true;
    } else if (typeof child === "string" && (key === "description" || key === "title")) {
      if (child.length * 3 > DETAIL_BYTES_MAX || makeVisible(child) !== child) return true;
    }
  }
  return false;
}

/** Only what is in the place of a schema is one: in `properties`, "description" is the name of a parameter. */
function repairSchema(root: JsonObject, place: string, texts: TextRepair): Json {
  const schemas = collectSchemas(root);
  const walk = (value: Json, path: string): Json => {
    if (typeof value !== "object" || value === null) return value;
    const isSchema = schemas.has(value);
    return mapSame(value, (child, key) => {
      const childPath = `${path}/${key}`;
      const isText = isSchema && typeof child === "string" && (key === "description" || key === "title");
      return isText
        ? texts.repair(child, cutStart(childPath, PLACE_LENGTH_MAX), DETAIL_BYTES_MAX)
        : walk(child, childPath);
    });
  };
  return walk(root, place);
}

function collectSchemas(root: JsonObject): Set<unknown> {
  const schemas = new Set<unknown>();
  const stack: unknown[] = [root];
  for (let schema = stack.pop(); schema !== undefined; schema = stack.pop()) {
    if (!isJsonObject(schema) || schemas.has(schema)) continue;
    schemas.add(schema);
    for (const branch of branchesOf(schema, "")) stack.push(branch.schema);
    const reference = schema["$ref"];
    if (typeof reference === "string" && isLocalPointer(reference)) stack.push(readPointer(root, reference));
  }
  return schemas;
}

/** The very same list or object where no part of it changes. */
function mapSame(value: Json, change: (child: Json, key: string) => Json): Json {
  if (typeof value !== "object" || value === null) return value;
  let isChanged = false;
  const entries = Object.entries(value).map(([key, child]: [string, Json]): [string, Json] => {
    const changed = change(child, key);
    isChanged ||= changed !== child;
    return [key, changed];
  });
  if (!isChanged) return value;
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}
