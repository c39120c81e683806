/** What one server offers, as clients see it: admitted, under exposed names, without what the config denies. */
import { isAppOnly } from "./app-tool.ts";
import type { JsonObject } from "../core/json.ts";
import { exposeTools } from "../core/names.ts";
import type { Component, SourceAbout, ToolDefinition } from "../core/tool.ts";
import { compareText } from "../text/compare-text.ts";
import { hashOfDefinition } from "../core/definition-hash.ts";
import type { Admitted, Rejection } from "../admission/admission.ts";
import { findGrave, type Finding } from "../admission/findings.ts";
import { NOTHING_HELD, type Hold, type Holds } from "../core/pin-check.ts";
import type { EntryEvent } from "../core/registry-event.ts";
import { exposeUri } from "./exposed-uri.ts";

/**
 * A resource, template or prompt: `definition` is for clients, `original` is the URI, template or name that the server
 * knows.
 */
export interface Exposed {
  /** The name, URI or template under which clients see it. */
  readonly name: string;
  readonly source: string;
  readonly original: string;
  readonly definition: JsonObject;
}

/** Which tools of a server may be used, by the names that the server gives them. */
export interface Access {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Capabilities may use the others all the same: for everybody else they are not there. */
  readonly exceptCapabilities?: boolean;
}

export const LISTED_KINDS = ["tools", "resources", "prompts"] as const;
export type ListedKind = (typeof LISTED_KINDS)[number];

export interface Listing {
  readonly about?: SourceAbout | undefined;
  /** In the order of their names, as are all that follow. */
  readonly components: readonly Component[];
  /** Tools that only Apps call: they are called like any other, and no list, search or code has them. */
  readonly appOnly: readonly Component[];
  readonly resources: readonly Exposed[];
  readonly resourceTemplates: readonly Exposed[];
  readonly prompts: readonly Exposed[];
  readonly skills: readonly Exposed[];
  readonly rejected: readonly Rejection[];
  /** Exposed names of tools that the server has and the config denies. */
  readonly denied: ReadonlySet<string>;
  /** Those of them that capabilities may use. */
  readonly hidden: readonly Component[];
  /** What the server has and may not be used until a person approves it, by exposed names. */
  readonly held: { readonly tools: Held; readonly prompts: Held };
}

/** By exposed name, with the name that the server knows. */
type Held = ReadonlyMap<string, { readonly original: string; readonly hold: Hold }>;

export const EMPTY_LISTING: Listing = {
  components: [],
  appOnly: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  skills: [],
  rejected: [],
  denied: new Set(),
  hidden: [],
  held: { tools: new Map(), prompts: new Map() },
};

export interface ListingRules {
  readonly access: Access;
  /** Names of static tools; they win over all. */
  readonly reserved: ReadonlySet<string>;
  readonly suspicious: SuspiciousTools;
  readonly holds?: Holds;
}

/** Whether tools whose texts look like an attack are only found, or left out as well. */
export type SuspiciousTools = "warn" | "block";

export function createListing(source: string, all: Admitted, rules: ListingRules): Listing {
  const { holds = NOTHING_HELD } = rules;
  const admitted = withoutHeld(all, holds);
  const rejected = [...admitted.rejected];
  const tools = exposeByName(source, admitted.tools, { code: "invalid_tool", kind: "tool" }, rejected);
  const mayUse = permit(rules.access);
  const components: Component[] = [];
  const appOnly: Component[] = [];
  const denied = new Set<string>();
  const hidden: Component[] = [];
  const heldTools = new Map<string, { original: string; hold: Hold }>();
  const graveOf = (tool: ToolDefinition) =>
    rules.suspicious === "block" ? findGrave(tool, admitted.findings) : undefined;
  for (const { name, entry } of tools) {
    const hold = holds.of("tool", entry.name);
    if (hold !== undefined) {
      heldTools.set(name, { original: entry.name, hold });
      if (!mayUse(entry.name)) denied.add(name);
      continue;
    }
    const grave = mayUse(entry.name) ? graveOf(entry) : undefined;
    if (!mayUse(entry.name)) {
      denied.add(name);
      if (rules.access.exceptCapabilities === true) hidden.push({ name, source, definition: entry });
    } else if (rules.reserved.has(name)) rejected.push(reservedName(entry.name, name));
    else if (grave !== undefined) rejected.push(suspiciousTool(entry.name, grave));
    else (isAppOnly(entry) ? appOnly : components).push({ name, source, definition: entry });
  }
  const prompts = exposeByName(
    source,
    admitted.prompts as readonly NamedEntry[],
    { code: "validation_error", kind: "prompt" },
    rejected,
  );
  const isHeld = ({ entry }: { entry: NamedEntry }) => holds.of("prompt", entry.name) !== undefined;
  const heldPrompts = prompts
    .filter(isHeld)
    .map(
      ({ name, entry }) => [name, { original: entry.name, hold: holds.of("prompt", entry.name)! }] as const,
    );
  return {
    about: admitted.about,
    components,
    appOnly,
    denied,
    hidden,
    held: { tools: heldTools, prompts: new Map(heldPrompts) },
    resources: exposeByUri(source, admitted.resources, "uri", rejected),
    skills: exposeSkills(source, admitted.skills ?? [], rejected),
    resourceTemplates: exposeByUri(source, admitted.resourceTemplates, "uriTemplate", rejected),
    prompts: prompts
      .filter((prompt) => !isHeld(prompt))
      .map(({ name, entry }) => ({
        name,
        source,
        original: entry.name,
        definition: { ...entry, name },
      })),
    rejected,
  };
}

/**
 * Held resources and templates, and held words about the server, are not there. Tools and prompts keep their exposed
 * names while they are held, so that what is held cannot give its name to another.
 */
function withoutHeld(admitted: Admitted, holds: Holds): Admitted {
  if (holds === NOTHING_HELD) return admitted;
  const { about, resources, resourceTemplates, skills } = admitted;
  const isSilent = holds.of("instructions", "") !== undefined;
  const template = (entry: JsonObject) => holds.of("resource template", entry["uriTemplate"] as string);
  return {
    ...admitted,
    ...(about !== undefined && { about: isSilent ? {} : about }),
    resources: holds.ofServer === undefined ? resources : [],
    resourceTemplates: resourceTemplates.filter((entry) => template(entry) === undefined),
    ...(skills && {
      skills: skills.filter((entry) => holds.of("skill", entry["uri"] as string) === undefined),
    }),
  };
}

type NamedEntry = JsonObject & { readonly name: string };

function exposeByName<T extends { readonly name: string }>(
  source: string,
  entries: readonly T[],
  what: Pick<Rejection, "code" | "kind">,
  rejected: Rejection[],
): { name: string; entry: T }[] {
  const exposed = exposeTools(
    source,
    entries.map((entry) => entry.name),
  );
  for (const { name, reason } of exposed.rejected)
    rejected.push({ ...what, name: name.slice(0, 80), reason });
  // Of two entries with one name the first is kept, as `exposeTools` reports it.
  const byOriginal = new Map(entries.toReversed().map((entry) => [entry.name, entry]));
  const named = [...exposed.originals].map(([name, original]) => ({
    name,
    entry: byOriginal.get(original)!,
  }));
  return named.sort((a, b) => compareText(a.name, b.name));
}

function exposeByUri(
  source: string,
  entries: readonly JsonObject[],
  field: "uri" | "uriTemplate",
  rejected: Rejection[],
  what: Pick<Rejection, "code" | "kind"> = RESOURCE_KINDS[field],
): Exposed[] {
  const byUri = new Map<string, Exposed>();
  for (const entry of entries) {
    const original = entry[field] as string;
    if (byUri.has(original)) {
      const reason = `the server lists this ${field} twice`;
      rejected.push({ ...what, name: original.slice(0, 80), reason });
      continue;
    }
    const name = exposeUri(source, original);
    byUri.set(original, { name, source, original, definition: { ...entry, [field]: name } });
  }
  return [...byUri.values()].sort((a, b) => compareText(a.original, b.original));
}

const RESOURCE_KINDS = {
  uri: { code: "invalid_resource", kind: "resource" },
  uriTemplate: { code: "invalid_resource", kind: "resource template" },
} as const;

/** The files of a skill are resources: clients see them under URIs that lead to their server. */
function exposeSkills(source: string, entries: readonly JsonObject[], rejected: Rejection[]): Exposed[] {
  const exposed = exposeByUri(source, entries, "uri", rejected, { code: "invalid_skill", kind: "skill" });
  return exposed.map((skill) => ({ ...skill, definition: exposeFiles(source, skill.definition) }));
}

function exposeFiles(source: string, { resources, ...entry }: JsonObject): JsonObject {
  if (!Array.isArray(resources)) return { ...entry, resources: resources! };
  const files = resources as readonly JsonObject[];
  const expose = (file: JsonObject) => ({ ...file, uri: exposeUri(source, file["uri"] as string) });
  return { ...entry, resources: files.map(expose) };
}

function permit({ allow, deny }: Access): (name: string) => boolean {
  const allowed = allow === undefined ? undefined : new Set(allow);
  const denied = new Set(deny);
  return (name) => !denied.has(name) && (allowed === undefined || allowed.has(name));
}

function reservedName(name: string, exposed: string): Rejection {
  return {
    code: "invalid_tool",
    kind: "tool",
    name,
    reason: `its exposed name ${exposed} belongs to a static tool`,
  };
}

function suspiciousTool(
  name: string,
  { code, message, excerpt }: Pick<Finding, "code" | "message" | "excerpt">,
): Rejection {
  const cure = 'To use it all the same, set tools.suspicious to "warn" in the config';
  return {
    code: "suspicious_tool",
    kind: "tool",
    name,
    reason: `${code}: ${message}: ${JSON.stringify(excerpt)}. ${cure}`,
  };
}

/** Whether clients would see a difference between two listings of one server. */
export function differs(kind: ListedKind, before: Listing, after: Listing): boolean {
  if (before === after) return false;
  const [old, now] = [definitionsOf(kind, before), definitionsOf(kind, after)];
  if (old.length !== now.length) return true;
  return old.some(
    (item, index) => item !== now[index] && hashOfDefinition(item) !== hashOfDefinition(now[index]!),
  );
}

function definitionsOf(kind: ListedKind, listing: Listing): object[] {
  const definitions = (items: readonly { readonly definition: object }[]) =>
    items.map((item) => item.definition);
  switch (kind) {
    case "tools":
      return definitions(listing.components);
    case "prompts":
      return definitions(listing.prompts);
    case "resources":
      return [
        ...definitions(listing.resources),
        ...definitions(listing.resourceTemplates),
        ...definitions(listing.skills),
      ];
  }
}

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
