import type { Listing } from "./listing.ts";
import type { Component } from "../core/tool.ts";
import type { After } from "../timing/after.ts";
import { documentOf, type Experience } from "../search/search-document.ts";
import type { Contribution } from "../search/search-explanation.ts";
import { createSearchIndex, type SearchLimits } from "../search/search-index.ts";
import type { Meanings } from "../search/similarity.ts";

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
  /** What each of these hits of the same search has its score from, by exposed name. */
  explain(
    query: string,
    hits: readonly Component[],
    limits: Omit<SearchLimits, "limit">,
  ): ReadonlyMap<string, readonly Contribution[]>;
  /** Has everything indexed that waits for it. */
  prepare(): void;
  stop(): void;
}

export function createToolSearch(deps: {
  readonly after: After;
  readonly listingOf: (source: string) => Listing;
  readonly experienceOf?: ((tool: string) => Experience | undefined) | undefined;
  readonly meanings?: Meanings | undefined;
}): ToolSearch {
  const index = createSearchIndex();
  const components = new Map<string, Map<string, Component>>();
  const waiting = new Set<string>();
  let cancel: (() => void) | undefined;

  function indexSource(source: string): void {
    waiting.delete(source);
    const { components: listed, about } = deps.listingOf(source);
    const byName = new Map(listed.map((component) => [component.name, component]));
    components.set(source, byName);
    deps.meanings?.put(source, byName, meaningOf, (name) => deps.experienceOf?.(name)?.intents ?? []);
    index.put(
      source,
      listed.map((component) => documentOf(component, deps.experienceOf?.(component.name), about)),
    );
  }

  /** One source at a time, so that 20,000 tools do not hold up everything else for a second. */
  function indexNext(): void {
    cancel = undefined;
    const [source] = waiting;
    if (source === undefined) return;
    indexSource(source);
    if (waiting.size > 0) cancel = deps.after(0, indexNext);
  }

  function prepare(): void {
    for (const source of waiting) indexSource(source);
  }

  return {
    prepare,
    replaced(source) {
      waiting.add(source);
      cancel ??= deps.after(IDLE_MS, indexNext);
    },
    search(query, limits) {
      prepare();
      const { hits, ...rest } = index.search(query, limits);
      return { hits: hits.map(({ id, score }) => ({ component: findComponent(id), score })), ...rest };
    },
    explain(query, hits, limits) {
      const documents = hits.map((component) => {
        const { about } = deps.listingOf(component.source);
        return documentOf(component, deps.experienceOf?.(component.name), about);
      });
      return index.explain(query, documents, limits);
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

/**
 * A title says what the tool is for, in few words. What a long description goes on with, such as limits and errors, is
 * much the same for many tools of an API, and would make them all alike.
 */
const TITLED_LENGTH_MAX = 200;

/** The text of a tool for embeddings: what the search by words sees, without what comes from runs. */
function meaningOf(component: Component): string {
  const { name, title, server, category, description, parameterNames } = documentOf(component).fields;
  if (title === undefined) return linesOf([name, server, category, description, parameterNames]);
  const said = description?.slice(0, TITLED_LENGTH_MAX);
  return linesOf([`${name} ${title.replaceAll("\n", " ")}`, server, category, said, parameterNames]);
}

function linesOf(texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join("\n");
}
