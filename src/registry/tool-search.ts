import type { Component, Listing } from "./listing.ts";
import type { After } from "./pace.ts";
import { documentOf } from "./search-document.ts";
import { createSearchIndex } from "./search-index.ts";

/** Long enough for a start to be over, short enough for the index to be there before the first search. */
const IDLE_MS = 250;

interface ToolHit {
  readonly component: Component;
  readonly score: number;
}

export interface ToolHits {
  /** Best first. */
  readonly hits: readonly ToolHit[];
  /** How many match, beyond the limit too. */
  readonly total: number;
}

/** The index over the tools of all servers; only what changed is indexed again. */
export interface ToolSearch {
  replaced(server: string): void;
  search(query: string, limit: number): ToolHits;
  stop(): void;
}

export function createToolSearch(parts: {
  readonly after: After;
  readonly listingOf: (server: string) => Listing;
  readonly intentsOf?: (tool: string) => readonly string[] | undefined;
}): ToolSearch {
  const index = createSearchIndex();
  const components = new Map<string, Map<string, Component>>();
  const waiting = new Set<string>();
  let cancel: (() => void) | undefined;

  function indexServer(server: string): void {
    waiting.delete(server);
    const listed = parts.listingOf(server).components;
    components.set(server, new Map(listed.map((component) => [component.name, component])));
    index.put(
      server,
      listed.map((component) => documentOf(component, parts.intentsOf?.(component.name))),
    );
  }

  /** One server at a time, so that 20,000 tools do not hold up everything else for a second. */
  function indexNext(): void {
    cancel = undefined;
    const [server] = waiting;
    if (server === undefined) return;
    indexServer(server);
    if (waiting.size > 0) cancel = parts.after(0, indexNext);
  }

  return {
    replaced(server) {
      waiting.add(server);
      cancel ??= parts.after(IDLE_MS, indexNext);
    },
    search(query, limit) {
      for (const server of waiting) indexServer(server);
      const { hits, total } = index.search(query, limit);
      return { hits: hits.map(({ id, score }) => ({ component: findComponent(id), score })), total };
    },
    stop() {
      cancel?.();
      waiting.clear();
    },
  };

  function findComponent(name: string): Component {
    const server = name.slice(0, name.indexOf("__"));
    return components.get(server)!.get(name)!;
  }
}
