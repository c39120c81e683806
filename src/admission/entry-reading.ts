import { isJsonObject, type JsonObject } from "../core/json.ts";
import { cutStart } from "../text/cut.ts";

export type EntryKind = "tool" | "resource" | "resource template" | "prompt" | "skill";

/** How an entry is called in findings. */
export function entryNameOf(kind: EntryKind, entry: JsonObject): string {
  return entry[NAME_FIELDS[kind]] as string;
}

const NAME_FIELDS: Readonly<Record<EntryKind, string>> = {
  tool: "name",
  prompt: "name",
  resource: "uri",
  skill: "uri",
  "resource template": "uriTemplate",
};

/** Not for models: pictures, and what one program says to another. */
const UNREAD_FIELDS: ReadonlySet<string> = new Set(["_meta", "icons"]);

/** A name of a field, the description of the entry itself, a value that is an example of one, or any other text. */
type TextRole = "name" | "description" | "value" | "text";

export interface PlacedText {
  readonly text: string;
  /** The way to it, such as `inputSchema/properties/a/description`. */
  readonly place: string;
  readonly role: TextRole;
}

interface PathStep {
  readonly key: string;
  readonly parent: PathStep | undefined;
}

/** One short word of plain characters says nothing to anybody; a longer one may be encoded, and one in brackets a tag. */
const WORD_LENGTH_MAX = 13;
const SAYS_SOMETHING = /[^!-~]|</;
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "example", "enumNames"]);

/** Every text and every name in an entry that a model may read and that says something, in the order of the entry. */
export function textsOf(definition: JsonObject): PlacedText[] {
  const texts: PlacedText[] = [];
  const look = (text: string, role: TextRole, step: PathStep | undefined) => {
    if (text.length > WORD_LENGTH_MAX || SAYS_SOMETHING.test(text))
      texts.push({ text, role, place: placeOf(step) });
  };
  // Admission passes at most 48 levels.
  const walk = (value: unknown, parent: PathStep | undefined, isValue: boolean) => {
    if (typeof value === "string") look(value, roleOf(parent, isValue), parent);
    if (typeof value !== "object" || value === null) return;
    const hasNames = isJsonObject(value);
    for (const key of Object.keys(value)) {
      if (parent === undefined && UNREAD_FIELDS.has(key)) continue;
      if (hasNames) look(key, "name", parent);
      walk((value as JsonObject)[key], { key, parent }, isValue || (hasNames && VALUES.has(key)));
    }
  };
  walk(definition, undefined, false);
  return texts;
}

/** Whether a text is more than one plain word. */
export function isPhrase(text: string): boolean {
  return SAYS_SOMETHING.test(text);
}

function roleOf(step: PathStep | undefined, isValue: boolean): TextRole {
  if (isValue) return "value";
  return step?.key === "description" && step.parent === undefined ? "description" : "text";
}

function placeOf(step: PathStep | undefined): string {
  const keys: string[] = [];
  for (let at = step; at !== undefined; at = at.parent) keys.push(at.key);
  const place = keys.toReversed().join("/");
  return cutStart(place, 120);
}
