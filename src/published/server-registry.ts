/**
 * The MCP registry: where servers are found by name. It is asked over the one guarded HTTP client. What it leads to
 * may not be nearer to this machine than the registry is, so a registry on the internet cannot name an address of this
 * network. An answer is bounded, and what cannot be used of it is left out and counted. Nothing is kept.
 */
import { DATA_LIMITS, parseJson, type Json } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { createAddressPolicy, type AddressPolicy } from "../net/address-policy.ts";
import { followRedirects, REDIRECT_COUNT_MAX } from "../net/redirects.ts";
import { quote } from "../text/quote.ts";
import { readPublishedServer, serverListSchema, type PublishedServer } from "./server-json.ts";

/** The official one, in the version of its API that does not change. */
export const OFFICIAL_REGISTRY_URL = "https://registry.modelcontextprotocol.io/v0.1";
/** The API of a registry whose address says nothing of it. */
const DEFAULT_API = "/v0";

/** A registry that answers does so in a second or two. */
const ANSWER_MS = 15_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** A large bundle over a slow line. */
const DOWNLOAD_MS = 10 * 60_000;
/** As many as the official registry gives at once. */
const PAGE_LENGTH = 100;
/** A registry whose cursor never ends is asked no further. */
const PAGES_MAX = 10;

export interface ServerRegistry {
  /** For people: its address. */
  readonly url: string;
  readonly policy: AddressPolicy;
  /** The newest version of each server whose name has these words. */
  search(words: string, countMax: number): Promise<ToolResult<RegistrySearch>>;
  /** Exactly this version, or the newest. */
  find(name: string, version?: string): Promise<ToolResult<PublishedServer>>;
  /** A file that the registry names. */
  download(url: URL, bytesMax: number): Promise<ToolResult<Buffer>>;
}

export interface RegistrySearch {
  readonly servers: readonly PublishedServer[];
  /** How many entries could not be used. */
  readonly unreadableCount: number;
  readonly hasMore: boolean;
}

export function createServerRegistry(base: URL): ServerRegistry {
  const policy = createAddressPolicy(base);
  const root = `${base.origin}${base.pathname.replace(/\/+$/, "") || DEFAULT_API}`;
  const ask = async (path: string): Promise<ToolResult<Json>> => {
    const got = await get(new URL(`${root}${path}`), {
      policy,
      bytesMax: ANSWER_BYTES_MAX,
      limitMs: ANSWER_MS,
      accept: "application/json",
    });
    return got.success ? parseAnswer(got.data, root) : got;
  };

  return {
    url: root,
    policy,
    search: (words, countMax) => searchPages(words, countMax, ask, root),
    async find(name, version) {
      const wanted = version ?? "latest";
      const got = await ask(`/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(wanted)}`);
      if (!got.success) return got;
      const server = readPublishedServer(got.data);
      if (server === undefined) return malformed(root, `its entry of ${quote(name)} cannot be read`);
      if (server.name === name && (version === undefined || server.version === version))
        return succeed(server);
      const told = `${quote(server.name)} ${quote(server.version)}`;
      return malformed(root, `it was asked for ${quote(name)} ${quote(wanted)} and answered with ${told}`);
    },
    download: (url, bytesMax) =>
      get(url, { policy, bytesMax, limitMs: DOWNLOAD_MS, accept: "application/octet-stream, */*" }),
  };
}

type Ask = (path: string) => Promise<ToolResult<Json>>;

async function searchPages(
  words: string,
  countMax: number,
  ask: Ask,
  root: string,
): Promise<ToolResult<RegistrySearch>> {
  const found = new Map<string, PublishedServer>();
  const cursors = new Set<string>();
  let unreadableCount = 0;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX && found.size < countMax; page++) {
    const query = new URLSearchParams({ search: words, version: "latest", limit: String(PAGE_LENGTH) });
    if (cursor !== undefined) query.set("cursor", cursor);
    const got = await ask(`/servers?${query.toString()}`);
    if (!got.success) return got;
    const read = serverListSchema.safeParse(got.data);
    if (!read.success) return malformed(root, "its list of servers cannot be read");
    for (const item of read.data.servers ?? []) {
      const server = readPublishedServer(item);
      if (server === undefined) unreadableCount++;
      else if (!found.has(server.name)) found.set(server.name, server);
    }
    cursor = read.data.metadata?.nextCursor || undefined;
    if (cursor === undefined || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  const servers = [...found.values()];
  const hasMore = servers.length > countMax || cursor !== undefined;
  return succeed({ servers: servers.slice(0, countMax), unreadableCount, hasMore });
}

interface GetOptions {
  readonly policy: AddressPolicy;
  readonly bytesMax: number;
  readonly limitMs: number;
  readonly accept: string;
}

async function get(url: URL, { policy, bytesMax, limitMs, accept }: GetOptions): Promise<ToolResult<Buffer>> {
  const headers = new Map([
    ["accept", accept],
    ["user-agent", "repertoire"],
  ]);
  const signal = AbortSignal.timeout(limitMs);
  const { end } = await followRedirects(
    { url, method: "GET", headers },
    { policy, signal, bytesMax, redirectCountMax: REDIRECT_COUNT_MAX },
  );
  switch (end.kind) {
    case "answer":
      if (end.status !== 200) return failStatus(url, end.status);
      if (end.truncated) return malformed(url.origin, `its answer has more than ${bytesMax} bytes`);
      return succeed(end.body);
    case "refused":
      return fail("SECURITY_ERROR", `${url.origin} leads to an address that a registry may not lead to.`, {
        reason: "address_refused",
        hint: "A registry on the internet leads to the internet only, by https. Name one of your own in registry.url.",
      });
    case "aborted":
      return unavailable(url, `gave no whole answer within ${limitMs / 1000} s`);
    case "broken":
      return unavailable(url, `does not answer (${end.code})`);
    case "badRedirect":
      return malformed(url.origin, `it redirects to an address that ${end.message}`);
    case "tooMany":
      return malformed(url.origin, `it redirects more than ${REDIRECT_COUNT_MAX} times`);
  }
}

function failStatus(url: URL, status: number): ToolResult<never> {
  if (status === 404)
    return fail("TOOL_NOT_FOUND", `${url.origin} has nothing at ${quote(url.pathname, 300)}.`);
  if (status === 429 || status >= 500) return unavailable(url, `answers with the status ${status}`);
  return malformed(url.origin, `it answers with the status ${status}`);
}

function unavailable(url: URL, what: string): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", `${url.origin} ${what}. Nothing was changed.`, {
    reason: "registry_unavailable",
    hint:
      "Try again later. Another registry is named by registry.url in the config or by REPERTOIRE_REGISTRY_URL. " +
      "A server can be added without one: repertoire add NAME -- COMMAND",
  });
}

function malformed(place: string, what: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", `${place} gave an answer that is not used: ${what}.`, {
    reason: "malformed_answer",
    hint: "Nothing was changed. Check its address: registry.url in the config, or REPERTOIRE_REGISTRY_URL.",
  });
}

function parseAnswer(body: Buffer, root: string): ToolResult<Json> {
  const parsed = parseJson(body.toString("utf8"), { ...DATA_LIMITS, bytesMax: ANSWER_BYTES_MAX });
  return parsed.ok ? succeed(parsed.value) : malformed(root, parsed.message);
}
