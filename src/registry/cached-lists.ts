/**
 * The lists of servers, cached between processes.
 *
 * Memory is the truth of this process and the store follows it, one write after the other. After a failed write the
 * next process asks the server again; this process loses nothing, so the failure is reported and not thrown.
 */
import { messageOf } from "../core/errors.ts";
import { Mutex } from "../timing/mutex.ts";
import type { CachedServer, ServerCache } from "../core/store.ts";
import { fromCached, toCached, type CachedList } from "./cache-entry.ts";

export interface CachedLists {
  /** Reads the store. With `known`, entries of any other server are dropped from it. */
  load(known?: readonly string[]): Promise<void>;
  /** The list of a server that was started with the same config. */
  find(server: string, configHash: string): CachedList | undefined;
  /** Whether a list of this server is cached, of this config or another. */
  holds(server: string): boolean;
  keep(server: string, list: CachedList, onProblem: (problem: string) => void): void;
  /** Whether there was something to forget. */
  forget(server: string): boolean;
  /** Resolves when everything is written. */
  settle(): Promise<void>;
}

export function createCachedLists(
  cache: ServerCache,
  report: (server: string, problem: string) => void,
): CachedLists {
  const rows = new Map<string, CachedServer>();
  const lists = new Map<string, CachedList>();
  const writes = new Mutex();

  function write(work: () => Promise<void>, onProblem: (problem: string) => void): void {
    writes.run(work).catch((error: unknown) => onProblem(messageOf(error)));
  }

  function forget(server: string): boolean {
    write(
      () => cache.remove(server),
      (problem) => report(server, problem),
    );
    return [rows.delete(server), lists.delete(server)].includes(true);
  }

  return {
    forget,
    async load(known) {
      try {
        for (const row of await cache.list()) {
          if (known?.includes(row.server) === false) forget(row.server);
          else rows.set(row.server, row);
        }
      } catch (error) {
        report("*", messageOf(error));
      }
    },
    find(server, configHash) {
      const row = rows.get(server);
      const list = lists.get(server) ?? (row === undefined ? undefined : fromCached(row));
      if (list === undefined) return undefined;
      lists.set(server, list);
      return list.configHash === configHash ? list : undefined;
    },
    holds: (server) => rows.has(server) || lists.has(server),
    keep(server, list, onProblem) {
      lists.set(server, list);
      write(async () => cache.put(toCached(server, list)), onProblem);
    },
    settle: () => writes.settle(),
  };
}

/** For a registry without a store: nothing outlives the process. */
export function createMemoryCache(): ServerCache {
  const rows = new Map<string, CachedServer>();
  return {
    async put(entry) {
      rows.set(entry.server, structuredClone(entry));
    },
    list: async () => [...rows.values()].map((row) => structuredClone(row)),
    async remove(server) {
      rows.delete(server);
    },
  };
}
