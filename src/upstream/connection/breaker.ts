/**
 * When a server that fails may be tried again. Each failure doubles the longest wait, and the wait is drawn at random
 * below it, so that gateways which lost the same server do not come back in step. Several failures within a short time
 * open the breaker: then one attempt is made after a while, and until it succeeds nothing else is tried.
 *
 * Being up for a moment does not make up for failures: a server that starts, dies and starts again for ever opens it as
 * well.
 */
import type { Clock } from "../../core/clock.ts";
import { fullJitterMs } from "../../timing/backoff.ts";

const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const FAILURE_COUNT_MAX = 5;
const WINDOW_MS = 30_000;

export interface Breaker {
  /** 0 when an attempt may be made now, else how long until then. */
  waitMs(): number;
  isOpen(): boolean;
  failureCount(): number;
  recordFailure(): void;
  /** The server has been well for long enough; earlier failures no longer count. */
  reset(): void;
}

export function createBreaker(clock: Clock, random: () => number = Math.random): Breaker {
  let failedAt: number[] = [];
  let retryAt = 0;
  const recent = (): number[] => failedAt.filter((at) => clock.elapsed() - at < WINDOW_MS);
  const isOpen = (): boolean => recent().length >= FAILURE_COUNT_MAX;
  return {
    isOpen,
    waitMs: () => Math.max(0, retryAt - clock.elapsed()),
    failureCount: () => recent().length,
    recordFailure() {
      failedAt = [...recent(), clock.elapsed()];
      const wait = isOpen() ? BACKOFF.maxMs : fullJitterMs(BACKOFF, failedAt.length, random());
      retryAt = clock.elapsed() + wait;
    },
    reset() {
      failedAt = [];
      retryAt = 0;
    },
  };
}
