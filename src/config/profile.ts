import { isScopePart, CAPABILITIES_ID, EXPOSED_NAME_LENGTH_MAX, parseToolName } from "../core/names.ts";
import type { ProfileConfig } from "./config.ts";
import { type Complaint, type KeyPath, quoteKey } from "./problem.ts";
import type { FileConfig } from "./schema.ts";
import { asObject, objectAt, parseServerKey } from "./entries/server-check.ts";
import { isMetaToolName, META_TOOL_NAMES } from "../core/meta-tool-names.ts";
import { nearest } from "../text/nearest.ts";

/** Finds the id of a server from any spelling of its name. */
export type FindServerId = (name: string) => string | undefined;

/** A server may be named by its key, by its id, or by another spelling with the same id. */
export function createServerFinder(ids: Iterable<string>): FindServerId {
  const known = new Set(ids);
  return (name) => {
    const parsed = parseServerKey(name);
    return parsed.ok && known.has(parsed.id) ? parsed.id : undefined;
  };
}

/** The rules of `profiles` that need the servers or more than one key. */
export function checkProfiles(file: unknown, ids: readonly string[]): Complaint[] {
  const complaints: Complaint[] = [];
  const findId = createServerFinder(ids);
  const checkName = (path: KeyPath, name: unknown): void => {
    if (typeof name === "string" && name !== "" && findId(name) === undefined) {
      complaints.push({ path, at: "value", ...unknownServer(name, ids) });
    }
  };
  for (const [name, value] of Object.entries(objectAt(file, "profiles") ?? {})) {
    const path = ["profiles", name];
    if (!isScopePart(name)) complaints.push({ path, at: "key", message: NAME_RULE });
    if (name === CARD_NAME) complaints.push({ path, at: "key", message: CARD_RULE });
    const profile = asObject(value) ?? {};
    const servers: unknown[] = Array.isArray(profile["servers"]) ? profile["servers"] : [];
    for (const [index, server] of servers.entries()) checkName([...path, "servers", index], server);
    checkName([...path, "transparent"], profile["transparent"]);
    complaints.push(...checkTransparent(path, profile), ...checkNames(path, profile, ids));
  }
  return complaints;
}

/** A profile is served at /mcp/<name>, and there the protocol has the Server Card. */
const CARD_NAME = "server-card";
const CARD_RULE = `${CARD_NAME} is no name for a profile: /mcp/${CARD_NAME} tells how the gateway is reached`;

const NAME_RULE =
  "a profile name is lower-case letters, digits, - and _, beginning and ending with a letter or digit";

/** A server that is shown unchanged leaves nothing to choose or rename. */
const IDLE_BESIDE_TRANSPARENT = [
  "servers",
  "tools",
  "capabilities",
  "rename",
  "names",
  "describe",
  "exposure",
] as const;

function checkTransparent(path: KeyPath, profile: Record<string, unknown>): Complaint[] {
  if (!Object.hasOwn(profile, "transparent")) return [];
  const idle = IDLE_BESIDE_TRANSPARENT.filter((key) => Object.hasOwn(profile, key));
  const message = 'has no effect with "transparent", which shows exactly one server';
  return idle.map((key) => ({ path: [...path, key], at: "key", message, hint: "remove one of the two" }));
}

/** The profiles of a file without problems, with ids in place of names. */
export function buildProfiles(file: FileConfig, findId: FindServerId): Record<string, ProfileConfig> {
  const profiles: Record<string, ProfileConfig> = Object.create(null);
  for (const [name, profile] of Object.entries(file.profiles)) {
    const { servers, tools, capabilities, rename, names, describe, exposure } = profile;
    const transparent = profile.transparent === undefined ? undefined : findId(profile.transparent);
    profiles[name] = {
      ...(servers === undefined ? {} : { servers: [...new Set(servers.flatMap((s) => findId(s) ?? []))] }),
      ...(tools === undefined ? {} : { tools: patternsOf(tools) }),
      ...(capabilities === undefined ? {} : { capabilities: patternsOf(capabilities) }),
      ...(rename === undefined ? {} : { rename }),
      ...(names === undefined ? {} : { names }),
      ...(describe === undefined ? {} : { describe }),
      ...(exposure === undefined ? {} : { exposure }),
      ...(transparent === undefined ? {} : { transparent }),
    };
  }
  return profiles;
}

// ── its names: which tools and capabilities it shows, and what it calls them ─────────────────────────────────────────

/** What is wrong with a name. A name that may have come from a variable is not repeated. */
interface NameProblem {
  readonly message: string;
  readonly hint?: string;
}

/** Complains about every name of a profile that does not exist or is not valid; `ids` are those of the servers. */
function checkNames(path: KeyPath, profile: Record<string, unknown>, ids: readonly string[]): Complaint[] {
  return [
    ...checkPatterns([...path, "tools"], objectAt(profile, "tools"), (text) => findToolProblem(text, ids)),
    ...checkPatterns([...path, "capabilities"], objectAt(profile, "capabilities"), findCapabilityProblem),
    ...checkKeys([...path, "rename"], objectAt(profile, "rename"), (name) => findRenamedProblem(name, ids)),
    ...checkNewNames([...path, "rename"], objectAt(profile, "rename"), ids),
    ...checkKeys([...path, "describe"], objectAt(profile, "describe"), (name) =>
      findToolNameProblem(name, ids),
    ),
  ];
}

function checkPatterns(
  path: KeyPath,
  lists: Record<string, unknown> | undefined,
  find: (pattern: string) => NameProblem | undefined,
): Complaint[] {
  return ["allow", "deny"].flatMap((list) => {
    const patterns: unknown[] = Array.isArray(lists?.[list]) ? lists[list] : [];
    return patterns.flatMap((pattern, index) => {
      const problem = typeof pattern === "string" && pattern !== "" ? find(pattern) : undefined;
      return problem === undefined
        ? []
        : [{ path: [...path, list, index], at: "value" as const, ...problem }];
    });
  });
}

function checkKeys(
  path: KeyPath,
  entries: Record<string, unknown> | undefined,
  find: (name: string) => NameProblem | undefined,
): Complaint[] {
  return Object.keys(entries ?? {}).flatMap((name) => {
    const problem = find(name);
    return problem === undefined ? [] : [{ path: [...path, name], at: "key" as const, ...problem }];
  });
}

// ── patterns ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A pattern of exposed names, as far as its server is written out. */
function findToolProblem(pattern: string, ids: readonly string[]): NameProblem | undefined {
  if (!/^[A-Za-z0-9_*-]+$/.test(pattern)) {
    return { message: "a tool name has letters, digits, - and _; * matches any characters" };
  }
  const server = /^([^*]+?)__/.exec(pattern)?.[1];
  if (server !== undefined) return findServerProblem(server, ids);
  return pattern.includes("*") || isMetaToolName(pattern) ? undefined : unknownTool(pattern);
}

function unknownTool(name: string): NameProblem {
  const hits = nearest(name, META_TOOL_NAMES).map((hit) => `"${hit}"`);
  const hint = "a tool of a server is server__tool";
  if (hits.length === 0) return { message: "there is no such tool", hint };
  return { message: `there is no such tool; did you mean ${hits.join(" or ")}?`, hint };
}

function findServerProblem(server: string, ids: readonly string[]): NameProblem | undefined {
  if (server === CAPABILITIES_ID) {
    return {
      message: "a capability is not a tool of a server",
      hint: 'write it as namespace:action under "capabilities"',
    };
  }
  return ids.includes(server) ? undefined : unknownServer(server, ids);
}

/** Names the servers that there are and not the text that missed: it may have come from a variable. */
function unknownServer(name: string, ids: readonly string[]): NameProblem {
  const hits = nearest(name, ids).map((id) => `"${id}"`);
  if (hits.length > 0) return { message: `there is no such server; did you mean ${hits.join(" or ")}?` };
  if (ids.length === 0) return { message: "there is no such server: none is configured" };
  return { message: "there is no such server", hint: `the servers are ${ids.join(", ")}` };
}

function findCapabilityProblem(pattern: string): NameProblem | undefined {
  if (pattern === "*" || /^[a-z0-9_*]+:[a-z0-9_*]+$/.test(pattern)) return undefined;
  return {
    message: "a capability name is namespace:action, in lower-case letters, digits and _",
    hint: "* matches any characters, as in math:*",
  };
}

// ── names of single tools ───────────────────────────────────────────────────────────────────────────────────────────

function findToolNameProblem(name: string, ids: readonly string[]): NameProblem | undefined {
  const parsed = parseToolName(name);
  if (name.includes("*") || parsed.kind === "invalid") {
    return { message: "is not a tool name", hint: "write server__tool or mcp__namespace__action" };
  }
  if (parsed.kind === "capability") return undefined;
  if (parsed.kind === "static") return isMetaToolName(name) ? undefined : unknownTool(name);
  return findServerProblem(parsed.server, ids);
}

/** Each meta-tool names the others in what it says, so they keep their names. */
function findRenamedProblem(name: string, ids: readonly string[]): NameProblem | undefined {
  return isMetaToolName(name)
    ? { message: "a meta-tool cannot be renamed", hint: 'to hide it, deny it under "tools"' }
    : findToolNameProblem(name, ids);
}

function checkNewNames(
  path: KeyPath,
  renamed: Record<string, unknown> | undefined,
  ids: readonly string[],
): Complaint[] {
  const taken = new Map<string, string>();
  return Object.entries(renamed ?? {}).flatMap(([tool, name]) => {
    if (typeof name !== "string" || name === "") return [];
    const other = taken.get(name);
    taken.set(name, tool);
    const problem =
      other === undefined
        ? findNewNameProblem(name, ids)
        : { message: `${quoteKey(other)} has this name already`, hint: "give each tool a name of its own" };
    return problem === undefined ? [] : [{ path: [...path, tool], at: "value" as const, ...problem }];
  });
}

/** A new name is not taken: no meta-tool's, no capability's, and none that a tool of a server could have. */
function findNewNameProblem(name: string, ids: readonly string[]): NameProblem | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(name) || name.length > EXPOSED_NAME_LENGTH_MAX) {
    return { message: `must be at most ${EXPOSED_NAME_LENGTH_MAX} letters, digits, - and _` };
  }
  if (isMetaToolName(name)) return { message: "is the name of a meta-tool", hint: "choose another name" };
  if (name.startsWith(`${CAPABILITIES_ID}__`)) {
    return { message: "begins with mcp__, as the names of capabilities do", hint: "choose another name" };
  }
  const owner = ids.find((id) => name.startsWith(`${id}__`));
  if (owner === undefined) return undefined;
  return {
    message: `could be the name of a tool of the server "${owner}"`,
    hint: "choose another name",
  };
}

/** The patterns as they are kept: lists without repetition, and nothing for what is not there. */
function patternsOf(lists: {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}): { allow?: string[]; deny?: string[] } {
  const { allow, deny } = lists;
  return {
    ...(allow !== undefined && { allow: [...new Set(allow)] }),
    ...(deny !== undefined && { deny: [...new Set(deny)] }),
  };
}
