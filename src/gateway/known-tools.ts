/** The tools that clients get and find, made of what is known: somebody who only looks starts no server. */
import { randomUUID } from "node:crypto";
import type { Component, ToolDefinition, ToolView } from "../core/tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { Contribution } from "../search/search-explanation.ts";
import type { Exposure } from "./exposure.ts";
import type { GatewayDeps } from "./gateway-deps.ts";
import { withoutTail } from "./meta-tools/browse-components.ts";
import { createMetaTools } from "./meta-tools/meta-tools.ts";
import { createToolListReader } from "./tool-list.ts";

/** What `tools/list` answers, through a profile or without one. */
export function createKnownList(
  gateway: GatewayDeps,
  exposureOf: (profile: string | undefined) => Exposure,
): (view?: ToolView) => Promise<readonly ToolDefinition[]> {
  const registry = { ...gateway.registry, discover: async () => gateway.registry.catalogue() };
  const deps: GatewayDeps = { ...gateway, registry };
  const metaTools = createMetaTools(deps).all;

  return async (view) => {
    const reader = createToolListReader({
      ...deps,
      metaTools,
      servers: () => deps.servers().filter((id) => view?.allowsServer(id) !== false),
      exposure: () => exposureOf(view?.profile),
      ...(view !== undefined && { view }),
    });
    return (await reader.read({ traceId: randomUUID(), signal: new AbortController().signal })).tools;
  };
}

interface KnownLimits {
  readonly limit: number;
  /** What the profile of the caller shows; without one, all. */
  readonly view?: ToolView | undefined;
}

/** What was found, what was kept first; `why` adds up to the score of a hit. */
export interface KnownHits {
  readonly hits: readonly {
    readonly component: Component;
    readonly score: number;
    readonly why: readonly Contribution[];
  }[];
  readonly total: number;
  readonly pending: readonly string[];
}

/** The search of clients over what is known, and why each hit is where it is. */
export type SearchKnown = (query: string, limits: KnownLimits) => Promise<KnownHits>;

export interface KnownSearchDeps {
  readonly registry: Registry;
  readonly freshenLibrary: () => Promise<void>;
  /** Has the search know what other processes learnt. */
  readonly freshenSearch: () => Promise<void>;
}

export function createKnownSearch({ registry, freshenLibrary, freshenSearch }: KnownSearchDeps): SearchKnown {
  return async (query, { limit, view }) => {
    await Promise.all([freshenLibrary(), freshenSearch()]);
    const similarityOf = await registry.nearTo(query);
    const allows = allowsOf(view);
    const find = (own: boolean): KnownHits => {
      const found = registry.search(query, { limit, allows, own, similarityOf });
      const kept = withoutTail(found);
      const components = kept.map(({ component }) => component);
      const why = registry.explainHits(query, components, { allows, own, similarityOf });
      const hits = kept.map((hit) => ({ ...hit, why: why.get(hit.component.name) ?? [] }));
      return { hits, total: found.total, pending: [] };
    };
    const [kept, tools] = [find(true), find(false)];
    return {
      hits: [...kept.hits, ...tools.hits].slice(0, limit),
      total: kept.total + tools.total,
      pending: registry.catalogue().pending.filter((id) => view?.allowsServer(id) !== false),
    };
  };
}

function allowsOf(view: ToolView | undefined): ((tool: string) => boolean) | undefined {
  return view === undefined ? undefined : (tool) => view.allows(tool);
}
