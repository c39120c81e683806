import type { JsonObject } from "../../core/json.ts";
import type { Environment } from "../../config/locate.ts";
import { isSameServer, likenessOf } from "./same-server.ts";

/** Servers, found again by an entry that means the same one. */
export interface ServerLookUp<T> {
  readonly add: (server: T) => void;
  readonly find: (entry: JsonObject) => T | undefined;
}

/** Hostile files could hold thousands: only those that are alike are compared, and those of our own file that leave something open. */
export function createLookUp<T extends { readonly entry: JsonObject }>(
  env: Environment,
  isKept: boolean,
): ServerLookUp<T> {
  const alike = new Map<string, T[]>();
  const open: T[] = [];
  return {
    add: (server) => {
      const likeness = likenessOf(server.entry, env);
      if (likeness === undefined) return;
      if (isKept && JSON.stringify(server.entry).includes("${input:")) open.push(server);
      else alike.set(likeness, [...(alike.get(likeness) ?? []), server]);
    },
    find: (entry) => {
      const candidates = alike.get(likenessOf(entry, env) ?? "") ?? [];
      const isSame = (server: T): boolean => isSameServer(entry, server.entry, { env, isKept });
      return candidates.find(isSame) ?? open.find(isSame);
    },
  };
}
