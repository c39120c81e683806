/**
 * Waiting for a lock without blocking the event loop. SQLite's own `busy_timeout` sleeps inside the call and froze the
 * event loop for up to 1.9 s with four writers; here the attempt fails at once and is made again from a timer. The wait
 * is random, so that processes which collided once do not collide for ever.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "./sqlite-error.ts";

const WAIT_MS_MIN = 1;
const WAIT_MS_MAX = 25;
/** No write of ours takes longer than some ms, so after ten seconds the lock is held by a process that hangs. */
export const BUSY_LIMIT_MS = 10_000;

export interface BusyPatience {
  readonly limitMs: number;
  elapsed(): number;
}

/** Makes an attempt until it does not meet a lock; the last busy error is thrown when patience runs out. */
export async function retryWhileBusy<T>(attempt: () => T, patience: BusyPatience): Promise<T> {
  const startedAt = patience.elapsed();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || patience.elapsed() - startedAt >= patience.limitMs) throw error;
    }
    await sleep(WAIT_MS_MIN + Math.random() * (WAIT_MS_MAX - WAIT_MS_MIN));
  }
}
