/**
 * Texts that speak of another server's tools. A server knows nothing of its neighbours, so one that names them wants to
 * change how they are used, or is an honest hint; a person can tell.
 */
import type { JsonObject } from "../core/json.ts";
import { exposeTools } from "../core/names.ts";
import { entryNameOf, textsOf } from "./entry-reading.ts";
import { excerptOf } from "./excerpt.ts";
import type { EntryFinding, ListedEntries } from "./findings.ts";

/** A shorter name, or a plain word, is also in texts that mean no tool. */
const DISTINCTIVE_LENGTH_MIN = 8;
const NAME_LIKE = /[A-Za-z][A-Za-z0-9_-]{2,127}/g;
const INSTEAD_OF = /\b(?:instead\s+of|rather\s+than|in\s+place\s+of|replaces)\s+(?:the\s+)?[`'"“]?$/i;

/** The tools that findings can be about, by name, with the servers that have them. */
type Owners = ReadonlyMap<string, ReadonlySet<string>>;

/** At most one finding for each entry, by server. */
export function findCrossReferences(servers: readonly ListedEntries[]): Map<string, EntryFinding[]> {
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
    for (const { text } of textsOf(entry)) {
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
