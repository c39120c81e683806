import { isScopePart } from "../core/names.ts";
import { nearest } from "../core/nearest.ts";
import type { ProfileConfig } from "./config.ts";
import type { Complaint, KeyPath } from "./problem.ts";
import type { FileConfig } from "./schema.ts";
import { asObject, objectAt, parseServerKey } from "./server-check.ts";

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

/** The rules of `profiles` that need the servers: every name in them is that of a server. */
export function checkProfiles(file: unknown, ids: readonly string[]): Complaint[] {
  const complaints: Complaint[] = [];
  const findId = createServerFinder(ids);
  const checkName = (path: KeyPath, name: unknown): void => {
    if (typeof name === "string" && name !== "" && findId(name) === undefined) {
      complaints.push({ path, at: "value", ...complainUnknownServer(name, ids) });
    }
  };
  for (const [name, value] of Object.entries(objectAt(file, "profiles") ?? {})) {
    const path = ["profiles", name];
    if (!isScopePart(name)) complaints.push({ path, at: "key", message: NAME_RULE });
    const profile = asObject(value) ?? {};
    const servers: unknown[] = Array.isArray(profile["servers"]) ? profile["servers"] : [];
    for (const [index, server] of servers.entries()) checkName([...path, "servers", index], server);
    checkName([...path, "transparent"], profile["transparent"]);
    complaints.push(...checkTransparent(path, profile));
  }
  return complaints;
}

const NAME_RULE =
  "a profile name is lower-case letters, digits, - and _, beginning and ending with a letter or digit";

function checkTransparent(path: KeyPath, profile: Record<string, unknown>): Complaint[] {
  if (!Object.hasOwn(profile, "transparent")) return [];
  const idle = ["servers", "exposure"].filter((key) => Object.hasOwn(profile, key));
  const message = 'has no meaning beside "transparent", which fronts exactly one server';
  return idle.map((key) => ({ path: [...path, key], at: "key", message, hint: "remove one of the two" }));
}

/** Names the servers that there are and not the text that missed: it may have come from a variable. */
function complainUnknownServer(name: string, ids: readonly string[]): { message: string; hint?: string } {
  const hits = nearest(name, ids).map((id) => `"${id}"`);
  if (hits.length > 0) return { message: `there is no such server; did you mean ${hits.join(" or ")}?` };
  if (ids.length === 0) return { message: "there is no such server: none is configured" };
  return { message: "there is no such server", hint: `the servers are ${ids.join(", ")}` };
}

/** The profiles of a file without problems, with ids in place of names. */
export function buildProfiles(file: FileConfig, findId: FindServerId): Record<string, ProfileConfig> {
  const profiles: Record<string, ProfileConfig> = Object.create(null);
  for (const [name, profile] of Object.entries(file.profiles)) {
    const transparent = profile.transparent === undefined ? undefined : findId(profile.transparent);
    profiles[name] = {
      ...(profile.servers === undefined
        ? {}
        : { servers: [...new Set(profile.servers.flatMap((s) => findId(s) ?? []))] }),
      ...(profile.exposure === undefined ? {} : { exposure: profile.exposure }),
      ...(transparent === undefined ? {} : { transparent }),
    };
  }
  return profiles;
}
