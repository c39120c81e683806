/** Replicas on one database whose time, and whose outages, a test decides on. */
import type { Clock } from "../../core/clock.ts";
import type { ReplicaStore } from "../../core/replica-store.ts";
import type { Store } from "../../core/store.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { createReplica, type OwnReplica } from "./replica.ts";

/** Of the database and of all its processes. */
export interface World extends Clock {
  advance(ms: number): void;
}

export function createWorld(): World {
  let at = 1_000_000_000;
  return { now: () => at, elapsed: () => at, advance: (ms) => void (at += ms) };
}

export function openSharedStore(home: string, world: World): Promise<Store> {
  return openSqliteStore({ home, isShared: true, databaseNow: () => world.now() });
}

export interface TestReplica {
  readonly replica: OwnReplica;
  /** Until it is ended, every beat fails, or waits for the end. */
  cut(how: "fails" | "hangs"): () => void;
}

export function createTestReplica(store: ReplicaStore, clock: Clock): TestReplica {
  let outage: { readonly how: "fails" | "hangs"; readonly over: Promise<void> } | undefined;
  const reached = async <T>(work: () => Promise<T>): Promise<T> => {
    if (outage?.how === "fails") throw new Error("the database is away");
    await outage?.over;
    return work();
  };
  const around: ReplicaStore = {
    ...store,
    beat: (replica) => reached(() => store.beat(replica)),
    ages: () => reached(() => store.ages()),
    listAbandoned: (limit) => reached(() => store.listAbandoned(limit)),
  };
  return {
    replica: createReplica({ store: around, clock, beatMs: null }),
    cut(how) {
      const { promise, resolve } = Promise.withResolvers<void>();
      outage = { how, over: promise };
      return () => {
        outage = undefined;
        resolve();
      };
    },
  };
}

/** All beat every two seconds for so long. */
export async function live(world: World, replicas: readonly OwnReplica[], ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 2_000) {
    world.advance(Math.min(2_000, left));
    for (const replica of replicas) await replica.tick();
  }
}
