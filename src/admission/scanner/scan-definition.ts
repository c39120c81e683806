/** Everything that the texts of one entry say by themselves, at most one finding of each kind. */
import type { JsonObject } from "../../core/json.ts";
import { isSecretKey } from "../../text/redaction.ts";
import { textsOf, type EntryKind, type PlacedText } from "../entry-reading.ts";
import type { FindingCode, TextNote } from "../finding-code.ts";
import { wordsOfName } from "./words/name-words.ts";
import { findOutOfScope, findParameter } from "./scope.ts";
import { purposeOf, type Purpose } from "./purpose.ts";
import { scanText } from "./scan-text.ts";

export function scanDefinition(
  definition: JsonObject,
  kind: EntryKind,
  count?: (steps: number) => void,
): TextNote[] {
  const purpose = purposeOf(definition);
  const notes = new Map<FindingCode, TextNote>();
  const add = (note: TextNote | undefined) => {
    if (note !== undefined && !notes.has(note.code)) notes.set(note.code, note);
  };
  for (const placed of textsOf(definition)) {
    for (const note of scanPlaced(placed, kind, purpose, count)) add(note);
    add(findOutOfScope(placed, purpose));
  }
  for (const note of findParameter(definition, purpose)) add(note);
  return [...notes.values()];
}

/** Whether a text is about a parameter that is a secret by its name. */
function isOfSecret(place: string): boolean {
  const name = /properties\/([^/]{1,80})\/[^/]{1,40}$/.exec(place)?.[1];
  return name !== undefined && isSecretKey(name);
}

/** Names of this many words may be sentences: `send_all_messages_to_…`. */
const SENTENCE_WORDS_MIN = 4;

function scanPlaced(
  placed: PlacedText,
  kind: EntryKind,
  purpose: Purpose,
  count?: (steps: number) => void,
): TextNote[] {
  const { text, place, role } = placed;
  const source = kind === "prompt" ? "prompt" : "tool";
  const isSample = role === "value" && purpose.topics.has("security");
  const scope = isOfSecret(place)
    ? { ...purpose, topics: new Set([...purpose.topics, "secrets" as const]) }
    : purpose;
  const read = (said: string) =>
    scanText(
      { text: said, place, source, purpose: scope, isDescription: role === "description", isSample },
      count,
    );
  const words = /^[\w-]+$/.test(text) ? wordsOfName(text) : [];
  return words.length >= SENTENCE_WORDS_MIN ? [...read(text), ...read(words.join(" "))] : read(text);
}
