/**
 * One catalogue over many sources of tools.
 *
 * It does not know what kind a source is, and asks a source only when its list is needed. What it has read stays until
 * something newer has been read: a server that fails, hangs or is slow keeps its tools, costs the others nothing, and
 * is named. What was read outlives the process in the cache, so the next one lists every tool without starting a
 * server.
 *
 * A call is one look into the map of exposed names and one call of the source. Nothing here throws, except for a source
 * whose id could not be told apart in an exposed name, which is a bug.
 */
import type { CallWatch } from "../telemetry/call-watch.ts";
import { systemClock, type Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { Guard } from "../core/guard.ts";
import { silentLog, type Log } from "../core/log.ts";
import type { Hold, PinCheck } from "../core/pin-check.ts";
import type { ToolResult } from "../core/result.ts";
import type { ServerCache } from "../core/store.ts";
import type {
  AnthropicTool,
  CallContext,
  CallTool,
  Component,
  SourceDescription,
  ToolDefinition,
  ToolSource,
} from "../core/tool.ts";
import { toAnthropicTools } from "./anthropic-tool.ts";
import { TTL_MS_DEFAULT, TTL_MS_MAX } from "./cache-entry.ts";
import type { Catalogue, ListedTools } from "./catalogue.ts";
import { type ChangeListener, createSourceNotice, type SourceListener } from "./change-notice.ts";
import { createDiscovery, type DiscoverOptions } from "./discovery.ts";
import type { RegistryListener } from "../core/registry-event.ts";
import { createExposedLinks, type ExposedLinks } from "./exposed-links.ts";
import type { Backoff } from "../timing/backoff.ts";
import { createMemoryCache } from "./cached-lists.ts";
import type { Access, Exposed, SuspiciousTools } from "./listing.ts";
import { systemAfter, type After } from "../timing/after.ts";
import { createRouting, type Routing } from "./routing.ts";
import { requestedThing } from "./held.ts";
import { passServed, takeSkill, type ServedEntry, type ServedKind } from "./served-entries.ts";
import type { Route } from "./route.ts";
import { createSourceTable, type RemoveOptions, type SourceOptions } from "./source-table.ts";
import { documentOf, type Experience } from "../search/search-document.ts";
import type { Contribution } from "../search/search-explanation.ts";
import type { Meanings, SimilarityOf } from "../search/similarity.ts";
import type { ToolHits } from "./tool-search.ts";
import { createUriFinder, type FindUri } from "./uri-route.ts";
import { shareIntent } from "../search/experience.ts";

/** 0.5 s doubles to 30 s. */
const BACKOFF: Backoff = { firstMs: 500, maxMs: 30_000 };
const HITS_DEFAULT = 20;

export interface RegistryDeps {
  /** Without it nothing outlives the process. */
  readonly cache?: ServerCache;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly after?: After;
  readonly random?: () => number;
  /** The names of static tools, which win over all. */
  readonly reservedNames?: readonly string[];
  /** What is done with tools whose texts look like an attack; without it, they are only found. */
  readonly suspicious?: SuspiciousTools;
  /** How long a list is good for where the server does not say. */
  readonly ttlMs?: number;
  /** The longest that a server's own word is believed. */
  readonly ttlMsMax?: number;
  readonly backoff?: Backoff;
  /** What is known of a tool from earlier runs, for the search. */
  readonly experienceOf?: ((tool: string) => Experience | undefined) | undefined;
  /** What tools mean, for the search; without it, words alone decide. */
  readonly meanings?: Meanings | undefined;
  /**
   * How long a caller without a deadline waits for a server that is starting; without it, as a client's request can.
   */
  readonly startWaitMs?: number | undefined;
  /** Why a server is none of the sources, where it is known and not in use. */
  readonly explainAbsent?: ((id: string) => ToolResult<never> | undefined) | undefined;
  /** Sees every call and request that goes to a source. */
  readonly watch?: CallWatch | undefined;
  /** Decides on every call and request before it goes to a source. */
  readonly guard?: Guard | undefined;
  /** Compares what servers offer with what is on record; without it, nothing is held. */
  readonly pins?: PinCheck | undefined;
}

interface SearchOptions {
  readonly limit?: number;
  /** Only these tools, by exposed name; without it, all. */
  readonly allows?: ((tool: string) => boolean) | undefined;
  /** In the library instead of among the tools of servers and of the program. */
  readonly own?: boolean;
  /** Of this very query, from `nearTo`. */
  readonly similarityOf?: SimilarityOf | undefined;
}

export interface Registry {
  /**
   * Fills the catalogue with what an earlier process read, starting no server. `known` are the ids of all configured
   * servers, disabled ones too: the entries of any others are dropped from the cache.
   */
  load(known?: readonly string[]): Promise<void>;
  /** Takes over the lists that other processes have read since; rejects where the store does. */
  freshenLists(): Promise<void>;
  /** Takes a source over: it is closed when it is removed or replaced. What was kept of it is listed at once. */
  add(source: ToolSource, options?: SourceOptions): void;
  /** Changes which tools of a server may be used, at once. */
  restrict(id: string, access: Access): void;
  /** What is done from now on with tools whose texts look like an attack. */
  screen(suspicious: SuspiciousTools): void;
  /**
   * Takes a server and its tools out at once. What was read of it is kept for its return, unless it is to be forgotten.
   */
  remove(id: string, options?: RemoveOptions): Promise<void>;
  /** What is known now. */
  catalogue(): Catalogue;
  /** The tools of it; the same object until something changes. */
  tools(this: void): ListedTools;
  /** Asks the servers whose list is missing or too old, all at once, and says what is known then. */
  discover(options: DiscoverOptions, context: CallContext): Promise<Catalogue>;
  /** Asks one server, whatever is known of it. */
  refresh(id: string, context: CallContext): Promise<ToolResult<{ readonly toolCount: number }>>;
  /**
   * Has a server asked again when its list is next needed, in all processes; until then its tools stay as they are. Says
   * whether it had a list. Rejects where the store does.
   */
  invalidate(id: string): Promise<boolean>;
  /** By exposed name. Lists the server first if that was not done yet. */
  readonly call: CallTool;
  /** The tool with this exposed name, ready to be called. A call is one look-up here and one `call` of the route. */
  route(name: string): Route | undefined;
  /** A tool that only capabilities may use. */
  resolveHidden(name: string): Route | undefined;
  /** Whether it is known what a source has. */
  hasRead(id: string): boolean;
  /** Whether a source has declared that it serves skills, as far as it was read. */
  servesSkills(id: string): boolean;
  /** As `route`, listing the server first if that was not done yet; a miss has the nearest names. */
  find(name: string, context: CallContext): Promise<ToolResult<Route>>;
  /** By exposed name. */
  resolvePrompt(name: string): Exposed | undefined;
  /** Why a tool may not be used, where the server has it and it is held; by exposed name. */
  holdOf(name: string): Hold | undefined;
  /**
   * The same for a prompt, as it is told to a caller; looks first whether it was approved a moment ago. `shows` says of
   * which servers the caller may know.
   */
  refuseHeldPrompt(name: string, shows?: (server: string) => boolean): Promise<ToolResult<never> | undefined>;
  /**
   * What may pass of entries that a server has just listed to a client itself: those that are not held. What was
   * served last counts from then on.
   */
  passServed(id: string, kind: ServedKind, entries: readonly ServedEntry[]): readonly boolean[];
  /** The same for one skill, which counts from then on whatever the trust is: its files are verified by it. */
  takeSkill(id: string, entry: JsonObject): boolean;
  /** Whether a file of a server belongs to a skill that is held. */
  isHeldFile(id: string, uri: string): boolean;
  /** The trust in servers has changed. */
  reviewTrust(): void;
  /** The server that a URI leads to: an exposed one, or one that a single server offers. */
  readonly findUri: FindUri;
  /** What servers give to clients, with links that those can read. */
  readonly links: ExposedLinks;
  request(
    id: string,
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>>;
  /** What a server says of itself. */
  describe(id: string, context: CallContext): Promise<ToolResult<SourceDescription>>;
  /** Whether the config denies no use of a server's tool, by the name that the server gives it. */
  permits(id: string, tool: string): boolean;
  /** Tells when a server says that a list of its own may have changed; without a word on which, all three may have. */
  sourceChanged(listener: SourceListener): () => void;
  /** The tools that fit a query, best first; without words in it, all of them in the order of their names. */
  search(query: string, options?: SearchOptions): ToolHits;
  /** What each of these hits of the same search has its score from, by exposed name: points that add up to the score. */
  explainHits(
    query: string,
    hits: readonly Component[],
    options?: Omit<SearchOptions, "limit">,
  ): ReadonlyMap<string, readonly Contribution[]>;
  /**
   * How near tools are to a query by what they mean, for `search`; undefined if there are no embeddings, or not soon
   * enough.
   */
  nearTo(query: string): Promise<SimilarityOf | undefined>;
  /** What each of these tools did of what a run was for; of one that is not known nothing is said. */
  shareIntent(tools: readonly string[], intent: string): ReadonlyMap<string, string>;
  /** More is known now of what tools were used for. */
  learnt(tools: readonly string[]): void;
  getToolDefinitions(staticTools?: readonly ToolDefinition[]): AnthropicTool[];
  subscribe(listener: RegistryListener): () => void;
  /** Tells when clients would see something else. */
  changed(listener: ChangeListener): () => void;
  close(): Promise<void>;
}

export function createRegistry(deps: RegistryDeps = {}): Registry {
  const { clock = systemClock, log = silentLog, after = systemAfter } = deps;
  const refuse: Routing["refuse"] = (name, context) => routing.refuse(name, context);
  const verify: Routing["verify"] = (route, context) => routing.verify(route, context);
  const exposeAnswer: ExposedLinks["answer"] = (source, answer) => links.answer(source, answer);
  const table = createSourceTable({
    ...deps,
    routeDeps: { watch: deps.watch, guard: deps.guard, refuse, exposeAnswer, ...(deps.pins && { verify }) },
    clock,
    log,
    after,
    cache: deps.cache ?? createMemoryCache(),
    random: deps.random ?? Math.random,
    reserved: new Set(deps.reservedNames),
    suspicious: deps.suspicious ?? "warn",
    ttlMs: deps.ttlMs ?? TTL_MS_DEFAULT,
    ttlMsMax: deps.ttlMsMax ?? TTL_MS_MAX,
    backoff: deps.backoff ?? BACKOFF,
  });
  const discovery = createDiscovery({ table, clock, log, after, startWaitMs: deps.startWaitMs });
  const routing = createRouting({ ...deps, table, discovery });
  const sourceNotice = createSourceNotice();
  const { listings } = table;
  const links = createExposedLinks({
    isOwn: (id) => table.sources.get(id)?.isOwn === true,
    listingOf: listings.of,
  });
  const findUri = createUriFinder({ isKnown: (id) => table.sources.has(id), listings: listings.all });
  const review = (id?: string) => table.review(id).forEach((server) => sourceNotice.tell(server));
  const stopPins = deps.pins?.changed(review);
  return {
    async load(known) {
      await deps.pins?.load();
      await table.load(known);
    },
    freshenLists: () => table.freshenLists(),
    reviewTrust: () => review(),
    holdOf: (name) => listings.heldTool(name)?.hold,
    refuseHeldPrompt: routing.refuseHeldPrompt,
    takeSkill: (id, entry) => takeSkill(table, id, entry),
    isHeldFile(id, uri) {
      const registered = table.sources.get(id);
      return (
        registered !== undefined && requestedThing(registered, "resources/read", { uri })?.hold !== undefined
      );
    },
    passServed: (id, kind, entries) => passServed(table, deps.pins, id, kind, entries),
    add(source, options) {
      table.add(source, options);
      sourceNotice.watch(source);
    },
    restrict: (id, access) => table.restrict(id, access),
    screen: (suspicious) => table.screen(suspicious),
    remove(id, options) {
      sourceNotice.unwatch(id);
      return table.remove(id, options);
    },
    catalogue: () => table.catalogue(),
    tools: () => listings.merge(),
    discover: discovery.discover,
    refresh: discovery.refresh,
    invalidate: (id) => table.invalidate(id),
    call: routing.call,
    request: routing.request,
    describe: routing.describe,
    permits(id, tool) {
      const access = table.sources.get(id)?.access;
      if (access?.deny?.includes(tool) === true) return false;
      return access?.allow === undefined || access.allow.includes(tool);
    },
    sourceChanged: sourceNotice.subscribe,
    route: listings.route,
    resolveHidden: (name) => listings.hiddenRoute(name),
    hasRead: (id) => table.sources.get(id)?.list !== undefined,
    servesSkills: (id) => table.sources.get(id)?.list?.admitted.skills !== undefined,
    find: routing.find,
    resolvePrompt: (name) => listings.prompt(name),
    findUri,
    links,
    search(query, { limit = HITS_DEFAULT, allows, own = false, similarityOf } = {}) {
      const index = own ? table.ownSearch : table.search;
      if (query.trim() !== "") return index.search(query, { limit, allows, similarityOf });
      const components = listings
        .merge()
        .components.filter(({ source }) => table.searchOf(source) === index)
        .filter(({ name }) => allows === undefined || allows(name));
      const hits = components.slice(0, limit).map((component) => ({ component, score: 0 }));
      return { hits, total: components.length, isFaint: false };
    },
    explainHits(query, hits, { allows, own = false, similarityOf } = {}) {
      if (query.trim() === "") return new Map();
      return (own ? table.ownSearch : table.search).explain(query, hits, { allows, similarityOf });
    },
    async nearTo(query) {
      if (deps.meanings === undefined || query.trim() === "") return undefined;
      table.search.prepare();
      table.ownSearch.prepare();
      return deps.meanings.nearTo(query);
    },
    shareIntent(tools, intent) {
      const documents = tools.flatMap((name) => {
        const route = listings.route(name);
        return route === undefined
          ? []
          : [documentOf({ name, source: route.source.id, definition: route.definition })];
      });
      return shareIntent(intent, documents);
    },
    learnt(tools) {
      for (const source of new Set(tools.map((tool) => listings.route(tool)?.source.id))) {
        if (source !== undefined) table.learnt(source);
      }
    },
    getToolDefinitions: (staticTools = []) => toAnthropicTools(staticTools, listings.merge().components),
    subscribe: (listener) => table.subscribe(listener),
    changed: (listener) => table.notice.subscribe(listener),
    close() {
      stopPins?.();
      sourceNotice.stop();
      return table.close();
    },
  };
}
