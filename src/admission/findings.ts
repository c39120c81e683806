/**
 * What looks like an attack in the texts that servers list. A finding is a reason for a person to look, with the text
 * itself; it proves nothing, and a text without one may still be hostile.
 *
 * Admission records what it changed. The rest is found in what came in, when somebody asks, and once for
 * each definition: a process that is not asked reads no text twice.
 */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { makeVisible } from "../text/visible-text.ts";
import { exposeTools } from "../core/names.ts";
import { entryNameOf, isPhrase, textsOf, type EntryKind } from "./entry-reading.ts";
import { excerptOf } from "./excerpt.ts";
import { gravityOf, type FindingCode, type TextNote } from "./finding-code.ts";
import { scanDefinition } from "./scanner/scan-definition.ts";
import { findShadows } from "./scanner/shadowing.ts";

export interface Finding {
  readonly code: FindingCode;
  readonly server: string;
  readonly kind: EntryKind;
  /** The name that the server gives it; of a resource, its URI or template. */
  readonly tool: string;
  readonly message: string;
  /** The text word for word, with what would not show written out. */
  readonly excerpt: string;
}

/** A finding before it is known whose it is. */
export type EntryFinding = Omit<Finding, "server">;

/** What one server lists, after admission. */
export interface ListedEntries {
  readonly server: string;
  readonly entries: readonly { readonly kind: EntryKind; readonly definition: object }[];
  /** What admission found. */
  readonly findings: readonly EntryFinding[];
}

/** Everything suspicious in what the servers list, in their order. */
export function findSuspicious(servers: readonly ListedEntries[]): Finding[] {
  const crossed = findCrossReferences(servers);
  const shadows = findShadows(servers);
  return servers.flatMap(({ server, entries, findings }) => {
    const read = entries.flatMap(({ kind, definition }) => {
      const tool = entryNameOf(kind, definition as JsonObject);
      return notesOf(definition, kind).map((note): EntryFinding => ({ ...note, kind, tool }));
    });
    return [...findings, ...read, ...(crossed.get(server) ?? []), ...(shadows.get(server) ?? [])].map(
      ({ code, kind, tool, message, excerpt }) => ({ code, server, kind, tool, message, excerpt }),
    );
  });
}

/** The finding for which a tool is left out where suspicious ones are. */
export function findGrave(
  definition: { readonly name: string },
  atTheDoor: readonly EntryFinding[],
): Pick<Finding, "code" | "message" | "excerpt"> | undefined {
  const seen = atTheDoor.find(
    ({ code, kind, tool }) => kind === "tool" && tool === definition.name && gravityOf(code) === "grave",
  );
  return seen ?? notesOf(definition, "tool").find(({ code }) => gravityOf(code) === "grave");
}

const AT_THE_DOOR: ReadonlySet<unknown> = new Set<FindingCode>(["hidden_text", "oversize_text"]);

/** Whether a stored value is a finding of an earlier admission. */
export function isEntryFinding(value: unknown): value is EntryFinding & JsonObject {
  if (!isJsonObject(value) || !AT_THE_DOOR.has(value["code"])) return false;
  return [value["kind"], value["tool"], value["message"], value["excerpt"]].every(
    (text) => typeof text === "string",
  );
}

const known = new WeakMap<object, readonly TextNote[]>();

function notesOf(definition: object, kind: EntryKind): readonly TextNote[] {
  let notes = known.get(definition);
  if (notes === undefined) {
    notes = readDefinition(definition as JsonObject, kind);
    known.set(definition, notes);
  }
  return notes;
}

/** At most one of each kind. */
function readDefinition(definition: JsonObject, kind: EntryKind): TextNote[] {
  const notes = scanDefinition(definition, kind);
  if (notes.some(({ code }) => code === "hidden_text")) return notes;
  for (const { text, place } of textsOf(definition)) {
    const at = findHidden(text);
    if (at < 0) continue;
    const message = `${excerptOf(place)} has text that does not show, in a place that is passed on as it came`;
    return [...notes, { code: "hidden_text", message, excerpt: excerptOf(text, at) }];
  }
  return notes;
}

/** Where a text that must stay exact hides something. Control characters are no news in patterns and defaults. */
function findHidden(text: string): number {
  if (makeVisible(text) === text) return -1;
  const plain = text.replace(/[\s\p{Cc}]/gu, " ").replace(/ {2,}/g, " ");
  if (makeVisible(plain) === plain) return -1;
  return Math.max(0, text.search(/[\p{Cf}\p{DI}\p{Co}\p{Cs}]/u));
}

/** A shorter name, or a plain word, is also in texts that mean no tool. */
const DISTINCTIVE_LENGTH_MIN = 8;
const NAME_LIKE = /[A-Za-z][A-Za-z0-9_-]{2,127}/g;
const INSTEAD_OF = /\b(?:instead\s+of|rather\s+than|in\s+place\s+of|replaces)\s+(?:the\s+)?[`'"“]?$/i;

/** The tools that findings can be about, by name, with the servers that have them. */
type Owners = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Texts that speak of another server's tools. A server knows nothing of its neighbours, so one that names them wants to
 * change how they are used, or is an honest hint; a person can tell.
 *
 * At most one finding for each entry, by server.
 */
function findCrossReferences(servers: readonly ListedEntries[]): Map<string, EntryFinding[]> {
  const owners = collectOwners(servers);
  return new Map(servers.map((listed) => [listed.server, findInServer(listed, owners)]));
}

function collectOwners(servers: readonly ListedEntries[]): Owners {
  const owners = new Map<string, Set<string>>();
  for (const { server, entries } of servers) {
    const names = entries
      .filter(({ kind }) => kind === "tool")
      .map(({ kind, definition }) => entryNameOf(kind, definition as JsonObject));
    for (const name of [...names, ...exposeTools(server, names).originals.keys()]) {
      owners.set(name, (owners.get(name) ?? new Set()).add(server));
    }
  }
  return owners;
}

function findInServer({ server, entries }: ListedEntries, owners: Owners): EntryFinding[] {
  return entries.flatMap(({ kind, definition }) => {
    const entry = definition as JsonObject;
    for (const { text } of textsOf(entry).filter((placed) => isPhrase(placed.text))) {
      const found = findForeign(text, server, owners);
      if (found === undefined) continue;
      const message = `its text speaks of ${found.name}, a tool of ${[...owners.get(found.name)!].join(", ")}`;
      const [code, tool] = ["cross_server_reference" as const, entryNameOf(kind, entry)];
      return [{ code, kind, tool, message, excerpt: excerptOf(text, found.at) }];
    }
    return [];
  });
}

function findForeign(
  text: string,
  server: string,
  owners: Owners,
): { readonly name: string; readonly at: number } | undefined {
  for (const { 0: name, index: at } of text.matchAll(NAME_LIKE)) {
    const owning = owners.get(name);
    if (owning === undefined || owning.has(server)) continue;
    if (isDistinctive(name) || INSTEAD_OF.test(text.slice(Math.max(0, at - 30), at))) return { name, at };
  }
  return undefined;
}

function isDistinctive(name: string): boolean {
  return name.length >= DISTINCTIVE_LENGTH_MIN && (name.includes("_") || /[a-z][A-Z]/.test(name));
}
