import type { Retry } from "../../workflows/workflow.ts";
import { halfJitterMs } from "../../timing/backoff.ts";

/**
 * Twice as long after each failure, up to the limit; anywhere in the upper half of that, so that many do not come back
 * at once.
 */
export function retryDelayMs({ delayMs, maxDelayMs }: Retry, attempt: number, random: number): number {
  return halfJitterMs({ firstMs: delayMs, maxMs: maxDelayMs }, attempt, random);
}

/** False when it was cut short. */
export function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const wake = (): void => {
    clearTimeout(timer);
    resolve(false);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", wake);
    resolve(true);
  }, ms);
  signal.addEventListener("abort", wake, { once: true });
  return promise;
}
