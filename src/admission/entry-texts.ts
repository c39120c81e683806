/**
 * The texts of an entry that models and people read, made visible and kept short. Names, `enum`, `const`, `default`,
 * `examples` and patterns stay exact: they are sent back, or compared.
 */
import { isLocalPointer, readPointer } from "../text/json-pointer.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { dropLooseEnd, makeVisible } from "../text/visible-text.ts";
import { cutStart, cutToBytes } from "../text/cut.ts";
import { branchesOf } from "./schema-keywords.ts";
import type { TextNote } from "./finding-code.ts";
import { excerptOf } from "./excerpt.ts";

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
    case "answerSchema":
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

/** What is done to the texts of one entry before anybody reads them, and what there is to say about it. */
interface TextRepair {
  /** The text as it may be shown; the very same where nothing is to be repaired. */
  repair(text: string, place: string, bytesMax: number): string;
  /** At most one of each kind: an entry with a thousand bad texts is one bad entry. */
  notes(): TextNote[];
}

/** A longer text is not read to its end: even with every blank taken out, what follows would be cut. */
const READ_RATIO = 8;
const TAGS = /[\u{E0020}-\u{E007E}]/gu;

interface Found {
  readonly what: string;
  readonly excerpt: string;
  moreCount: number;
}

function createTextRepair(): TextRepair {
  const found = new Map<TextNote["code"], Found>();

  function note(code: TextNote["code"], what: () => string, excerpt: () => string): void {
    const known = found.get(code);
    if (known === undefined) found.set(code, { what: what(), excerpt: excerpt(), moreCount: 0 });
    else known.moreCount++;
  }

  return {
    repair(text, place, bytesMax) {
      const read = text.length > READ_RATIO * bytesMax ? text.slice(0, READ_RATIO * bytesMax) : text;
      const visible = makeVisible(read);
      // The ends of lines are spelt in one way; that hides nothing.
      if (visible !== read && visible !== read.replaceAll("\r\n", "\n")) {
        note(
          "hidden_text",
          () => `${place} has text that does not show; it is written out${spell(read)}`,
          () => excerptOf(visible, firstDifference(read, visible)),
        );
      }
      if (read === text && fits(visible, bytesMax)) return visible;
      note(
        "oversize_text",
        () => `${place} has ${Buffer.byteLength(text)} bytes; the limit is ${bytesMax}, and the rest is cut`,
        () => excerptOf(visible),
      );
      return cutWithMark(visible, bytesMax);
    },
    notes: () =>
      [...found].map(([code, { what, excerpt, moreCount }]) => ({
        code,
        message: moreCount === 0 ? what : `${what} (and so in ${moreCount} more of its texts)`,
        excerpt,
      })),
  };
}

function fits(text: string, bytesMax: number): boolean {
  return text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax;
}

function cutWithMark(text: string, bytesMax: number): string {
  const mark = ` … [cut at ${bytesMax / 1024} KiB]`;
  return dropLooseEnd(cutToBytes(text, bytesMax - Buffer.byteLength(mark))) + mark;
}

/** Tags are letters that no font draws: what they spell is what a model may read. */
function spell(text: string): string {
  const tags = text.match(TAGS);
  if (tags === null) return "";
  const letters = tags.slice(0, 160).map((tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000));
  return `, and its tag characters spell ${JSON.stringify(letters.join(""))}`;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
