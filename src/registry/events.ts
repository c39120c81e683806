/** What happens to the catalogue, for whoever audits it or shows it. */
import { hashOfDefinition } from "../core/definition-hash.ts";
import type { Listing } from "./listing.ts";

export type RegistryEvent = EntryEvent | CacheEvent;

interface EntryEvent {
  readonly kind: `capability.${"tool" | "resource"}.${"registered" | "updated" | "removed"}`;
  readonly server: string;
  /** The exposed name of a tool, or the exposed URI or template of a resource. */
  readonly name: string;
  /** Of the definition as it is now; as it was, for one that is removed. */
  readonly hash: string;
  /** Of the definition as it was, for one that is updated. */
  readonly previousHash?: string;
}

interface CacheEvent {
  readonly kind: "capability.cache.updated" | "capability.cache.invalidated";
  readonly server: string;
}

export type RegistryListener = (event: RegistryEvent) => void;

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
