/**
 * The lists of servers, cached between processes: one for each server and config.
 *
 * Memory is the truth of this process and the store follows it, one write after the other. After a failed write the
 * next process asks the server again; this process loses nothing, so the failure is reported and not thrown.
 *
 * Other processes put their lists into the same store. Which list is newer is said by the order of the puts, not by
 * clocks: what the store has, and this process has neither put nor read, came later. Only while a put of this process is
 * under way is its own list the newer one.
 */
import { messageOf } from "../core/errors.ts";
import { hashText } from "../core/json.ts";
import { Mutex } from "../timing/mutex.ts";
import type { CachedServer, CachedServerMark, ServerCache } from "../core/store.ts";
import { fromCached, toCached, type CachedList } from "./cache-entry.ts";

interface KeepOptions {
  /** Leaves what another process has put since, where this process was served the same as before. */
  readonly yields?: boolean;
  readonly onProblem: (problem: string) => void;
}

export interface CachedLists {
  /** Reads the store. With `known`, entries of any other server are dropped from it. */
  load(known?: readonly string[]): Promise<void>;
  /** Reads what other processes have put since, and says of which servers. Rejects where the store does. */
  freshen(): Promise<Pick<CachedServer, "server" | "configHash">[]>;
  /** The list of a server that was started with the same config. */
  find(server: string, configHash: string): CachedList | undefined;
  /** Whether a list of this server is cached, of this config or another. */
  holds(server: string): boolean;
  keep(server: string, list: CachedList, options: KeepOptions): void;
  /**
   * Has every process ask the server again when its list is next needed; until then the list stays as it is. Rejects where
   * the store does.
   */
  expire(server: string, configHash: string): Promise<void>;
  /** Whether there was something to forget. */
  forget(server: string): boolean;
  /** Resolves when everything is written. */
  settle(): Promise<void>;
}

/** One list. */
interface Entry {
  /** As it is in the store, as far as this process knows. */
  row?: CachedServer;
  /** What it means, once somebody has asked; or what this process has read. */
  list?: CachedList | undefined;
  /** Of what this process was last served itself. */
  servedHash?: string;
  puttingCount: number;
}

export function createCachedLists(
  cache: ServerCache,
  report: (server: string, problem: string) => void,
): CachedLists {
  const servers = new Map<string, Map<string, Entry>>();
  const writes = new Mutex();

  function entryOf(server: string, configHash: string): Entry {
    const configs = servers.get(server) ?? new Map<string, Entry>();
    servers.set(server, configs);
    const entry = configs.get(configHash) ?? { puttingCount: 0 };
    configs.set(configHash, entry);
    return entry;
  }

  function takeRow(row: CachedServer): void {
    Object.assign(entryOf(row.server, row.configHash), { row, list: undefined });
    const named = entryOf(row.server, configHashOf(row));
    named.row ??= row;
  }

  function isNews({ server, configHash, hash }: CachedServerMark): boolean {
    const entry = servers.get(server)?.get(configHash);
    return entry?.row?.hash !== hash && (entry?.puttingCount ?? 0) === 0;
  }

  async function readNews(): Promise<CachedServer[]> {
    const read: CachedServer[] = [];
    for (const mark of (await cache.marks()).filter(isNews)) {
      const row = await cache.find(mark.server, mark.configHash);
      // Meanwhile this process may have read the server itself.
      if (row === undefined || !isNews(row)) continue;
      takeRow(row);
      read.push(row);
    }
    return read;
  }

  async function put(server: string, list: CachedList, entry: Entry, yields: boolean): Promise<void> {
    const row = toCached(server, list);
    const isSameAgain = entry.servedHash === row.hash;
    entry.servedHash = row.hash;
    if (yields && isSameAgain && isRival(entry.row, row)) return;
    await cache.put(row);
    entry.row = row;
  }

  /** What the store has counts: another process may have read the server since. */
  async function putExpired(server: string, configHash: string): Promise<void> {
    const row = await cache.find(server, configHash);
    if (row === undefined || row.fetchedAt === EXPIRED_AT) return;
    const expired = { ...row, fetchedAt: EXPIRED_AT, hash: hashText(`expired ${row.hash}`) };
    await cache.put(expired);
    entryOf(server, configHash).row = expired;
  }

  function forget(server: string): boolean {
    writes.run(() => cache.remove(server)).catch((error: unknown) => report(server, messageOf(error)));
    return servers.delete(server);
  }

  return {
    forget,
    async load(known) {
      try {
        for (const row of await cache.list()) {
          if (known?.includes(row.server) === false) forget(row.server);
          else takeRow(row);
        }
      } catch (error) {
        report("*", messageOf(error));
      }
    },
    freshen: () => writes.run(readNews),
    find(server, configHash) {
      const entry = servers.get(server)?.get(configHash);
      if (entry === undefined) return undefined;
      entry.list ??= entry.row && fromCached(entry.row);
      return entry.list?.configHash === configHash ? entry.list : undefined;
    },
    holds: (server) => servers.has(server),
    keep(server, list, { yields = false, onProblem }) {
      const entry = entryOf(server, list.configHash);
      entry.list = list;
      entry.puttingCount++;
      writes
        .run(() => put(server, list, entry, yields).finally(() => entry.puttingCount--))
        .catch((error: unknown) => onProblem(messageOf(error)));
    },
    expire(server, configHash) {
      const entry = servers.get(server)?.get(configHash);
      if (entry?.list !== undefined) entry.list = { ...entry.list, fetchedAt: EXPIRED_AT };
      return writes.run(() => putExpired(server, configHash));
    },
    settle: () => writes.settle(),
  };
}

/**
 * When a list was read that must be read again, whatever its time says. Its row has another hash than the list itself, so
 * that other processes see that something has changed.
 */
const EXPIRED_AT = 0;

/** Whether another process was served another list. One that must be read again is nothing to yield to. */
function isRival(stored: CachedServer | undefined, { hash }: CachedServer): boolean {
  return stored !== undefined && stored.hash !== hash && stored.fetchedAt !== EXPIRED_AT;
}

/** Rows from before there was the column name the config only in their definitions. */
function configHashOf({ configHash, definitions }: CachedServer): string {
  const named = definitions["configHash"];
  return configHash === "" && typeof named === "string" ? named : configHash;
}

/** For a registry without a store: nothing outlives the process. */
export function createMemoryCache(): ServerCache {
  const rows = new Map<string, CachedServer>();
  const keyOf = (server: string, configHash: string) => JSON.stringify([server, configHash]);
  return {
    async put(entry) {
      rows.set(keyOf(entry.server, entry.configHash), structuredClone(entry));
    },
    list: async () => [...rows.values()].map((row) => structuredClone(row)),
    find: async (server, configHash) => structuredClone(rows.get(keyOf(server, configHash))),
    marks: async () =>
      [...rows.values()].map(({ server, configHash, hash }) => ({ server, configHash, hash })),
    async remove(server) {
      for (const [key, row] of rows) if (row.server === server) rows.delete(key);
    },
  };
}
