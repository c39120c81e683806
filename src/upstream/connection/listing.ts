/**
 * Asks a server for everything that it offers, page by page, each list on its own. A list that does not end, repeats a
 * cursor, fails half-way or is too long is cut, and the offer says so; only a list of tools that cannot be had at all
 * fails.
 */
import { declares, SKILLS_EXTENSION } from "../../core/declared.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Offer, SourceAbout, ToolDefinition } from "../../core/tool.ts";
import type { Session } from "./handshake.ts";
import type { Peer, Reply } from "./peer.ts";

/** No real server comes near; one that does is broken or hostile. */
const PAGE_COUNT_MAX = 100;
const ENTRY_COUNT_MAX = 1_000;

export type ListingOutcome =
  | { readonly kind: "offer"; readonly offer: Offer }
  | { readonly kind: "failed"; readonly reply: Exclude<Reply, { kind: "result" }> };

interface Pages {
  readonly entries: JsonObject[];
  readonly ttlMs: number | undefined;
  readonly problem?: string;
  readonly reply?: Exclude<Reply, { kind: "result" }>;
}

export interface ListingOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export async function listOffer(
  peer: Peer,
  session: Session,
  options: ListingOptions,
): Promise<ListingOutcome> {
  const { capabilities, serverInfo, instructions } = session;
  const list = (has: string, method: string, key: string): Promise<Pages> | Pages =>
    capabilities[has] === undefined ? EMPTY : readPages(peer, session, method, key, options);
  const hasSkills = declares(capabilities, SKILLS_EXTENSION);
  const [tools, resources, templates, prompts, skills] = await Promise.all([
    list("tools", "tools/list", "tools"),
    list("resources", "resources/list", "resources"),
    list("resources", "resources/templates/list", "resourceTemplates"),
    list("prompts", "prompts/list", "prompts"),
    hasSkills ? readPages(peer, session, "skills/list", "skills", options) : EMPTY,
  ]);
  if (tools.reply !== undefined && tools.entries.length === 0) return { kind: "failed", reply: tools.reply };
  const incomplete = [tools, resources, templates, prompts, skills].flatMap(({ problem }) => problem ?? []);
  return {
    kind: "offer",
    offer: {
      about: aboutOf(session),
      self: { serverInfo, ...(instructions !== undefined && { instructions }) },
      tools: tools.entries as unknown as ToolDefinition[],
      resources: resources.entries,
      resourceTemplates: templates.entries,
      prompts: prompts.entries,
      ...(hasSkills && { skills: skills.entries }),
      ...(tools.ttlMs === undefined ? {} : { ttlMs: tools.ttlMs }),
      ...(incomplete.length === 0 ? {} : { incomplete }),
    },
  };
}

/** Instructions tell a model how to use the server, and so what it is for. */
function aboutOf({ serverInfo, instructions }: Session): SourceAbout {
  const { title, name, description } = serverInfo;
  const shown = [title, name].find((text) => typeof text === "string");
  const said = [description, instructions].find((text) => typeof text === "string");
  return {
    ...(typeof shown === "string" && { title: shown.slice(0, TITLE_LENGTH_MAX) }),
    ...(typeof said === "string" && { description: said.slice(0, DESCRIPTION_LENGTH_MAX) }),
  };
}

/** More of it is not searched. */
const TITLE_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 2_000;

const EMPTY: Pages = { entries: [], ttlMs: undefined };

async function readPages(
  peer: Peer,
  session: Session,
  method: string,
  key: string,
  options: ListingOptions,
): Promise<Pages> {
  const entries: JsonObject[] = [];
  const seen = new Set<string>();
  let ttlMs: number | undefined;
  let cursor: string | undefined;
  for (let page = 0; page < PAGE_COUNT_MAX; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), ...envelopeParams(session) };
    const reply = await peer.request(method, params, options);
    if (reply.kind !== "result")
      return { entries, ttlMs, problem: `${method}: page ${page + 1} ${lackOf(reply)}`, reply };
    // Passed on unchecked: admission reports those that are no entries.
    entries.push(...(reply.result[key] as readonly JsonObject[]).slice(0, ENTRY_COUNT_MAX + 1));
    if (typeof reply.result["ttlMs"] === "number") ttlMs = Math.min(ttlMs ?? Infinity, reply.result["ttlMs"]);
    const next = reply.result["nextCursor"];
    if (typeof next !== "string") return cut(entries, ttlMs, method);
    if (seen.has(next))
      return { entries, ttlMs, problem: `${method}: the cursor repeats after page ${page + 1}` };
    if (entries.length > ENTRY_COUNT_MAX) return cut(entries, ttlMs, method);
    seen.add(next);
    cursor = next;
  }
  return { entries, ttlMs, problem: `${method}: more than ${PAGE_COUNT_MAX} pages` };
}

function lackOf(reply: Exclude<Reply, { kind: "result" }>): string {
  return reply.kind === "unusable" ? `cannot be used: ${reply.problem}` : "was not answered";
}

function cut(entries: JsonObject[], ttlMs: number | undefined, method: string): Pages {
  if (entries.length <= ENTRY_COUNT_MAX) return { entries, ttlMs };
  const problem = `${method}: only the first ${ENTRY_COUNT_MAX} of at least ${entries.length} entries are used`;
  return { entries: entries.slice(0, ENTRY_COUNT_MAX), ttlMs, problem };
}

/** The `_meta` that a modern request needs; nothing for a legacy one. */
export function envelopeParams(session: Session): JsonObject {
  return session.era === "modern" ? { _meta: session.envelope } : {};
}
