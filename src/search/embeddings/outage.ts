import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";

/** 1 s doubles to a minute. */
const FIRST_MS = 1_000;
const LAST_MS = 60_000;

/** Whether the endpoint answers: it is left alone for a while that grows with every failure, and each outage is told once. */
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
      const capMs = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(failureCount, 30));
      // Jitter spreads those who failed together; the floor keeps a lucky draw from asking again at once.
      retryAt = clock.elapsed() + Math.max(FIRST_MS / 2, random() * capMs);
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
