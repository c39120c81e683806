import type { Component, Listing } from "./listing.ts";
import type { After } from "./pace.ts";
import { documentOf, type Experience } from "./search-document.ts";
import { createSearchIndex, type SearchLimits } from "./search-index.ts";

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
  /** Whether even the best has little of what was asked for. */
  readonly isFaint: boolean;
}

/** The index over the tools of one kind of sources; only what changed is indexed again. */
export interface ToolSearch {
  /** The tools of a source are others now, or more is known of them. */
  replaced(source: string): void;
  search(query: string, limits: SearchLimits): ToolHits;
  stop(): void;
}

export function createToolSearch(parts: {
  readonly after: After;
  readonly listingOf: (source: string) => Listing;
  readonly experienceOf?: ((tool: string) => Experience | undefined) | undefined;
}): ToolSearch {
  const index = createSearchIndex();
  const components = new Map<string, Map<string, Component>>();
  const waiting = new Set<string>();
  let cancel: (() => void) | undefined;

  function indexSource(source: string): void {
    waiting.delete(source);
    const listed = parts.listingOf(source).components;
    components.set(source, new Map(listed.map((component) => [component.name, component])));
    index.put(
      source,
      listed.map((component) => documentOf(component, parts.experienceOf?.(component.name))),
    );
  }

  /** One source at a time, so that 20,000 tools do not hold up everything else for a second. */
  function indexNext(): void {
    cancel = undefined;
    const [source] = waiting;
    if (source === undefined) return;
    indexSource(source);
    if (waiting.size > 0) cancel = parts.after(0, indexNext);
  }

  return {
    replaced(source) {
      waiting.add(source);
      cancel ??= parts.after(IDLE_MS, indexNext);
    },
    search(query, limits) {
      for (const source of waiting) indexSource(source);
      const { hits, ...rest } = index.search(query, limits);
      return { hits: hits.map(({ id, score }) => ({ component: findComponent(id), score })), ...rest };
    },
    stop() {
      cancel?.();
      waiting.clear();
    },
  };

  function findComponent(name: string): Component {
    const source = name.slice(0, name.indexOf("__"));
    return components.get(source)!.get(name)!;
  }
}
