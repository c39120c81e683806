/**
 * One catalogue over many sources of tools.
 *
 * It never knows what kind a source is. A source that fails or hangs costs the others nothing: it is named in `failed` or
 * `pending`, and everything else is in the answer. Exposed names come from `exposeTools`, and a call is routed by the map that
 * was made when the source was listed. It keeps no list of its own beyond that map.
 */
import { messageOf } from "../core/errors.ts";
import { exposeTools, parseToolName } from "../core/names.ts";
import { nearest } from "../core/nearest.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { CallContext, CallTool, ToolDefinition, ToolSource } from "../core/tool.ts";

/** A tool with the name under which clients see it. */
export interface Component {
  readonly name: string;
  readonly source: string;
  readonly definition: ToolDefinition;
}

interface Catalogue {
  /** In the order of their names. */
  readonly components: readonly Component[];
  /** Sources that have not answered within the time given. */
  readonly pending: readonly string[];
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
}

export interface Registry {
  add(source: ToolSource): void;
  catalogue(context: CallContext, waitMs: number): Promise<Catalogue>;
  readonly call: CallTool;
  changed(listener: () => void): () => void;
  close(): Promise<void>;
}

type Listing =
  | { readonly kind: "listed"; readonly components: readonly Component[] }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "pending" };

export function createRegistry(): Registry {
  const sources = new Map<string, { source: ToolSource; unsubscribe: () => void }>();
  const routes = new Map<string, ReadonlyMap<string, string>>();
  const listeners = new Set<() => void>();

  async function listSource(source: ToolSource, context: CallContext): Promise<Listing> {
    const listed = await attempt(() => source.list(context));
    if (!listed.success) return { kind: "failed", reason: listed.error.message };
    const exposed = exposeTools(
      source.id,
      listed.data.tools.map((tool) => tool.name),
    );
    routes.set(source.id, exposed.originals);
    const byName = new Map(listed.data.tools.map((tool) => [tool.name, tool]));
    const components = [...exposed.originals].map(([name, original]) => ({
      name,
      source: source.id,
      definition: byName.get(original)!,
    }));
    return { kind: "listed", components };
  }

  async function call(...[name, args, context]: Parameters<CallTool>): ReturnType<CallTool> {
    const parsed = parseToolName(name);
    const entry = parsed.kind === "upstream" ? sources.get(parsed.server) : undefined;
    if (entry === undefined) return unknownTool(name, routes);
    if (!routes.has(entry.source.id)) await listSource(entry.source, context);
    const original = routes.get(entry.source.id)?.get(name);
    if (original === undefined) return unknownTool(name, routes);
    return attempt(() => entry.source.call(original, args, context));
  }

  return {
    call,
    add(source) {
      const unsubscribe = source.changed(() => {
        for (const listener of listeners) listener();
      });
      sources.set(source.id, { source, unsubscribe });
    },
    async catalogue(context, waitMs) {
      const entries = [...sources.values()];
      const listings = await Promise.all(
        entries.map(({ source }) => withinTime(listSource(source, context), waitMs)),
      );
      return mergeListings(
        entries.map(({ source }) => source.id),
        listings,
      );
    },
    changed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      const entries = [...sources.values()];
      sources.clear();
      routes.clear();
      for (const { unsubscribe } of entries) unsubscribe();
      await Promise.allSettled(entries.map(({ source }) => source.close()));
    },
  };
}

/** A source must not throw; one that does anyway has failed, and nobody else. */
async function attempt<T>(work: () => Promise<ToolResult<T>>): Promise<ToolResult<T>> {
  try {
    return await work();
  } catch (error) {
    return fail("TOOL_EXECUTION_FAILED", messageOf(error));
  }
}

async function withinTime(listing: Promise<Listing>, waitMs: number): Promise<Listing> {
  const { promise, resolve } = Promise.withResolvers<Listing>();
  const timer = setTimeout(resolve, waitMs, { kind: "pending" });
  try {
    return await Promise.race([listing, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function mergeListings(ids: readonly string[], listings: readonly Listing[]): Catalogue {
  const components: Component[] = [];
  const pending: string[] = [];
  const failed: { source: string; reason: string }[] = [];
  listings.forEach((listing, index) => {
    const source = ids[index]!;
    if (listing.kind === "listed") components.push(...listing.components);
    else if (listing.kind === "failed") failed.push({ source, reason: listing.reason });
    else pending.push(source);
  });
  components.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { components, pending: pending.sort(), failed };
}

function unknownTool(name: string, routes: ReadonlyMap<string, ReadonlyMap<string, string>>) {
  const known = [...routes.values()].flatMap((originals) => [...originals.keys()]);
  return fail("TOOL_NOT_FOUND", `There is no tool ${JSON.stringify(name.slice(0, 80))}.`, {
    nearest: nearest(name, known),
    hint: "browse_components lists the tools that can be called.",
  });
}
