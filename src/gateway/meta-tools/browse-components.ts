import * as z from "zod";
import { toolNameOf } from "../../core/names.ts";
import { succeed } from "../../core/result.ts";
import type { CurrentCapability } from "../../core/store.ts";
import type { CallContext, ToolDefinition } from "../../core/tool.ts";
import type { Library } from "../../library/library.ts";
import type { Catalogue } from "../../registry/catalogue.ts";
import type { Registry } from "../../registry/registry.ts";
import { createSearchIndex, type SearchIndex } from "../../search/search-index.ts";
import type { ToolHits } from "../../registry/tool-search.ts";
import type { Runs } from "../../runs/runs.ts";
import {
  ANSWER_BYTES_MAX,
  BUILT_IN,
  showBuiltIn,
  showNodeIn,
  shownNode,
  shownWorkflow,
  showWorkflow,
  takeWhatFits,
} from "./browse-answer.ts";
import { viewLibrary } from "./library-view.ts";
import { createMetaTool, type IdleServers, type MetaTool } from "./meta-tool.ts";

/** The promise is an answer within a second whatever the servers do; this leaves time for the rest of the work. */
const SERVERS_WAIT_MS = 800;
const LIMIT_MAX = 100;
/** Hits so much worse than the best are there by a word or two; each costs as many tokens as a good one. */
const TAIL_SHARE = 0.3;
/** However much better the first is. */
const HEAD_COUNT = 5;

const output = z.object({
  nodes: z.array(shownNode),
  workflows: z.array(shownWorkflow),
  total: z.int().describe("How many match, beyond the limit too."),
  pending: z.array(z.string()).describe("Servers that have not answered yet; ask again to see their tools."),
  unavailable: z
    .array(z.object({ server: z.string(), reason: z.string() }))
    .describe("Servers that failed; tools that are known of them are shown all the same."),
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
}

const input = z.strictObject({
  query: z
    .string()
    .max(4000)
    .optional()
    .describe("What you want to do, in a few words. Without it, everything."),
  include_workflows: z.boolean().default(true).describe("Also search the library."),
  limit: z.int().min(1).max(LIMIT_MAX).default(20).describe("How many hits at most."),
  detail: z.enum(["summary", "full"]).default("summary").describe("full adds the JSON Schemas."),
});
type Input = z.output<typeof input>;

export function createBrowseComponents(deps: BrowseDeps): MetaTool {
  const searchBuiltIn = createBuiltInSearch();

  async function run(asked: Input, context: CallContext): Promise<Output> {
    const { view } = context;
    const query = asked.query ?? "";
    await Promise.all([deps.freshenLibrary(), deps.freshenSearch?.()]);
    const servers =
      view === undefined ? {} : { servers: deps.servers().filter((id) => view.allowsServer(id)) };
    const [catalogue, kept, similarityOf] = await Promise.all([
      deps.registry.discover({ waitMs: context.startWaitMs ?? SERVERS_WAIT_MS, ...servers }, context),
      asked.include_workflows ? viewLibrary(deps.library, view).listCurrent(null) : [],
      deps.registry.nearTo(query),
    ]);
    const allows = view === undefined ? undefined : (tool: string) => view.allows(tool);
    const tools = deps.registry.search(query, { limit: asked.limit, allows, similarityOf });
    const own = deps.registry.search(query, { limit: kept.length, allows, own: true, similarityOf });
    const builtIn = searchBuiltIn(query, deps.runs.nodeTypes);
    const isFull = asked.detail === "full";
    const nodes = [
      ...withoutTail(tools).map(({ component }) => showNodeIn(view, component, isFull)),
      ...builtIn.map((definition) => showBuiltIn(definition, isFull)),
    ].slice(0, asked.limit);
    const workflows = pickKept(withoutTail(own), kept)
      .slice(0, asked.limit)
      .map((item) => showWorkflow(item, view));
    const shownWorkflows = takeWhatFits(workflows, ANSWER_BYTES_MAX / 2);
    const shownNodes = takeWhatFits(nodes, ANSWER_BYTES_MAX / 2 + shownWorkflows.bytesLeft);
    const left = nodes.length + workflows.length - shownNodes.taken.length - shownWorkflows.taken.length;
    const pending = catalogue.pending.filter((id) => view?.allowsServer(id) !== false);
    const isFaint = tools.isFaint && (workflows.length === 0 || own.isFaint);
    const isFound = nodes.length + workflows.length > 0;
    // What a project's file would add is nothing that a profile shows, nor what is switched off.
    const { untrusted = [], disabled = [] } = (view === undefined ? deps.idle?.() : undefined) ?? {};
    const unavailable = [
      ...unavailableIn(catalogue, (id) => view?.allowsServer(id) !== false),
      ...disabled.filter((id) => !isFound || isFaint || isAbout(query, id)).map(disabledServer),
    ];
    const hint = hintFor({
      query,
      left,
      unshown: isFull
        ? shownNodes.taken.filter((node) => node.input_schema === undefined).map(({ type }) => type)
        : [],
      pending: pending.map((id) => pendingText(id, catalogue)),
      absent: describeAbsent(unavailable, untrusted),
      hasTools: tools.total > 0,
      isFull,
      isFound,
      // What is kept under such words is what was asked for, whatever the servers have.
      isFaint,
    });
    return {
      nodes: shownNodes.taken,
      workflows: shownWorkflows.taken,
      total:
        tools.total + builtIn.length + (query.trim() === "" ? kept.length : pickKept(own.hits, kept).length),
      pending,
      unavailable: [...unavailable, ...untrusted.map((server) => ({ server, reason: UNTRUSTED }))],
      ...(hint !== undefined && { hint }),
    };
  }

  return createMetaTool({
    name: "browse_components",
    title: "Browse components",
    describe: (servers, idle) =>
      "Search the tools that you can use: those of every connected server, and what was kept in the library. Start here. " +
      "Each hit has the TypeScript signature to call it in code: await mcp.server.tool({…}). " +
      describeServers(servers, idle),
    input,
    output,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    run: async (asked, context) => succeed(await run(asked, context)),
  });
}

/** A description is read in every request of every client. */
const NAMES_MAX = 30;

/** Names a bounded number of servers, and those whose tools are missing, so that they are not taken for absent. */
function describeServers(servers: readonly string[], idle?: IdleServers): string {
  const { unusable = [], untrusted = [], disabled = [] } = idle ?? {};
  const usable = servers.filter((id) => !unusable.includes(id));
  const sentences = [
    ...(usable.length > 0 ? [`Servers: ${namesOf(usable)}.`] : []),
    ...(unusable.length > 0
      ? [`Not usable as they are configured: ${namesOf(unusable)}; the answer says why.`]
      : []),
    ...(untrusted.length > 0 ? [waitForTrust(untrusted)] : []),
  ];
  if (sentences.length > 0) return sentences.join(" ");
  return disabled.length === 0
    ? "No servers are configured yet."
    : `All servers are disabled: ${namesOf(disabled)}.`;
}

/** One that is switched off is named where it may be missed; in every answer it would only cost tokens. */
function isAbout(query: string, id: string): boolean {
  return query.trim() === "" || query.toLowerCase().includes(id.toLowerCase());
}

function disabledServer(server: string): Output["unavailable"][number] {
  return { server, reason: `It is disabled. A person can run: repertoire enable ${server}` };
}

function pendingText(id: string, { starting }: Catalogue): string {
  const one = starting.find(({ source }) => source === id);
  return one === undefined ? id : `${id} (still starting, for ${Math.round(one.forMs / 1000)} s)`;
}

function namesOf(servers: readonly string[]): string {
  const rest = servers.length > NAMES_MAX ? ` and ${servers.length - NAMES_MAX} more` : "";
  return `${servers.slice(0, NAMES_MAX).join(", ")}${rest}`;
}

const UNTRUSTED =
  "The repertoire.json of this folder is not trusted, so its servers are not started. A person has to run: repertoire trust";

function waitForTrust(servers: readonly string[]): string {
  return `Servers of this folder's repertoire.json wait until a person runs \`repertoire trust\`: ${namesOf(servers)}.`;
}

/** Why expected tools may be missing. */
function describeAbsent(unavailable: Output["unavailable"], untrusted: readonly string[]): string {
  const sentences = [
    ...(unavailable.length > 0
      ? [`Tools of ${namesOf(unavailable.map(({ server }) => server))} are missing: see unavailable.`]
      : []),
    ...(untrusted.length > 0 ? [waitForTrust(untrusted)] : []),
  ];
  return sentences.join(" ");
}

/** The hits that are shown of those that were found. */
export function withoutTail({ hits }: ToolHits): ToolHits["hits"] {
  const best = hits[0]?.score ?? 0;
  return hits.filter(({ score }, rank) => rank < HEAD_COUNT || score >= best * TAIL_SHARE);
}

function pickKept(hits: ToolHits["hits"], kept: readonly CurrentCapability[]): CurrentCapability[] {
  const byTool = new Map(kept.map((item) => [toolNameOf(item.capability), item]));
  return hits.flatMap(({ component }) => byTool.get(component.name) ?? []);
}

function unavailableIn(catalogue: Catalogue, isShown: (server: string) => boolean): Output["unavailable"] {
  const failed = catalogue.failed.filter(({ source }) => isShown(source));
  return failed.map(({ source, reason, cure }) => ({
    server: source,
    reason: cure === undefined ? reason : `${reason} ${cure}`,
  }));
}

/** The built-in node types come after the tools: a workflow can use both, code only the tools. */
function createBuiltInSearch(): (query: string, types: readonly ToolDefinition[]) => ToolDefinition[] {
  let made: { readonly types: readonly ToolDefinition[]; readonly index: SearchIndex } | undefined;
  return (query, types) => {
    if (query.trim() === "") return [...types];
    if (made?.types !== types) made = { types, index: indexBuiltIn(types) };
    const byName = new Map(types.map((type) => [type.name, type]));
    const { hits, isFaint } = made.index.search(query, { limit: types.length });
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

interface Found {
  readonly query: string;
  readonly isFound: boolean;
  readonly isFaint: boolean;
  /** Hits that did not fit into the answer. */
  readonly left: number;
  /** Hits whose schemas are too large to be shown. */
  readonly unshown: readonly string[];
  readonly isFull: boolean;
  readonly pending: readonly string[];
  /** Which tools are missing and why, or nothing. */
  readonly absent: string;
  /** Whether any tool of a server was found. */
  readonly hasTools: boolean;
}

function hintFor(found: Found): string | undefined {
  const { query, isFound, isFaint, left, unshown, isFull, pending, absent, hasTools } = found;
  if (left > 0) {
    const less = isFull ? "Ask for fewer, or without detail." : "Ask for something narrower.";
    return `${left} more hits do not fit into one answer. ${less}`;
  }
  if (unshown.length > 0) {
    return `The schemas of ${unshown.join(", ")} are too large for an answer: go by the signature, and execute says what is wrong with a call.`;
  }
  if (query.trim() === "" || (isFound && !isFaint)) {
    const wait = pending.length === 0 ? "" : `${pending.join(", ")}: no answer yet, ask again in a moment.`;
    return hasTools || absent + wait === "" ? undefined : `${wait} ${absent}`.trim();
  }
  const what = isFound ? "Nothing fits these words well." : "Nothing fits these words.";
  const wait = pending.length === 0 ? "" : ` ${pending.join(", ")} may have it: ask again in a moment.`;
  return `${what} Say what is to be done in other words (a verb and a thing), name a server, or browse without a query to see everything.${wait}${absent === "" ? "" : ` ${absent}`}`;
}
