/**
 * The registered sources, what was read of each, and the one catalogue made of it.
 *
 * `show` is the one place where the catalogue changes. It replaces a listing in one step, so a server is never seen
 * half read, or empty during a refresh.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { NOTHING_HELD, type Holds, type PinCheck } from "../core/pin-check.ts";
import type { ToolResult } from "../core/result.ts";
import type { ServerCache } from "../core/store.ts";
import type { Offer, ToolSource } from "../core/tool.ts";
import { clampTtl, type CachedList } from "./cache-entry.ts";
import { createListings, describeSources, type Catalogue, type Listings } from "./catalogue.ts";
import { createChangeNotice, type ChangeNotice } from "./change-notice.ts";
import { admitOffer, type Admitted } from "../admission/admission.ts";
import type { RegistryEvent, RegistryListener } from "../core/registry-event.ts";
import type { Backoff } from "../timing/backoff.ts";
import { createCachedLists } from "./cached-lists.ts";
import {
  createListing,
  EMPTY_LISTING,
  type Access,
  type Listing,
  type SuspiciousTools,
  compareListings,
} from "./listing.ts";
import type { After } from "../timing/after.ts";
import { createRegisteredSource, type RegisteredSource } from "./registered-source.ts";
import type { RouteDeps } from "./route.ts";
import type { Experience } from "../search/search-document.ts";
import type { Meanings } from "../search/similarity.ts";
import { sightingOf } from "./sighting.ts";
import { createToolSearch, type ToolSearch } from "./tool-search.ts";

export interface SourceTableDeps {
  readonly routeDeps: RouteDeps;
  readonly cache: ServerCache;
  readonly clock: Clock;
  readonly log: Log;
  readonly after: After;
  readonly random: () => number;
  readonly reserved: ReadonlySet<string>;
  readonly suspicious: SuspiciousTools;
  readonly ttlMs: number;
  readonly ttlMsMax: number;
  readonly backoff: Backoff;
  readonly experienceOf?: ((tool: string) => Experience | undefined) | undefined;
  readonly meanings?: Meanings | undefined;
  /** Without it, nothing is pinned and nothing is held. */
  readonly pins?: PinCheck | undefined;
}

export interface SourceOptions extends Access {
  /** Of this gateway itself: it is believed, kept nowhere else, and good until it says that it changed. */
  readonly isOwn?: boolean;
  /** Of the program that embeds the gateway: own, and checked and searched like a server. */
  readonly isProgram?: boolean;
  /** Of what the server is started with: a cached list of another config is not used. */
  readonly configHash?: string;
  /** What the config says of who the server is: its command line or its address, without secrets. */
  readonly identity?: JsonObject;
}

export interface RemoveOptions {
  /** Drops what was kept of it too. */
  readonly forget?: boolean;
  readonly traceId?: string;
}

export interface SourceTable {
  readonly sources: ReadonlyMap<string, RegisteredSource>;
  readonly listings: Listings;
  /** Over the tools of servers and of the program. */
  readonly search: ToolSearch;
  /** Over the library. */
  readonly ownSearch: ToolSearch;
  /** The one of the two that a source is in. */
  searchOf(id: string): ToolSearch;
  readonly notice: ChangeNotice;
  load(known?: readonly string[]): Promise<void>;
  /** Takes over what other processes were served since. */
  freshenLists(): Promise<void>;
  add(source: ToolSource, options?: SourceOptions): void;
  restrict(id: string, access: Access): void;
  /** What is done from now on with tools whose texts look like an attack. */
  screen(suspicious: SuspiciousTools): void;
  remove(id: string, options?: RemoveOptions): Promise<void>;
  /**
   * Looks again at what is held of a server, or of all: its pins, or the trust in it, are others now. Returns the ids of
   * those of which other things are held.
   */
  review(id?: string): string[];
  /**
   * Has a server asked again when its list is next needed, in this process and in all others; the list stays until then.
   * Says whether there was a list. Rejects where the store does: then it holds for this process.
   */
  invalidate(id: string): Promise<boolean>;
  /** Puts on record what is offered, where another process has put something else there since. */
  seeAgain(id: string): Promise<void>;
  /** Something of a list was served another way since the list was read; what was served last counts. */
  served(id: string, change: (admitted: Admitted) => Admitted): void;
  /** More is known of a source's tools now: they are indexed again. */
  learnt(id: string): void;
  catalogue(): Catalogue;
  subscribe(listener: RegistryListener): () => void;
  close(): Promise<void>;
}

export function createSourceTable(deps: SourceTableDeps): SourceTable {
  const { clock, log, after, reserved } = deps;
  let { suspicious } = deps;
  const sources = new Map<string, RegisteredSource>();
  const listings = createListings(deps.routeDeps);
  const listeners = new Set<RegistryListener>();
  const listingOf = (id: string) => listings.of(id);
  const notice = createChangeNotice({ clock, after, log, listingOf });
  const search = createToolSearch({ ...deps, listingOf });
  const ownSearch = createToolSearch({ ...deps, listingOf });
  const searchOf = (id: string) => (isLibrary(sources.get(id)) ? ownSearch : search);
  const cachedLists = createCachedLists(deps.cache, (serverName, problem) =>
    log.warn("tools.cache.failed", { code: "cache_error", serverName, problem }),
  );
  /** What is being put on record. */
  const pinning = new Set<Promise<void>>();
  /** Servers whose tools were taken out in this process: when they return, it is news. */
  const removed = new Set<string>();

  function emit(event: RegistryEvent): void {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        log.error("tools.registry.listener.failed", { event: event.kind, error });
      }
    }
  }

  function show(source: ToolSource, listing: Listing | undefined, traceId: string): Listing {
    const before = listing === undefined ? listings.remove(source.id) : listings.put(source, listing);
    notice.replaced(source.id, before);
    searchOf(source.id).replaced(source.id);
    log.info("tools.registry.updated", {
      traceId,
      serverName: source.id,
      staticCount: reserved.size,
      mcpCount: listings.count(),
    });
    return before;
  }

  /** Shows, and tells of every entry that came, changed or went. */
  function announce(source: ToolSource, listing: Listing | undefined, traceId: string): void {
    const before = show(source, listing, traceId);
    if (listeners.size === 0) return;
    for (const event of compareListings(source.id, before, listing ?? EMPTY_LISTING)) emit(event);
  }

  function listSource(registered: RegisteredSource): Listing | undefined {
    if (registered.list === undefined) return undefined;
    const holds = findHolds(registered);
    registered.holds = holds ?? NOTHING_HELD;
    // Without a baseline nothing of it is shown.
    if (holds === undefined) return undefined;
    const { source, list, access, isOwn } = registered;
    const rules = { access, reserved, suspicious: isOwn ? "warn" : suspicious, holds } as const;
    return createListing(source.id, list.admitted, rules);
  }

  function findHolds(registered: RegisteredSource): Holds | undefined {
    const { source, list, isOwn, identity } = registered;
    if (deps.pins === undefined || isOwn || list === undefined) return NOTHING_HELD;
    return deps.pins.judge(sightingOf(source.id, list.admitted, identity));
  }

  /** Whether a server has to be on record before it is shown. */
  function mustBePinned({ source, isOwn }: RegisteredSource): boolean {
    return deps.pins !== undefined && !isOwn && deps.pins.trustOf(source.id) !== "allow";
  }

  async function pin({ source, list, isOwn, identity }: RegisteredSource): Promise<void> {
    if (list === undefined || isOwn) return;
    await deps.pins?.see(sightingOf(source.id, list.admitted, identity));
  }

  function pinLater(registered: RegisteredSource): Promise<void> {
    const work = pin(registered)
      .catch((error: unknown) => log.warn("tools.pins.failed", { serverName: registered.source.id, error }))
      .finally(() => pinning.delete(work));
    pinning.add(work);
    return work;
  }

  /** Brings back what was kept. It is no news in a new process: it was told when it was first read. */
  function restore(registered: RegisteredSource): void {
    const { source, configHash } = registered;
    registered.list = cachedLists.find(source.id, configHash);
    const isCached = registered.list !== undefined;
    // A server without a baseline is read first: what is on record must be what it served.
    if (findHolds(registered) === undefined) registered.list = undefined;
    if (!isCached && cachedLists.holds(source.id)) {
      emit({ kind: "capability.cache.invalidated", server: source.id });
    }
    const isNews = removed.delete(source.id) || listings.of(source.id) !== EMPTY_LISTING;
    if (isNews) announce(source, listSource(registered), randomUUID());
    else if (registered.list !== undefined) show(source, listSource(registered), randomUUID());
  }

  /**
   * Another process was served another list. It is treated like one from the cache: judged before it is shown, and no call
   * of a server that may have something held goes out before its own program here has served its list. Where that program
   * has, its word counts, and it is asked again.
   */
  function takeOver(registered: RegisteredSource): void {
    const { source, configHash, isOwn } = registered;
    const list = isOwn ? undefined : cachedLists.find(source.id, configHash);
    if (list === undefined) return;
    if (registered.isServed() && deps.pins?.mayHold(source.id) === true) return registered.askAgain();
    // Its clock may be ahead of ours; a list from the future would be read again at once.
    const taken = { ...list, fetchedAt: Math.min(list.fetchedAt, clock.now()) };
    // Without a baseline it is read first, as at the start.
    if (findHolds({ ...registered, list: taken }) === undefined) return;
    registered.takeOver(taken);
    announce(source, listSource(registered), randomUUID());
  }

  async function onRead(
    registered: RegisteredSource,
    result: ToolResult<Offer>,
    traceId: string,
  ): Promise<void> {
    const serverName = registered.source.id;
    if (!result.success) {
      const { code, message } = result.error;
      log.warn("tools.discovery.server.failed", { traceId, serverName, code, errorMessage: message });
      return;
    }
    const list: CachedList = {
      admitted: isLibrary(registered) ? ownOffer(result.data) : admitOffer(result.data),
      fetchedAt: clock.now(),
      ttlMs: registered.isOwn ? Number.POSITIVE_INFINITY : clampTtl(result.data.ttlMs, deps),
      configHash: registered.configHash,
    };
    // What is our own is there from the start of a process: its first list is no news.
    const isNews = !registered.isOwn || registered.list !== undefined;
    registered.take(list);
    if (!isNews) show(registered.source, listSource(registered), traceId);
    else announce(registered.source, listSource(registered), traceId);
    if (!registered.isOwn) keep(registered, list, traceId);
    if (mustBePinned(registered)) await showPinned(registered, traceId);
    else void pinLater(registered);
    const { tools, rejected } = list.admitted;
    const counts = { toolCount: tools.length, rejectedCount: rejected.length };
    log.info("tools.discovery.server.success", { traceId, serverName, ...counts });
  }

  /** The first list of a server is shown when it is on record; of later ones, what is held is not shown from the start. */
  async function showPinned(registered: RegisteredSource, traceId: string): Promise<void> {
    if (findHolds(registered) !== undefined) return pinLater(registered);
    try {
      await pin(registered);
    } catch (error) {
      registered.list = undefined;
      throw error;
    }
    const isShown = listings.has(registered.source.id);
    if (!registered.isDetached() && !isShown) announce(registered.source, listSource(registered), traceId);
  }

  /** Whether other things are held than before. */
  function reviewSource(registered: RegisteredSource): boolean {
    // Another process has made the baseline, perhaps: then its list can be shown.
    if (registered.list === undefined) takeOver(registered);
    if (registered.list === undefined || registered.isOwn) return false;
    const before = registered.holds;
    const isShown = listings.has(registered.source.id);
    const holds = findHolds(registered);
    if (holds?.mark === before.mark && isShown) {
      registered.holds = holds;
      return false;
    }
    announce(registered.source, listSource(registered), randomUUID());
    return true;
  }

  function review(id?: string): string[] {
    const chosen = [...sources.values()].filter(({ source }) => id === undefined || source.id === id);
    return chosen.filter(reviewSource).map(({ source }) => source.id);
  }

  function keep(registered: RegisteredSource, list: CachedList, traceId: string): void {
    const serverName = registered.source.id;
    registered.cacheProblem = undefined;
    cachedLists.keep(serverName, list, {
      // Two programs that differ for good would have each other asked without end.
      yields: deps.pins?.mayHold(serverName) === true,
      onProblem(problem) {
        registered.cacheProblem = problem;
        log.warn("tools.cache.failed", { traceId, code: "cache_error", serverName, problem });
      },
    });
    emit({ kind: "capability.cache.updated", server: serverName });
  }

  function add(
    source: ToolSource,
    { configHash = "", isOwn = false, isProgram = false, identity = {}, ...access }: SourceOptions = {},
  ): void {
    requireTellingId(source.id);
    const old = sources.get(source.id);
    old?.detach();
    const registered = createRegisteredSource({
      ...deps,
      source,
      access,
      configHash,
      isOwn,
      isProgram,
      identity,
      onRead,
      createTraceId: randomUUID,
    });
    sources.set(source.id, registered);
    restore(registered);
    if (old !== undefined && old.source !== source) void closeSource(old.source, log);
  }

  async function remove(id: string, options: RemoveOptions = {}): Promise<void> {
    const { forget = false, traceId = randomUUID() } = options;
    if (forget && cachedLists.forget(id)) emit({ kind: "capability.cache.invalidated", server: id });
    const registered = sources.get(id);
    if (registered === undefined) return;
    registered.detach();
    sources.delete(id);
    removed.add(id);
    const removedCount = listings.of(id).components.length;
    announce(registered.source, undefined, traceId);
    log.info("tools.registry.server.removed", { traceId, serverName: id, removedCount });
    await closeSource(registered.source, log);
  }

  async function invalidate(id: string): Promise<boolean> {
    const registered = sources.get(id);
    if (registered?.list === undefined || registered.isOwn) return false;
    registered.invalidate();
    emit({ kind: "capability.cache.invalidated", server: id });
    await cachedLists.expire(id, registered.configHash);
    return true;
  }

  return {
    sources,
    listings,
    search,
    ownSearch,
    searchOf,
    notice,
    add,
    remove,
    invalidate,
    review(id) {
      const reviewed = review(id);
      // What is on record follows: a change that was noted may be held now.
      if (id === undefined) for (const registered of sources.values()) void pinLater(registered);
      return reviewed;
    },
    async seeAgain(id) {
      const registered = sources.get(id);
      if (registered !== undefined) await pinLater(registered);
    },
    served(id, change) {
      const registered = sources.get(id);
      if (registered?.list === undefined) return;
      registered.list = { ...registered.list, admitted: change(registered.list.admitted) };
      announce(registered.source, listSource(registered), randomUUID());
      void pinLater(registered);
    },
    learnt: (id) => searchOf(id).replaced(id),
    async load(known) {
      await cachedLists.load(known);
      for (const registered of sources.values()) if (registered.list === undefined) restore(registered);
    },
    async freshenLists() {
      for (const { server, configHash } of await cachedLists.freshen()) {
        const registered = sources.get(server);
        if (registered?.configHash === configHash) takeOver(registered);
      }
    },
    restrict(id, access) {
      const registered = sources.get(id);
      if (registered === undefined) return;
      registered.access = access;
      if (registered.list !== undefined) announce(registered.source, listSource(registered), randomUUID());
    },
    screen(policy) {
      if (policy === suspicious) return;
      suspicious = policy;
      for (const registered of sources.values()) {
        if (registered.list !== undefined && !registered.isOwn)
          announce(registered.source, listSource(registered), randomUUID());
      }
    },
    catalogue: () => describeSources(listings.merge(), [...sources.values()]),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      const open = [...sources.values()];
      sources.clear();
      for (const registered of open) {
        registered.detach();
        listings.remove(registered.source.id);
      }
      notice.stop();
      search.stop();
      ownSearch.stop();
      await Promise.all([
        cachedLists.settle(),
        ...pinning,
        ...open.map((registered) => closeSource(registered.source, log)),
      ]);
    },
  };
}

/** Not of a server, and not of the program that embeds the gateway. */
function isLibrary(registered: RegisteredSource | undefined): boolean {
  return registered !== undefined && registered.isOwn && !registered.isProgram;
}

/** What this gateway offers itself needs no check. */
function ownOffer({ tools }: Offer): Admitted {
  return { tools, resources: [], resourceTemplates: [], prompts: [], rejected: [], findings: [] };
}

/** The first `__` of an exposed name must end the id, or two servers could share a name. */
function requireTellingId(id: string): void {
  if (id === "" || id.includes("__") || id.endsWith("_") || id.includes("/")) {
    throw new TypeError(`"${id}" cannot be the id of a source: make it with serverIdOf`);
  }
}

async function closeSource(source: ToolSource, log: Log): Promise<void> {
  try {
    await source.close();
  } catch (error) {
    log.warn("tools.source.close.failed", { serverName: source.id, error });
  }
}
