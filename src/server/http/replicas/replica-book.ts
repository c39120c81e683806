/**
 * Where the other replicas are, read from the store once in a beat at most. While the store is away, what was read last
 * counts: a request that goes to another replica needs no database there either.
 */
import { BEAT_MS, DEAD_AFTER_MS, type SeenReplica } from "../../../core/replica-store.ts";
import { createLru } from "../../../timing/lru.ts";

/** This process among the replicas of one store. */
export interface Peers {
  readonly ownId: string;
  readonly find: (id: string) => Promise<SeenReplica | undefined>;
}

export interface ReplicaBook {
  /** Throws only where the store is away and nothing was read before. */
  find(id: string): Promise<SeenReplica | undefined>;
}

/** Far more than there are replicas. Clients name ids too, and must not fill the memory. */
const KNOWN_COUNT_MAX = 256;
/**
 * A replica that missed two beats and takes no connection is dead. One that is merely late is found alive by its answer,
 * because it is always tried first.
 */
const UNREACHED_DEAD_MS = 2 * BEAT_MS;

interface Entry {
  readonly seen: SeenReplica | undefined;
  readonly readAt: number;
}

export function createReplicaBook({ find }: Peers, elapsed: () => number): ReplicaBook {
  const known = createLru<Entry>({ countMax: KNOWN_COUNT_MAX, sizeMax: KNOWN_COUNT_MAX });
  const reading = new Map<string, Promise<SeenReplica | undefined>>();

  async function read(id: string): Promise<SeenReplica | undefined> {
    const readAt = elapsed();
    try {
      const seen = await find(id);
      known.set(id, { seen, readAt }, 1);
      return seen;
    } catch (error) {
      const last = known.get(id);
      if (last === undefined) throw error;
      return last.seen;
    } finally {
      reading.delete(id);
    }
  }

  return {
    async find(id) {
      const last = known.get(id);
      if (last !== undefined && elapsed() - last.readAt < BEAT_MS) return last.seen;
      const begun = reading.get(id) ?? read(id);
      reading.set(id, begun);
      return begun;
    },
  };
}

/** Whether a replica that could not be reached is dead, and its sessions may be adopted. */
export function isDeadUnreached({ ageMs, isDraining }: SeenReplica): boolean {
  return isDraining || ageMs > UNREACHED_DEAD_MS;
}

/** Whether a replica that has a request of ours and does not answer is dead. */
export function isDeadSilent(seen: SeenReplica | undefined): boolean {
  return seen === undefined || seen.ageMs > DEAD_AFTER_MS;
}
