/**
 * What was read of servers, kept between processes.
 *
 * Memory is the truth of this process and the store follows it, one write after the other. A write that fails costs the
 * next process a reading and this one nothing, so it is reported and not thrown.
 */
import { messageOf } from "../core/errors.ts";
import type { CachedServer, ServerCache } from "../core/store.ts";
import { Mutex } from "../timing/mutex.ts";
import { fromCached, toCached, type Reading } from "./cache-entry.ts";

export interface KeptReadings {
  /** Reads the store. With `known`, entries of any other server are dropped from it. */
  load(known?: readonly string[]): Promise<void>;
  /** What was kept of a server that was started with the same config. */
  find(server: string, configHash: string): Reading | undefined;
  /** Whether anything is kept of a server, of this config or another. */
  holds(server: string): boolean;
  keep(server: string, reading: Reading, onProblem: (problem: string) => void): void;
  /** Whether there was something to forget. */
  forget(server: string): boolean;
  /** Resolves when everything is written. */
  settle(): Promise<void>;
}

export function createKeptReadings(
  cache: ServerCache,
  report: (server: string, problem: string) => void,
): KeptReadings {
  const rows = new Map<string, CachedServer>();
  const readings = new Map<string, Reading>();
  const writes = new Mutex();

  function write(work: () => Promise<void>, onProblem: (problem: string) => void): void {
    writes.run(work).catch((error: unknown) => onProblem(messageOf(error)));
  }

  function forget(server: string): boolean {
    write(
      () => cache.remove(server),
      (problem) => report(server, problem),
    );
    return [rows.delete(server), readings.delete(server)].includes(true);
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
      const reading = readings.get(server) ?? (row === undefined ? undefined : fromCached(row));
      if (reading === undefined) return undefined;
      readings.set(server, reading);
      return reading.configHash === configHash ? reading : undefined;
    },
    holds: (server) => rows.has(server) || readings.has(server),
    keep(server, reading, onProblem) {
      readings.set(server, reading);
      write(async () => cache.put(toCached(server, reading)), onProblem);
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
