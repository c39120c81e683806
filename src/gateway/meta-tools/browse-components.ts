import * as z from "zod";
import { toolNameOf } from "../../core/names.ts";
import { succeed } from "../../core/result.ts";
import type { CurrentCapability } from "../../core/store.ts";
import type { Effect } from "../../core/rule.ts";
import type { CallContext, Component, ToolDefinition, ToolView } from "../../core/tool.ts";
import type { Library } from "../../library/library.ts";
import type { Catalogue } from "../../registry/catalogue.ts";
import type { Registry } from "../../registry/registry.ts";
import { createSearchIndex, type SearchIndex, type SearchLimits } from "../../search/search-index.ts";
import type { ToolHits } from "../../registry/tool-search.ts";
import type { Runs } from "../../runs/runs.ts";
import {
  ANSWER_BYTES_MAX,
  BUILT_IN,
  HEAD_COUNT,
  showBuiltIns,
  shownNode,
  showNodes,
  shownWorkflow,
  showWorkflows,
  takeWhatFits,
} from "./browse-answer.ts";
import {
  describeAbsent,
  describeServers,
  disabledServer,
  hintFor,
  isAbout,
  pendingText,
  unavailableIn,
  UNTRUSTED,
} from "./browse-hint.ts";
import { findNamed } from "./browse-names.ts";
import { viewLibrary } from "./library-view.ts";
import { createMetaTool, type IdleServers, type MetaTool } from "./meta-tool.ts";

/** The promise is an answer within a second whatever the servers do; this leaves time for the rest of the work. */
const SERVERS_WAIT_MS = 800;
const LIMIT_MAX = 100;
/**
 * Hits so much worse than the best are there by a word or two. Among the first five they have a line and no signature:
 * of 970 wanted tools among the first five in 45 tasks and in labelled requests, two were so far behind. Others are
 * left out.
 */
const TAIL_SHARE = 0.3;
/** As many as one answer has room for. */
const NAMES_ASKED_MAX = 20;
/** What only somebody says who writes a workflow: code cannot call the built-in nodes. */
const ABOUT_WORKFLOWS = /\b(?:workflows?|nodes?|built[- ]?ins?)\b/i;

const output = z.object({
  nodes: z.array(shownNode),
  workflows: z.array(shownWorkflow),
  /** How many match, beyond the limit too. */
  total: z.int(),
  /** Servers that have not answered yet. */
  pending: z.array(z.string()).optional(),
  /** Servers that failed; tools that are known of them are shown all the same. */
  unavailable: z.array(z.object({ server: z.string(), reason: z.string() })).optional(),
  hint: z.string().optional(),
});
type Output = z.output<typeof output>;

export interface BrowseDeps {
  readonly registry: Registry;
  readonly library: Library;
  readonly runs: Pick<Runs, "nodeTypes">;
  readonly freshenLibrary: () => Promise<void>;
  /** Has the search know what other processes learnt. */
  readonly freshenSearch?: (() => Promise<void>) | undefined;
  /** The ids of the servers that may be used. */
  readonly servers: () => readonly string[];
  readonly idle?: (() => IdleServers) | undefined;
  /** What the config or the server says that a tool does; undefined where neither says it. */
  readonly effectSaid?: ((component: Component) => Effect | undefined) | undefined;
}

const input = z.strictObject({
  query: z.string().max(4000).optional().describe("What to do, in a few words"),
  include_workflows: z.boolean().default(true),
  limit: z.int().min(1).max(LIMIT_MAX).default(20),
  detail: z
    .enum(["summary", "full"])
    .default("summary")
    .describe("full adds parameter descriptions and schemas"),
  names: z
    .array(z.string().min(1).max(200))
    .max(NAMES_ASKED_MAX)
    .optional()
    .describe("Only these tools, in full"),
});
type Input = z.output<typeof input>;

/** What an answer is made of. */
interface Finds {
  readonly components: readonly Component[];
  /** So many of the first are near enough to the best to be called; without it, as many as there is room for. */
  readonly headCount?: number;
  readonly kept: readonly CurrentCapability[];
  readonly nodeTypes: readonly ToolDefinition[];
  readonly total: number;
  /** Whether any tool of a server was found. */
  readonly hasTools: boolean;
  readonly isFaint: boolean;
  /** What is to be said of names that were asked for and not found. */
  readonly missed: readonly string[];
}

export function createBrowseComponents(deps: BrowseDeps): MetaTool {
  const searchBuiltIn = createBuiltInSearch();

  async function run(asked: Input, context: CallContext): Promise<Output> {
    const { view } = context;
    await Promise.all([deps.freshenLibrary(), deps.freshenSearch?.()]);
    const servers =
      view === undefined ? {} : { servers: deps.servers().filter((id) => view.allowsServer(id)) };
    const [catalogue, kept, similarityOf] = await Promise.all([
      deps.registry.discover({ waitMs: context.startWaitMs ?? SERVERS_WAIT_MS, ...servers }, context),
      asked.include_workflows ? viewLibrary(deps.library, view).listCurrent(null) : [],
      asked.names === undefined ? deps.registry.nearTo(asked.query ?? "") : undefined,
    ]);
    const finds =
      asked.names === undefined
        ? search(asked, kept, { allows: allowsIn(view), similarityOf })
        : lookUp(asked.names, catalogue, kept, view);
    return tell(finds, asked, catalogue, view);
  }

  function search(
    { query = "", limit }: Input,
    kept: readonly CurrentCapability[],
    limits: Omit<SearchLimits, "limit">,
  ): Finds {
    const tools = deps.registry.search(query, { limit, ...limits });
    const own = deps.registry.search(query, { limit: kept.length, own: true, ...limits });
    const nodeTypes = searchBuiltIn(query, deps.runs.nodeTypes);
    const shown = pickKept(withoutTail(own), kept).slice(0, limit);
    const keptCount = query.trim() === "" ? kept.length : pickKept(own.hits, kept).length;
    return {
      nodeTypes: nodeTypes.slice(0, limit),
      components: withoutTail(tools)
        .map(({ component }) => component)
        .slice(0, Math.max(0, limit - nodeTypes.length)),
      ...(!tools.isFaint && { headCount: countHeads(tools) }),
      kept: shown,
      total: tools.total + nodeTypes.length + keptCount,
      hasTools: tools.total > 0,
      // What is kept under such words is what was asked for, whatever the servers have.
      isFaint: tools.isFaint && (shown.length === 0 || own.isFaint),
      missed: [],
    };
  }

  function lookUp(
    names: readonly string[],
    { components }: Catalogue,
    kept: readonly CurrentCapability[],
    view: ToolView | undefined,
  ): Finds {
    const shown = components.filter(({ name }) => view?.allows(name) !== false);
    const found = findNamed(names, { components: shown, kept, nodeTypes: deps.runs.nodeTypes });
    const total = found.components.length + found.kept.length + found.nodeTypes.length;
    return { ...found, total, hasTools: total > 0, isFaint: false };
  }

  function tell(
    { components, headCount, kept, nodeTypes, total, hasTools, isFaint, missed }: Finds,
    asked: Input,
    catalogue: Catalogue,
    view: ToolView | undefined,
  ): Output {
    const { query = "" } = asked;
    const isFull = asked.detail === "full" || asked.names !== undefined;
    const heads = headCount === undefined ? {} : { headCount };
    const showing = { view, isFull, ...heads, effectOf: deps.effectSaid };
    const workflows = takeWhatFits(showWorkflows(kept, showing), ANSWER_BYTES_MAX / 2);
    const nodes = takeWhatFits(
      [...showBuiltIns(nodeTypes, isFull), ...showNodes(components, showing)],
      ANSWER_BYTES_MAX / 2 + workflows.bytesLeft,
    );
    const isFound = components.length + kept.length + nodeTypes.length > 0;
    const pending = catalogue.pending.filter((id) => view?.allowsServer(id) !== false);
    // What a project's file would add is nothing that a profile shows, nor what is switched off.
    const { untrusted = [], disabled = [] } = (view === undefined ? deps.idle?.() : undefined) ?? {};
    const unavailable = [
      ...unavailableIn(catalogue, (id) => view?.allowsServer(id) !== false),
      ...disabled.filter((id) => !isFound || isFaint || isAbout(query, id)).map(disabledServer),
    ];
    const left =
      components.length + kept.length + nodeTypes.length - nodes.taken.length - workflows.taken.length;
    const hint = hintFor({
      query: asked.names === undefined ? query : "",
      left,
      unshown: isFull ? nodes.taken.filter((node) => node.input_schema === undefined) : [],
      pending: pending.map((id) => pendingText(id, catalogue)),
      absent: [...missed, describeAbsent(unavailable, untrusted)].filter((text) => text !== "").join(" "),
      hasTools: hasTools && missed.length === 0,
      isFull,
      isFound,
      isFaint,
    });
    const missing = [...unavailable, ...untrusted.map((server) => ({ server, reason: UNTRUSTED }))];
    return {
      nodes: nodes.taken,
      workflows: workflows.taken,
      total,
      ...(pending.length > 0 && { pending }),
      ...(missing.length > 0 && { unavailable: missing }),
      ...(hint !== undefined && { hint }),
    };
  }

  return createMetaTool({
    name: "browse_components",
    title: "Browse components",
    describe: (servers, idle) =>
      `Search the tools of all servers, and the library. Start here. Code calls a hit by its signature. ${describeServers(servers, idle)}`,
    input,
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    searchHint: "find tools of all connected servers by what they do",
    isAlwaysLoaded: true,
    run: async (asked, context) => succeed(await run(asked, context)),
  });
}

function allowsIn(view: ToolView | undefined): ((tool: string) => boolean) | undefined {
  return view === undefined ? undefined : (tool) => view.allows(tool);
}

/** The hits that are shown of those that were found. */
export function withoutTail({ hits }: ToolHits): ToolHits["hits"] {
  return hits.filter((hit, rank) => rank < HEAD_COUNT || isNearBest(hit, hits));
}

function countHeads({ hits }: ToolHits): number {
  return hits.slice(0, HEAD_COUNT).filter((hit) => isNearBest(hit, hits)).length;
}

function isNearBest({ score }: ToolHits["hits"][number], hits: ToolHits["hits"]): boolean {
  return score >= (hits[0]?.score ?? 0) * TAIL_SHARE;
}

function pickKept(hits: ToolHits["hits"], kept: readonly CurrentCapability[]): CurrentCapability[] {
  const byTool = new Map(kept.map((item) => [toolNameOf(item.capability), item]));
  return hits.flatMap(({ component }) => byTool.get(component.name) ?? []);
}

/**
 * The built-in node types, for those who write a workflow: code cannot call them, so in any other answer they would
 * only be read. One whose very name is asked for is there as well.
 */
function createBuiltInSearch(): (
  query: string,
  types: readonly ToolDefinition[],
) => readonly ToolDefinition[] {
  let made: { readonly types: readonly ToolDefinition[]; readonly index: SearchIndex } | undefined;
  return (query, types) => {
    const named = types.filter(({ name }) => name === query.trim().toLowerCase());
    if (named.length > 0) return named;
    if (!ABOUT_WORKFLOWS.test(query)) return [];
    if (made?.types !== types) made = { types, index: indexBuiltIn(types) };
    const byName = new Map(types.map((type) => [type.name, type]));
    const rest = query.replaceAll(new RegExp(ABOUT_WORKFLOWS, "gi"), " ").trim();
    if (rest === "") return types;
    const { hits, isFaint } = made.index.search(rest, { limit: types.length });
    return isFaint ? [] : hits.map(({ id }) => byName.get(id)!);
  };
}

function indexBuiltIn(types: readonly ToolDefinition[]): SearchIndex {
  const index = createSearchIndex();
  index.put(
    BUILT_IN,
    types.map(({ name, description = "" }) => ({ id: name, fields: { name, description } })),
  );
  return index;
}
