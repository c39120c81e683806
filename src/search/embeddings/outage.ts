import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { fullJitterMs } from "../../timing/backoff.ts";

/** 1 s doubles to a minute. */
const BACKOFF = { firstMs: 1_000, maxMs: 60_000, minMs: 500 };

/**
 * Whether the endpoint answers: it is left alone for a while that grows with every failure, and each outage is told
 * once.
 */
export interface Outage {
  /** How long it is still left alone. */
  waitMs(): number;
  failed(reason: string): void;
  succeeded(): void;
}

export function createOutage(deps: {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** What ends with the process has not failed. */
  readonly closed: AbortSignal;
}): Outage {
  const { clock, random, log, closed } = deps;
  let failureCount = 0;
  let retryAt = -Infinity;
  return {
    waitMs: () => Math.max(0, retryAt - clock.elapsed()),
    failed(reason) {
      if (closed.aborted) return;
      retryAt = clock.elapsed() + fullJitterMs(BACKOFF, failureCount + 1, random());
      if (failureCount === 0) log.warn("search.embeddings.failed", { reason });
      failureCount++;
    },
    succeeded() {
      if (failureCount > 0) log.info("search.embeddings.recovered", { failureCount });
      failureCount = 0;
      retryAt = -Infinity;
    },
  };
}
