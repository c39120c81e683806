/**
 * Tools that pass for a tool of another server: nearly the same name, if it is a distinctive one, and nearly the same
 * description. Which of the two is the copy nobody can tell from the texts; the one that says more is reported.
 */
import type { JsonObject } from "../../core/json.ts";
import { entryNameOf } from "../entry-reading.ts";
import { excerptOf } from "../excerpt.ts";
import type { EntryFinding, ListedEntries } from "../findings.ts";
import { foldWord, unmaskWord } from "./words/folding.ts";
import { wordsOfName } from "./words/name-words.ts";

interface ListedTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly words: ReadonlySet<string>;
}

/** A shorter name, or a plain word, is on many servers. */
const NAME_LENGTH_MIN = 8;
/** Two short descriptions of one thing are alike without a copy. */
const WORDS_MIN = 4;
const ALIKE_SHARE = 0.7;
const CONTAINED_SHARE = 0.9;
/** Servers that are this much the same are one server, configured twice. */
const TWIN_SHARE = 0.8;
const TWIN_TOOLS_MIN = 2;
const NAME_WORDS_MAX = 6;
/** So many of one name say it all. */
const GROUP_MAX = 30;

/** What a copy adds to a name to look newer or safer. */
const DECORATION =
  /^(?:v?\d+|new|safe|secure|secured|fast|faster|pro|plus|better|improved|enhanced|official|tool|latest|premium|verified|the|ext|alt)$/;

export function findShadows(servers: readonly ListedEntries[]): Map<string, EntryFinding[]> {
  const found = new Map<string, EntryFinding[]>();
  const tools = servers.flatMap(toolsOf);
  const areTwins = createTwinCheck(tools);
  const reported = new Set<ListedTool>();
  for (const group of groupsOf(tools)) {
    for (const [shadow, original] of pairsOf(group)) {
      if (reported.has(shadow) || areTwins(shadow.server, original.server)) continue;
      reported.add(shadow);
      found.set(shadow.server, [...(found.get(shadow.server) ?? []), findingOf(shadow, original)]);
    }
  }
  return found;
}

function toolsOf({ server, entries }: ListedEntries): ListedTool[] {
  return entries.flatMap(({ kind, definition }) => {
    if (kind !== "tool") return [];
    const entry = definition as JsonObject;
    const said = typeof entry["description"] === "string" ? entry["description"] : "";
    return [{ server, name: entryNameOf(kind, entry), description: said, words: wordsOf(said) }];
  });
}

function wordsOf(text: string): ReadonlySet<string> {
  const words =
    text
      .slice(0, 4000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,40}/gu) ?? [];
  return new Set(words.map((word) => word.replace(/(?<=\p{L}{3})(?:ing|es|ed|s|e)$/u, "")));
}

/** Tools of one distinctive name, however it is spelt. */
function groupsOf(tools: readonly ListedTool[]): Iterable<ListedTool[]> {
  const groups = new Map<string, ListedTool[]>();
  for (const tool of tools) {
    for (const key of keysOf(tool.name)) {
      const group = groups.get(key) ?? [];
      if (group.length < GROUP_MAX) group.push(tool);
      groups.set(key, group);
    }
  }
  return groups.values();
}

/** A copy may have one word more: `slack_post_message`. */
function keysOf(name: string): string[] {
  const words = wordsOfName(name).map((word) => unmaskWord(foldWord(word)) ?? foldWord(word));
  const telling = words.filter((word) => !DECORATION.test(word));
  const shorter =
    telling.length >= 3 && telling.length <= NAME_WORDS_MAX
      ? telling.map((_, at) => telling.toSpliced(at, 1))
      : [];
  return [telling, ...shorter]
    .map((some) => (some.length >= 2 ? some.toSorted().join("_") : ""))
    .filter((key) => key.length >= NAME_LENGTH_MIN);
}

/** Each copy with the first tool that it is like. */
function pairsOf(group: readonly ListedTool[]): (readonly [shadow: ListedTool, original: ListedTool])[] {
  const reported = new Set<ListedTool>();
  const pairs: (readonly [ListedTool, ListedTool])[] = [];
  for (const [at, one] of group.entries()) {
    for (const other of group.slice(at + 1)) {
      if (one.server === other.server || !areAlike(one, other)) continue;
      const [shadow, original] = one.words.size > other.words.size ? [one, other] : [other, one];
      if (!reported.has(shadow)) pairs.push([shadow, original]);
      reported.add(shadow);
    }
  }
  return pairs;
}

function areAlike({ words: one }: ListedTool, { words: other }: ListedTool): boolean {
  const smaller = Math.min(one.size, other.size);
  if (smaller < WORDS_MIN) return false;
  const both = [...one].filter((word) => other.has(word)).length;
  return both / (one.size + other.size - both) >= ALIKE_SHARE || both / smaller >= CONTAINED_SHARE;
}

/** Says of two servers whether nearly all their tools are the very same: two accounts of one service. */
function createTwinCheck(tools: readonly ListedTool[]): (one: string, other: string) => boolean {
  const bodies = new Map<string, Set<string>>();
  for (const { server, name, description } of tools)
    bodies.set(server, (bodies.get(server) ?? new Set()).add(`${name}\n${description}`));
  return (one, other) => {
    const [a, b] = [bodies.get(one)!, bodies.get(other)!];
    const both = [...a].filter((body) => b.has(body)).length;
    return both >= TWIN_TOOLS_MIN && both / Math.max(a.size, b.size) >= TWIN_SHARE;
  };
}

function findingOf(shadow: ListedTool, original: ListedTool): EntryFinding {
  const message = `its name and description are nearly those of ${excerptOf(original.name)}, a tool of ${original.server}`;
  return {
    code: "shadowed_tool",
    kind: "tool",
    tool: shadow.name,
    message,
    excerpt: excerptOf(shadow.description),
  };
}
