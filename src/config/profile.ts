import { isScopePart } from "../core/names.ts";
import type { ProfileConfig } from "./config.ts";
import type { Complaint, KeyPath } from "./problem.ts";
import { checkNames, patternsOf, unknownServer } from "./profile-names.ts";
import type { FileConfig } from "./schema.ts";
import { asObject, objectAt, parseServerKey } from "./entries/server-check.ts";

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
    const profile = asObject(value) ?? {};
    const servers: unknown[] = Array.isArray(profile["servers"]) ? profile["servers"] : [];
    for (const [index, server] of servers.entries()) checkName([...path, "servers", index], server);
    checkName([...path, "transparent"], profile["transparent"]);
    complaints.push(...checkTransparent(path, profile), ...checkNames(path, profile, ids));
  }
  return complaints;
}

const NAME_RULE =
  "a profile name is lower-case letters, digits, - and _, beginning and ending with a letter or digit";

/** There is nothing to choose and nothing to rename of what is passed on as it is. */
const IDLE_BESIDE_TRANSPARENT = [
  "servers",
  "tools",
  "capabilities",
  "rename",
  "describe",
  "exposure",
] as const;

function checkTransparent(path: KeyPath, profile: Record<string, unknown>): Complaint[] {
  if (!Object.hasOwn(profile, "transparent")) return [];
  const idle = IDLE_BESIDE_TRANSPARENT.filter((key) => Object.hasOwn(profile, key));
  const message = 'has no meaning beside "transparent", which fronts exactly one server';
  return idle.map((key) => ({ path: [...path, key], at: "key", message, hint: "remove one of the two" }));
}

/** The profiles of a file without problems, with ids in place of names. */
export function buildProfiles(file: FileConfig, findId: FindServerId): Record<string, ProfileConfig> {
  const profiles: Record<string, ProfileConfig> = Object.create(null);
  for (const [name, profile] of Object.entries(file.profiles)) {
    const { servers, tools, capabilities, rename, describe, exposure } = profile;
    const transparent = profile.transparent === undefined ? undefined : findId(profile.transparent);
    profiles[name] = {
      ...(servers === undefined ? {} : { servers: [...new Set(servers.flatMap((s) => findId(s) ?? []))] }),
      ...(tools === undefined ? {} : { tools: patternsOf(tools) }),
      ...(capabilities === undefined ? {} : { capabilities: patternsOf(capabilities) }),
      ...(rename === undefined ? {} : { rename }),
      ...(describe === undefined ? {} : { describe }),
      ...(exposure === undefined ? {} : { exposure }),
      ...(transparent === undefined ? {} : { transparent }),
    };
  }
  return profiles;
}
