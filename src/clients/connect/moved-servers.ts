/**
 * The servers of a client that the gateway has too: with both, a model sees every tool twice. Only what is certainly
 * the same goes: the same program or address with the same variables, headers and limits on tools, with the values of
 * inputs filled in. A server that the gateway cannot start now, or has switched off, does not count, and neither does
 * one of a project folder, because a client may start the gateway anywhere.
 */
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Config, ServerConfig, ServerTransport } from "../../config/config.ts";
import type { Environment } from "../../config/locate.ts";
import { asObject } from "../../config/entries/server-check.ts";
import type { ClientPlace } from "../client.ts";
import type { ClientTarget } from "./client-target.ts";
import { isOwnEntry } from "../read/own-entry.ts";
import { readClients, type FoundServer } from "../read/read-clients.ts";
import { escapeText } from "../translate/references.ts";
import { mapIsolation, type Isolation } from "../../process/isolation/isolation.ts";
import { isSameServer } from "../import/same-server.ts";

export interface MovedServers {
  /** Those in the file that is written, in its order: the key there, and the id of the same server in our config. */
  readonly here: readonly { readonly key: string; readonly id: string }[];
  /** Others that were to stay. */
  readonly kept: readonly { readonly key: string; readonly id: string }[];
  /** The same servers in other files of the same client, which are not written. */
  readonly elsewhere: readonly { readonly key: string; readonly path: string }[];
  /**
   * The keys of those that the gateway has and cannot start yet, because an input or a variable has no value: they
   * stay.
   */
  readonly waiting: readonly string[];
}

export const NOTHING_MOVED: MovedServers = { here: [], kept: [], elsewhere: [], waiting: [] };

/** `stay` are the ids of servers that are left in the client. */
export function findMovedServers(
  target: ClientTarget,
  place: ClientPlace,
  config: Config,
  stay: readonly string[] = [],
): MovedServers {
  const projectFiles = new Set(config.files.filter(({ kind }) => kind === "project").map(({ path }) => path));
  const own = config.servers.filter(
    ({ enabled, trusted, file }) => enabled && trusted && !(file !== undefined && projectFiles.has(file)),
  );
  const theirs = readClients(place).servers.filter(
    (found) =>
      found.client === target.client &&
      found.scope === "user" &&
      found.isEnabled &&
      !isOwnEntry(found.key, found.entry),
  );
  const sameAs = (found: FoundServer) => own.find((server) => isTheSame(found, server, place.env));
  const both = theirs.flatMap((found) => {
    const same = sameAs(found);
    return same === undefined
      ? []
      : [{ key: found.key, path: found.path, id: same.id, problems: same.problems }];
  });
  const moved = both.filter(({ problems }) => problems.length === 0);
  const here = moved.filter(({ path }) => path === target.path);
  return {
    here: here.filter(({ id }) => !stay.includes(id)),
    kept: here.filter(({ id }) => stay.includes(id)),
    elsewhere: moved.filter(({ path }) => path !== target.path),
    waiting: both
      .filter(({ path, problems }) => path === target.path && problems.length > 0)
      .map(({ key }) => key),
  };
}

/** With our inputs filled in, or as both are written, where an input of the client has kept its name. */
function isTheSame({ entry }: FoundServer, server: ServerConfig, env: Environment): boolean {
  const filled = entryOf(server.transport, escapeText);
  const written = entryOf(server.written, (text) => text);
  const isSame = (other: JsonObject): boolean =>
    isSameServer(entry, other, { env, isKept: false }) &&
    countIn(entry["headers"]) === countIn(other["headers"]);
  return (
    (isSame(filled) || isSame(written)) &&
    entry["envFile"] === server.envFile &&
    haveSameLimits(entry, server)
  );
}

/** A client that hides a tool must not get it back through the gateway. */
function haveSameLimits(entry: JsonObject, { tools }: ServerConfig): boolean {
  const theirs = asObject(entry["tools"]);
  const namesOf = (list: unknown): ReadonlySet<unknown> => new Set(Array.isArray(list) ? list : []);
  return (["allow", "deny"] as const).every((key) =>
    isDeepStrictEqual(namesOf(theirs?.[key]), namesOf(tools[key])),
  );
}

function entryOf(transport: ServerTransport, write: (text: string) => string): JsonObject {
  const record = (texts: Readonly<Record<string, string>>): Json =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, write(text)]));
  // No client has such a server, so it is none of theirs.
  if (transport.kind === "openapi") return { openapi: write(transport.location) };
  if (transport.kind !== "stdio") return { url: write(transport.url), headers: record(transport.headers) };
  const { command, args, env, cwd, isolation } = transport;
  return {
    command: write(command),
    args: args.map(write),
    env: record(env),
    ...(cwd !== undefined && { cwd: write(cwd) }),
    ...(isolation !== undefined && { sandbox: sandboxOf(mapIsolation(isolation, write)) }),
  };
}

function sandboxOf({ filesystem, network }: Isolation): JsonObject {
  return { filesystem: { ...filesystem }, network: { ...network } };
}

function countIn(value: unknown): number {
  return Object.keys(asObject(value) ?? {}).length;
}
