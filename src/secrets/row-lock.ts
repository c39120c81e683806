/**
 * A lock that processes on several machines respect: a row with an owner and an end. It is renewed while the work lasts,
 * and waited for with a backoff. A process that dies with it renews nothing, and the row is free when its time is over.
 *
 * The time is longer than an operation of the store waits for a database that is away: a holder that has spent a one-time
 * token writes what it got for it as soon as the database is back, and until then no other may begin.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RepertoireError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { LockStore } from "../core/replica-store.ts";
import { fullJitterMs, type Backoff } from "../timing/backoff.ts";
import { Mutex } from "../timing/mutex.ts";

const LOCK_MS = 60_000;
/** A renewal may fail twice in a row. */
const RENEWALS_PER_LOCK = 3;
/** Longer than any work that is done under a lock may take. */
const WAIT_MAX_MS = 120_000;
/** Work under a lock takes as long as a request to a server far away. */
const WAIT: Backoff = { firstMs: 50, maxMs: 500, minMs: 10 };

export interface RowLockDeps {
  readonly locks: LockStore;
  /** The process, or what stands for it: its calls wait for each other here and not in the database. */
  readonly owner: string;
  readonly log: Log;
  /** Whether this process can tell a dead replica from one that could not reach the database. */
  readonly canTellDead?: () => boolean;
  readonly lockMs?: number;
}

/** Runs work of one name while no other process does. */
export type HoldRowLock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function createRowLock(deps: RowLockDeps): HoldRowLock {
  const { locks, owner } = deps;
  /** The names are those of secrets: few. */
  const turns = new Map<string, Mutex>();

  async function holdAlone<T>(name: string, work: () => Promise<T>): Promise<T> {
    await take(deps, name);
    const stop = startRenewing(deps, name);
    try {
      return await work();
    } finally {
      await stop();
      await giveBack(name);
    }
  }

  /** It is over by itself as well: what the work has done counts for more. */
  async function giveBack(name: string): Promise<void> {
    try {
      await locks.release(name, owner);
    } catch (error) {
      deps.log.warn("secrets.lock.unreleased", { lock: name, error });
    }
  }

  return (name, work) => {
    const turn = turns.get(name) ?? new Mutex();
    turns.set(name, turn);
    return turn.run(() => holdAlone(name, work));
  };
}

async function take(
  { locks, owner, canTellDead, lockMs = LOCK_MS }: RowLockDeps,
  name: string,
): Promise<void> {
  const end = performance.now() + WAIT_MAX_MS;
  for (let failures = 1; ; failures++) {
    if (await locks.take(name, owner, lockMs, { fromDead: canTellDead?.() === true })) return;
    if (performance.now() > end) {
      throw new RepertoireError("STORE_BUSY", `another process has held the lock "${name}" for too long`, {
        hint: "Another gateway or command works on it, such as a login that waits for its user. Try again later.",
      });
    }
    await sleep(fullJitterMs(WAIT, failures, Math.random()));
  }
}

/** What is returned ends it, after the renewal that is under way. */
function startRenewing(
  { locks, owner, log, lockMs = LOCK_MS }: RowLockDeps,
  name: string,
): () => Promise<void> {
  const over = new AbortController();
  const renew = async (): Promise<void> => {
    try {
      if (!(await locks.renew(name, owner, lockMs))) log.warn("secrets.lock.lost", { lock: name });
    } catch (error) {
      log.warn("secrets.lock.unrenewed", { lock: name, error });
    }
  };
  const going = (async () => {
    for (;;) {
      const isOver = await sleep(lockMs / RENEWALS_PER_LOCK, false, {
        signal: over.signal,
        ref: false,
      }).catch(() => true);
      if (isOver) return;
      await renew();
    }
  })();
  return () => {
    over.abort();
    return going;
  };
}
