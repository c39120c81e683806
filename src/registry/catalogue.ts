/** All servers' listings as one, and the map by which a call finds its way. */
import type { ToolError, ToolErrorCode } from "../core/errors.ts";
import type { Hold } from "../core/pin-check.ts";
import type { JsonObject } from "../core/json.ts";
import type { Component, Starting, ToolSource } from "../core/tool.ts";
import type { Rejection } from "../admission/admission.ts";
import { entryNameOf, type EntryKind } from "../admission/entry-reading.ts";
import { findSuspicious, type Finding, type ListedEntries } from "../admission/findings.ts";
import { EMPTY_LISTING, type Exposed, type Listing } from "./listing.ts";
import { compareText } from "../text/compare-text.ts";
import type { RegisteredSource } from "./registered-source.ts";
import { skillTexts } from "./sighting.ts";
import { ToolRoute, type RouteDeps } from "./route.ts";

/** What is known at one moment. It does not change afterwards. */
export interface Catalogue extends ListedTools {
  /** In the order of servers, then of URIs or names. */
  readonly resources: readonly Exposed[];
  readonly resourceTemplates: readonly Exposed[];
  readonly prompts: readonly Exposed[];
  /** The skills of servers, with the URIs under which clients see them and their files. */
  readonly skills: readonly Exposed[];
  /** What was left out, and why. */
  readonly rejected: readonly (Rejection & { readonly source: string })[];
  /** What looks like an attack in what the servers list. The texts are read when somebody first looks at this. */
  readonly findings: readonly Finding[];
  /** Servers of which nothing is known yet: not asked, or not answered. */
  readonly pending: readonly string[];
  /** Servers whose process runs and has not finished its handshake. */
  readonly starting: readonly (Starting & { readonly source: string })[];
  /** Servers whose entries are shown from an earlier list: its time has run out, or the last try failed. */
  readonly stale: readonly string[];
  /** Servers that could not be read when they were last asked. */
  readonly failed: readonly ServerFailure[];
}

interface ServerFailure {
  readonly source: string;
  readonly code: ToolErrorCode;
  readonly reason: string;
  /** What a person can do about it, where the failure knows that and has not said it yet. */
  readonly cure?: string;
}

export interface Listings {
  /** Puts a server's listing in place of the one it had; returns that one. */
  put(source: ToolSource, listing: Listing): Listing;
  remove(id: string): Listing;
  of(this: void, id: string): Listing;
  /** Whether a listing of the server is shown, empty or not. */
  has(id: string): boolean;
  route(this: void, name: string): ToolRoute | undefined;
  /** The same for a tool that only capabilities may use. */
  hiddenRoute(name: string): ToolRoute | undefined;
  /** The server that has this tool, where the config denies its use. */
  denier(name: string): string | undefined;
  prompt(name: string): Exposed | undefined;
  /** What is held under this exposed name. */
  heldTool(name: string): HeldEntry | undefined;
  heldPrompt(name: string): HeldEntry | undefined;
  names(): Iterable<string>;
  count(): number;
  /** By the id of its source. */
  all(this: void): ReadonlyMap<string, Listing>;
  /** The same object until something changes. */
  merge(): MergedListings;
}

interface HeldEntry {
  readonly source: string;
  readonly original: string;
  readonly hold: Hold;
}

/** The tools of all sources, in the order of their exposed names. */
export interface ListedTools {
  readonly components: readonly Component[];
  /** Those that only Apps call. */
  readonly appOnly: readonly Component[];
}

/** All of them, in the order of their names: for people, and for what is decided about every tool. */
export function everyTool({ components, appOnly }: ListedTools): readonly Component[] {
  return appOnly.length === 0 ? components : byName([...components, ...appOnly]);
}

type MergedListings = ListedTools &
  Pick<Catalogue, "resources" | "resourceTemplates" | "prompts" | "skills" | "rejected">;

export function createListings(routeDeps: RouteDeps): Listings {
  const listings = new Map<string, Listing>();
  const routes = new Map<string, ToolRoute>();
  const appRoutes = new Map<string, ToolRoute>();
  const hiddenRoutes = new Map<string, ToolRoute>();
  const prompts = new Map<string, Exposed>();
  const deniers = new Map<string, string>();
  const held = { tools: new Map<string, HeldEntry>(), prompts: new Map<string, HeldEntry>() };
  let merged: MergedListings | undefined;

  function remove(id: string): Listing {
    const listing = listings.get(id) ?? EMPTY_LISTING;
    for (const { name } of listing.components) routes.delete(name);
    for (const { name } of listing.appOnly) appRoutes.delete(name);
    for (const { name } of listing.hidden) hiddenRoutes.delete(name);
    for (const { name } of listing.prompts) prompts.delete(name);
    for (const name of listing.denied) deniers.delete(name);
    for (const name of listing.held.tools.keys()) held.tools.delete(name);
    for (const name of listing.held.prompts.keys()) held.prompts.delete(name);
    listings.delete(id);
    merged = undefined;
    return listing;
  }

  return {
    remove,
    put(source, listing) {
      const before = remove(source.id);
      const routeTo = (component: Component) => new ToolRoute(component, source, routeDeps);
      for (const component of listing.components) routes.set(component.name, routeTo(component));
      for (const component of listing.appOnly) appRoutes.set(component.name, routeTo(component));
      for (const component of listing.hidden) hiddenRoutes.set(component.name, routeTo(component));
      for (const prompt of listing.prompts) prompts.set(prompt.name, prompt);
      for (const name of listing.denied) deniers.set(name, source.id);
      for (const [name, entry] of listing.held.tools) held.tools.set(name, { source: source.id, ...entry });
      for (const [name, entry] of listing.held.prompts)
        held.prompts.set(name, { source: source.id, ...entry });
      listings.set(source.id, listing);
      return before;
    },
    of: (id) => listings.get(id) ?? EMPTY_LISTING,
    has: (id) => listings.has(id),
    route: (name) => routes.get(name) ?? appRoutes.get(name),
    hiddenRoute: (name) => hiddenRoutes.get(name),
    prompt: (name) => prompts.get(name),
    denier: (name) => deniers.get(name),
    heldTool: (name) => held.tools.get(name),
    heldPrompt: (name) => held.prompts.get(name),
    names: () => routes.keys(),
    count: () => routes.size,
    all: () => listings,
    merge: () => (merged ??= mergeListings(listings)),
  };
}

function mergeListings(listings: ReadonlyMap<string, Listing>): MergedListings {
  const sorted = [...listings].sort(([a], [b]) => compareText(a, b));
  const all = sorted.map(([, listing]) => listing);
  return {
    components: byName(all.flatMap((listing) => listing.components)),
    appOnly: byName(all.flatMap((listing) => listing.appOnly)),
    resources: all.flatMap((listing) => listing.resources),
    resourceTemplates: all.flatMap((listing) => listing.resourceTemplates),
    prompts: all.flatMap((listing) => listing.prompts),
    skills: all.flatMap((listing) => listing.skills),
    rejected: sorted.flatMap(([source, listing]) => listing.rejected.map((item) => ({ source, ...item }))),
  };
}

function byName(tools: Component[]): Component[] {
  return tools.sort((a, b) => compareText(a.name, b.name));
}

/** What is listed, with how far the servers can be trusted to have said it all. */
export function describeSources(merged: MergedListings, unsorted: readonly RegisteredSource[]): Catalogue {
  // Only servers are waited for and fail; what is our own is read whenever somebody asks.
  const sources = unsorted
    .filter(({ isOwn }) => !isOwn)
    .toSorted((a, b) => compareText(a.source.id, b.source.id));
  const idsOf = (some: readonly RegisteredSource[]) => some.map((registered) => registered.source.id);
  const unkept = sources.flatMap(({ source, cacheProblem: reason }) =>
    reason === undefined
      ? []
      : [{ source: source.id, code: "cache_error" as const, kind: "list" as const, name: "cache", reason }],
  );
  const listed = sources.map(({ source, access, list, holds }) => ({ source, access, list, holds }));
  let findings: readonly Finding[] | undefined;
  return {
    ...merged,
    get findings() {
      return (findings ??= findSuspicious(listed.flatMap(listEntries)));
    },
    rejected: unkept.length === 0 ? merged.rejected : [...merged.rejected, ...unkept],
    pending: idsOf(
      sources.filter(({ list, refresh }) => list === undefined && refresh.failure === undefined),
    ),
    get starting() {
      return sources.flatMap(({ source }) => {
        const starting = source.starting?.();
        return starting === undefined ? [] : [{ source: source.id, ...starting }];
      });
    },
    stale: idsOf(
      sources.filter(
        (registered) =>
          registered.list !== undefined && (registered.isOld() || registered.refresh.failure !== undefined),
      ),
    ),
    failed: sources.flatMap(({ source, refresh: { failure } }) =>
      failure === undefined ? [] : [{ source: source.id, ...describeFailure(failure.error) }],
    ),
  };
}

/** Failures whose message is the cause alone. */
const CURED_BY_HINT: ReadonlySet<string> = new Set(["auth_required", "crashed"]);

function describeFailure({ code, message, reason, hint }: ToolError): Omit<ServerFailure, "source"> {
  const hasCure = hint !== undefined && reason !== undefined && CURED_BY_HINT.has(reason);
  return { code, reason: message, ...(hasCure && { cure: hint }) };
}

/** What a server lists, without what the config denies and what is held: a person is shown that with its pin. */
function listEntries({
  source,
  access,
  list,
  holds,
}: Pick<RegisteredSource, "source" | "access" | "list" | "holds">): ListedEntries[] {
  if (list === undefined) return [];
  const { tools, resources, resourceTemplates, prompts, skills = [], findings } = list.admitted;
  const { allow, deny } = access;
  const mayUse = (tool: string) => deny?.includes(tool) !== true && allow?.includes(tool) !== false;
  const isHeld = (kind: EntryKind, name: string) =>
    kind === "resource" ? holds.ofServer !== undefined : holds.of(kind, name) !== undefined;
  const entries = [
    ...tools.filter(({ name }) => mayUse(name)).map((definition) => ({ kind: "tool" as const, definition })),
    ...resources.map((definition) => ({ kind: "resource" as const, definition })),
    ...resourceTemplates.map((definition) => ({ kind: "resource template" as const, definition })),
    ...prompts.map((definition) => ({ kind: "prompt" as const, definition })),
    ...skills.map((skill) => ({ kind: "skill" as const, definition: skillTexts(skill) })),
  ].filter(({ kind, definition }) => !isHeld(kind, entryNameOf(kind, definition as JsonObject)));
  const shown = findings.filter(({ kind, tool }) => (kind !== "tool" || mayUse(tool)) && !isHeld(kind, tool));
  return [{ server: source.id, entries, findings: shown }];
}
