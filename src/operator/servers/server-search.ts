/** Finding servers by name in the MCP registry that the config or the environment names. */
import { loadConfig } from "../../config/load.ts";
import { findUrlProblem } from "../../config/http.ts";
import { readVariable, type Environment } from "../../config/locate.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import {
  createServerRegistry,
  OFFICIAL_REGISTRY_URL,
  type RegistrySearch,
  type ServerRegistry,
} from "../../published/server-registry.ts";
import { kindsOf, type PublishedServer } from "../../published/server-json.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import { quote } from "../../text/quote.ts";
import { makeVisible } from "../../text/visible-text.ts";
import type { OperatorDeps } from "../operator.ts";
import { configError } from "./config-change.ts";

const REGISTRY_VARIABLE = "REPERTOIRE_REGISTRY_URL";

/** Throws where the config is not valid. */
export function openServerRegistry(
  { configPath, home }: OperatorDeps["place"],
  env: Environment = process.env,
): ToolResult<ServerRegistry> {
  const loaded = loadConfig({ configPath, home, env });
  if (!loaded.ok) throw configError(loaded.problems);
  const fromEnvironment = readVariable(env, REGISTRY_VARIABLE) || undefined;
  const url = fromEnvironment ?? loaded.config.registry.url ?? OFFICIAL_REGISTRY_URL;
  const problem = findUrlProblem(url);
  if (problem === undefined) return succeed(createServerRegistry(new URL(url)));
  const { message, hint } = problem;
  return fail("TOOL_INVALID_INPUT", `${REGISTRY_VARIABLE} ${message}.`, {
    ...(hint !== undefined && { hint }),
  });
}

/** A server as a list shows it. What would not show is written out. */
interface FoundServer {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** `npm`, `pypi`, `oci`, `mcpb`, `remote`, or a word of the registry's own. */
  readonly kinds: readonly string[];
  readonly status: string;
}

export interface ServersFound {
  readonly registry: string;
  readonly servers: readonly FoundServer[];
  /** Entries that cannot be used. */
  readonly unreadable: number;
  readonly more: boolean;
}

export async function searchServers(
  registry: ServerRegistry,
  words: string,
  countMax: number,
): Promise<ToolResult<ServersFound>> {
  const found = await registry.search(words, countMax);
  if (!found.success) return found;
  const { servers, unreadableCount, hasMore } = found.data;
  if (servers.length === 0) return nothingFound(registry, words, await findNear(registry, words));
  return succeed({
    registry: registry.url,
    servers: servers.map(viewServer),
    unreadable: unreadableCount,
    more: hasMore,
  });
}

export function nothingFound(
  { url }: Pick<ServerRegistry, "url">,
  words: string,
  near: readonly string[],
): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `The registry ${url} has no server ${quote(words)}.${didYouMean(near)}`, {
    field: "name",
    nearest: near,
    hint: "Look for another word: repertoire search WORD. Tools of servers that you have: repertoire tools WORD",
  });
}

/** Names that a person may have meant; none where the registry does not say. */
export async function findNear(registry: ServerRegistry, words: string): Promise<string[]> {
  const last = words.split("/").at(-1)!.replace(/@.*$/, "");
  for (const part of partsOf(last)) {
    const found = await registry.search(part, NEAR_COUNT_MAX);
    const near = nearServers(last, found);
    if (near.length > 0) return near;
  }
  return [];
}

const NEAR_COUNT_MAX = 100;
/** A shorter part finds everything. */
const HALF_LENGTH_MIN = 3;

/** The words, their beginnings and their ends: a registry finds only what it has literally. */
function partsOf(word: string): string[] {
  const words = word.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= HALF_LENGTH_MIN);
  const halves = words.flatMap((part) => {
    const length = Math.max(HALF_LENGTH_MIN, part.length >> 1);
    return [part.slice(0, length), part.slice(-length)];
  });
  return [...new Set([...words, ...halves])].slice(0, PARTS_MAX);
}

/** Each is a request. */
const PARTS_MAX = 6;

function nearServers(word: string, found: ToolResult<RegistrySearch>): string[] {
  if (!found.success) return [];
  const byLast = Map.groupBy(found.data.servers, ({ name }) => name.split("/")[1]!);
  return nearest(word, byLast.keys()).flatMap((last) => byLast.get(last)!.map(({ name }) => name));
}

function viewServer(server: PublishedServer): FoundServer {
  const { name, version, description, status } = server;
  return {
    name,
    version,
    description: makeVisible(description),
    kinds: kindsOf(server).map(makeVisible),
    status: makeVisible(status),
  };
}
