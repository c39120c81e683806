/**
 * What the user's own tools cost, for the gateway and each profile: at the start of a conversation, and for what a
 * task comes to on top. Searches are measured with the real search over the real catalogue. Nothing is started unless
 * that is asked for.
 */
import { randomUUID } from "node:crypto";
import type { Component, CallContext, ToolDefinition } from "../core/tool.ts";
import { createBrowseComponents } from "./meta-tools/browse-components.ts";
import { modeFor, weigh, type Exposure, type Mode } from "./exposure.ts";
import { EXECUTE_TOKENS } from "./finding-cost.ts";
import type { GatewayDeps } from "./gateway-deps.ts";
import type { MetaTool } from "./meta-tools/meta-tool.ts";
import { createMetaTools } from "./meta-tools/meta-tools.ts";
import { createProfileView, type ProfileRules, type ProfileView } from "./profiles/profile-view.ts";
import { createToolListReader } from "./tool-list.ts";
import { TOKENIZER, type TokenCounts } from "./token-counts.ts";

/** Enough for a mean that another ten would hardly change. */
const QUERY_COUNT_MAX = 10;
/** About as many words as a model asks with. */
const QUERY_WORDS_MAX = 8;
/** Longer than any server may take to start and answer. */
const START_WAIT_MS = 60_000;

export interface TokenReportDeps {
  /** What the gateway is made of. */
  readonly gateway: GatewayDeps;
  readonly counts: TokenCounts;
  readonly profiles: () => Readonly<Record<string, ProfileRules & { readonly transparent?: string }>>;
}

interface ServerTokens {
  readonly id: string;
  readonly toolCount: number;
  /** Of the definitions of all its tools. */
  readonly tokens: number;
  readonly meanTokens: number;
  /** The dearest first. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
}

/** What a mode costs: at the start of every conversation, and on top of that in a typical task. */
interface ModeTokens {
  readonly startTokens: number;
  /** Undefined where there is no search to find tools with. */
  readonly taskTokens?: number;
}

/** The gateway, or a profile of it, as clients meet it. */
interface ViewTokens {
  readonly profile: string | null;
  readonly exposure: Exposure | "transparent";
  readonly mode: Mode | "transparent";
  /** Why that mode is in force, in one sentence. */
  readonly why: string;
  /** What the tools of servers that it may show cost together. */
  readonly toolTokens: number;
  readonly toolCount: number;
  /** What finding them by search costs at most: up to so many tokens, `auto` shows every tool. */
  readonly autoTokensMax: number;
  readonly lean: ModeTokens;
  readonly full: ModeTokens;
  /** What one search costs, question and answer, and how many it was measured with. */
  readonly search: { readonly tokens: number; readonly queryCount: number };
}

export interface TokenReport {
  readonly tokenizer: string;
  readonly servers: readonly ServerTokens[];
  /** Servers whose tools are not known, and why where they were asked. */
  readonly unread: readonly { readonly id: string; readonly reason?: string }[];
  /** The gateway first. */
  readonly faces: readonly ViewTokens[];
}

export interface TokenReports {
  /** With `start`, servers that were not read yet are started and asked first. */
  readonly weighTools: (options?: { readonly start?: boolean }) => Promise<TokenReport>;
  /** Undefined where nothing is known of the server. */
  readonly tokensOfServer: (id: string) => Promise<ServerTokens | undefined>;
}

export function createTokenReports({ gateway, counts, profiles }: TokenReportDeps): TokenReports {
  // What is known is searched as it is: the search of a client would start servers.
  const registry = { ...gateway.registry, discover: async () => gateway.registry.catalogue() };
  const deps: GatewayDeps = { ...gateway, registry };

  const sumOf = async (tools: readonly ToolDefinition[]) => sum(await counts.countOf(tools));

  async function tokensOfServer(id: string): Promise<ServerTokens | undefined> {
    if (!registry.hasRead(id)) return undefined;
    const listed = registry.catalogue().components.filter(({ source }) => source === id);
    const tokens = await counts.countOf(listed.map(exposedOf));
    const tools = listed
      .map(({ name }, at) => ({ name, tokens: tokens[at]! }))
      .sort((a, b) => b.tokens - a.tokens);
    const total = sum(tokens);
    return { id, toolCount: tools.length, tokens: total, meanTokens: meanOf(tokens), tools };
  }

  async function measureSearch(
    browse: MetaTool,
    tools: readonly ToolDefinition[],
    view: ProfileView | undefined,
  ): Promise<ViewTokens["search"]> {
    const texts: string[] = [];
    const queries = queriesOf(tools);
    for (const query of queries) {
      const answer = await browse.call({ query }, contextOf(view));
      texts.push(JSON.stringify({ query }), answer.success ? JSON.stringify(answer.data) : "");
    }
    const total = sum(await counts.countTexts(texts));
    return {
      tokens: queries.length === 0 ? 0 : Math.round(total / queries.length),
      queryCount: queries.length,
    };
  }

  async function weighView(profile: string | null, view: ProfileView | undefined): Promise<ViewTokens> {
    const { lean, upstream } = listsOf(deps, view);
    const [leanTokens, toolTokens] = await Promise.all([sumOf(lean), sumOf(upstream)]);
    const exposure = view?.exposure ?? deps.exposure();
    const { found } = await weigh(upstream, counts);
    const unread = unreadOf(deps, shownServers(deps, view));
    const auto = unread.length > 0 ? "lean" : modeFor({ listed: toolTokens, found });
    const mode = exposure === "auto" ? auto : exposure;
    const hasSearch = view === undefined || view.allows("browse_components");
    const search = await measureSearch(createBrowseComponents(deps), hasSearch ? upstream : [], view);
    return {
      profile,
      exposure,
      mode,
      why: reasonFor({ exposure, mode, toolTokens, found, unread }),
      toolTokens,
      toolCount: upstream.length,
      autoTokensMax: found,
      lean: {
        startTokens: leanTokens,
        ...(hasSearch && { taskTokens: search.tokens + EXECUTE_TOKENS }),
      },
      full: { startTokens: leanTokens + toolTokens, taskTokens: 0 },
      search,
    };
  }

  /** It shows the server's own names, and nothing beside them. */
  async function weighTransparent(profile: string, server: string): Promise<ViewTokens> {
    const own = registry.catalogue().components.filter(({ source }) => source === server);
    const toolTokens = await sumOf(own.map(({ definition }) => definition));
    const cost = { startTokens: toolTokens, taskTokens: 0 };
    return {
      profile,
      exposure: "transparent",
      mode: "transparent",
      why: `It fronts the server ${server} alone, as it is.`,
      toolTokens,
      toolCount: own.length,
      autoTokensMax: 0,
      lean: cost,
      full: cost,
      search: { tokens: 0, queryCount: 0 },
    };
  }

  return {
    tokensOfServer,
    async weighTools({ start = false } = {}) {
      if (start) await gateway.registry.discover({ waitMs: START_WAIT_MS }, contextOf(undefined));
      await gateway.freshenLibrary();
      const ids = gateway.servers();
      const servers = await Promise.all(ids.map(tokensOfServer));
      const faces = [await weighView(null, undefined)];
      for (const [name, rules] of Object.entries(profiles())) {
        const { transparent } = rules;
        faces.push(
          transparent === undefined
            ? await weighView(name, createProfileView(name, rules, gateway.registry.tools))
            : await weighTransparent(name, transparent),
        );
      }
      return {
        tokenizer: TOKENIZER,
        servers: servers.filter((server) => server !== undefined),
        unread: unreadOf(deps, ids),
        faces,
      };
    },
  };
}

/** What is always listed, and the tools of servers that `full` lists beside it. */
function listsOf(
  deps: GatewayDeps,
  view: ProfileView | undefined,
): { lean: readonly ToolDefinition[]; upstream: readonly ToolDefinition[] } {
  let mode: Mode = "lean";
  const reader = createToolListReader({
    ...deps,
    metaTools: createMetaTools(deps).all,
    servers: () => shownServers(deps, view),
    exposure: () => mode,
    view,
  });
  const lean = reader.current().tools;
  mode = "full";
  const always = new Set(lean);
  return { lean, upstream: reader.current().tools.filter((tool) => !always.has(tool)) };
}

function unreadOf({ registry }: GatewayDeps, ids: readonly string[]): TokenReport["unread"] {
  const { failed } = registry.catalogue();
  return ids
    .filter((id) => !registry.hasRead(id))
    .map((id) => {
      const reason = failed.find(({ source }) => source === id)?.reason;
      return reason === undefined ? { id } : { id, reason };
    });
}

function shownServers(deps: GatewayDeps, view: ProfileView | undefined): readonly string[] {
  return deps.servers().filter((id) => view === undefined || view.allowsServer(id));
}

interface Reason {
  readonly exposure: Exposure;
  readonly mode: Mode;
  readonly toolTokens: number;
  readonly found: number;
  readonly unread: TokenReport["unread"];
}

function reasonFor({ exposure, mode, toolTokens, found, unread }: Reason): string {
  if (exposure === "lean") return "The config says lean: the tools of servers are found by search.";
  if (exposure === "full") return "The config says full: every tool is shown.";
  if (unread.length > 0) {
    const names = unread.map(({ id }) => id).join(", ");
    return `auto leaves the tools of servers to the search, because it does not know those of ${names} yet.`;
  }
  const cost = `the ${withCommas(found)} that finding them by search costs at most`;
  return mode === "full"
    ? `auto shows every tool: their ${withCommas(toolTokens)} tokens are no more than ${cost}.`
    : `auto leaves the tools of servers to the search: their ${withCommas(toolTokens)} tokens are more than ${cost}.`;
}

/** Made from tools at equal distances in the list: the same for the same tools. */
export function queriesOf(tools: readonly ToolDefinition[]): string[] {
  const count = Math.min(tools.length, QUERY_COUNT_MAX);
  return Array.from({ length: count }, (_, at) =>
    queryOf(tools[Math.floor(((at + 0.5) * tools.length) / count)]!),
  );
}

function queryOf({ name, description = "" }: ToolDefinition): string {
  const [sentence = ""] = description.trim().split(/[.!?\n](?=\s|$)/, 1);
  const words = sentence.split(/\s+/).filter((word) => word !== "");
  const query = words.slice(0, QUERY_WORDS_MAX).join(" ").slice(0, 200);
  return query === "" ? name.replaceAll(/[_-]+/g, " ") : query;
}

function exposedOf({ name, definition }: Component): ToolDefinition {
  return { ...definition, name };
}

function contextOf(view: ProfileView | undefined): CallContext {
  const context = { traceId: randomUUID(), signal: new AbortController().signal };
  return view === undefined ? context : { ...context, view };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function meanOf(counts: readonly number[]): number {
  return counts.length === 0 ? 0 : Math.round(sum(counts) / counts.length);
}

function withCommas(count: number): string {
  return count.toLocaleString("en-US");
}
