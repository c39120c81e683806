/** Tools: the list, the search, one of them, a call, and the declarations for code. */
import type { App, KnownHits } from "../../app/app.ts";
import { toolErrorIn } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { ToolView } from "../../core/tool.ts";
import { callablesIn, knownLookup, metaToolsIn, seenThrough, type Callable } from "./callables.ts";
import { createOnceById, type OnceById } from "../once-by-id.ts";
import type { Handlers, OperatorDeps, Viewer } from "../operator.ts";
import { noServer } from "../servers/server-list.ts";
import { describeTool, findKnownTool } from "./tool-details.ts";
import { rowOf } from "./tool-view.ts";

/** Callers repeat a call by its `request_id`; the answers of each gateway of this process are kept. */
const calls = new WeakMap<App, OnceById>();

function callsOf(app: App): OnceById {
  const known = calls.get(app) ?? createOnceById();
  calls.set(app, known);
  return known;
}

export const toolHandlers: Handlers<"listTools" | "searchTools" | "getTool" | "callTool" | "declareTools"> = {
  async listTools(deps, viewer, { query: { server } }) {
    const known = await deps.app.knownTools();
    const shown = await listCallables(deps, viewer, known, server);
    if (!shown.success) return shown;
    const { callables, listed } = shown.data;
    const isShown = (id: string) => viewer.view?.allowsServer(id) !== false && (server ?? id) === id;
    return succeed({
      tools: callables.map((one) => rowOf(one, { app: deps.app, view: viewer.view, listed })),
      pending: known.pending.filter(isShown),
      failed: known.failed
        .filter(({ source }) => isShown(source))
        .map(({ source, reason }) => ({ server: source, reason })),
    });
  },
  searchTools: ({ app }, { view }, { query }) => searchTools(app, view, query),
  async getTool(deps, viewer, { params: { tool } }) {
    const found = await findKnownTool(deps, viewer, tool);
    return found.success ? succeed(await describeTool(deps, viewer, found.data)) : found;
  },
  callTool: (deps, viewer, { params: { tool }, body: { args, request_id: id } }) =>
    callsOf(deps.app).run(viewer.principal?.id ?? "", id, () =>
      callOnce(deps, viewer, tool, args as JsonObject, id),
    ),
  async declareTools({ app }, { view }) {
    const { text, toolCount, missing } = await app.declareKnown(view);
    return succeed({ declarations: text, toolCount, missing: [...missing] });
  },
};

interface ListedCallables {
  readonly callables: readonly Callable[];
  /** The names that clients see in their list. */
  readonly listed: ReadonlySet<string>;
}

/** The meta-tools and the tools that were found, or those of one server, as far as they are shown. */
export async function listCallables(
  { app, config }: OperatorDeps,
  { view }: Pick<Viewer, "view">,
  found: Parameters<typeof callablesIn>[0],
  server?: string,
): Promise<ToolResult<ListedCallables>> {
  const servers = config
    .current()
    .servers.map(({ id }) => id)
    .filter((id) => view?.allowsServer(id) !== false);
  if (server !== undefined && !servers.includes(server)) return noServer(server, servers);
  const list = await app.listKnown(view);
  const tools = seenThrough(view, callablesIn(found));
  const callables =
    server === undefined ? [...metaToolsIn(list), ...tools] : tools.filter((one) => one.server === server);
  return succeed({ callables, listed: new Set(list.map(({ name }) => name)) });
}

/**
 * What the tool itself answers is the answer, also that it failed; what the gateway refuses is a failure. A call that can
 * be asked for again goes on when the browser that asked for it is gone.
 */
async function callOnce(
  deps: OperatorDeps,
  viewer: Viewer,
  tool: string,
  args: JsonObject,
  id: string | undefined,
): Promise<ToolResult<{ content: JsonObject[]; elapsed_ms: number; [field: string]: unknown }>> {
  const startedAt = performance.now();
  const signal = id === undefined ? viewer.context.signal : (viewer.principal?.revoked ?? endless());
  const name = await calledName(deps, viewer, tool);
  const answer = await viewer.gateway.callTool(name, args, { ...viewer.context, signal });
  const error = toolErrorIn(answer);
  if (error !== undefined) return { success: false, error };
  const elapsedMs = Math.round(performance.now() - startedAt);
  return succeed({ ...answer, content: [...answer.content], elapsed_ms: elapsedMs });
}

function endless(): AbortSignal {
  return new AbortController().signal;
}

/** People write `files.read`; a client of the viewer's profile calls it by another name. */
async function calledName({ app }: OperatorDeps, { view }: Viewer, tool: string): Promise<string> {
  const { tools } = await knownLookup(app, view).gather();
  const written = callablesIn({ tools, pending: [], failed: [] }).find((one) => one.written === tool);
  if (written === undefined || view?.allows(written.name) === false) return tool;
  return view?.nameOf(written.name) ?? written.name;
}

/** More say nothing about the place of a hit. */
const REASONS_MAX = 20;

type Row = ReturnType<typeof rowOf>;

/** `share` is a part of the score: those of a hit add up to 1, where none is left out. */
interface FoundRow extends Row {
  readonly score: number;
  readonly why: { word: string; where: string; share: number }[];
}

interface Found {
  readonly hits: FoundRow[];
  readonly total: number;
  readonly pending: string[];
}

/** The search that agents use, and why each hit is where it is. */
async function searchTools(
  app: App,
  view: ToolView | undefined,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<ToolResult<Found>> {
  const { hits, total, pending } = await app.searchKnown(query, { limit, view });
  const listed = new Set((await app.listKnown(view)).map(({ name }) => name));
  const rows = hits.flatMap(({ component, score, why }) => {
    const [one] = seenThrough(view, callablesIn({ tools: [component], pending: [], failed: [] }));
    return one === undefined
      ? []
      : [{ ...rowOf(one, { app, view, listed }), score, why: sharesOf(score, why) }];
  });
  return succeed({ hits: rows, total, pending: [...pending] });
}

function sharesOf(score: number, why: KnownHits["hits"][number]["why"]): FoundRow["why"] {
  return why
    .slice(0, REASONS_MAX)
    .map(({ word, where, points }) => ({ word, where, share: score === 0 ? 0 : points / score }));
}
