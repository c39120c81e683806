import { hashOfDefinition } from "../core/definition-hash.ts";
import type { EntryEvent } from "../core/registry-event.ts";
import type { Listing } from "./listing.ts";

/**
 * The difference between two listings of one server: removals, then what is new or changed, each in the order of names.
 */
export function* compareListings(server: string, before: Listing, after: Listing): Generator<EntryEvent> {
  yield* compareEntries("tool", server, toolsOf(before), toolsOf(after));
  yield* compareEntries("resource", server, resourcesOf(before), resourcesOf(after));
}

type Entries = ReadonlyMap<string, object>;

function* compareEntries(
  noun: "tool" | "resource",
  server: string,
  before: Entries,
  after: Entries,
): Generator<EntryEvent> {
  for (const [name, definition] of before) {
    if (after.has(name)) continue;
    yield { kind: `capability.${noun}.removed`, server, name, hash: hashOfDefinition(definition) };
  }
  for (const [name, definition] of after) {
    const previous = before.get(name);
    if (previous === definition) continue;
    const hash = hashOfDefinition(definition);
    if (previous === undefined) {
      yield { kind: `capability.${noun}.registered`, server, name, hash };
      continue;
    }
    const previousHash = hashOfDefinition(previous);
    if (previousHash !== hash) yield { kind: `capability.${noun}.updated`, server, name, hash, previousHash };
  }
}

function toolsOf(listing: Listing): Entries {
  return new Map(listing.components.map((item) => [item.name, item.definition]));
}

function resourcesOf(listing: Listing): Entries {
  const entries = [...listing.resources, ...listing.resourceTemplates];
  return new Map(entries.map((item) => [item.name, item.definition]));
}
