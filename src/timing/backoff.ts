/** How long to wait before the next attempt. The wait doubles with each failure in a row, up to a limit. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** No wait is shorter, so that a lucky draw does not try again at once; 0 where it is left out. */
  readonly minMs?: number;
}

/** Keeps the power of two a finite number. */
const DOUBLINGS_MAX = 30;

function longestMs({ firstMs, maxMs }: Backoff, failureCount: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failureCount - 1, DOUBLINGS_MAX));
}

/**
 * Full jitter: anywhere up to the longest wait, which spreads those who failed together. `random` is a draw from 0 to 1, and the
 * first failure is number 1.
 */
export function fullJitterMs(backoff: Backoff, failureCount: number, random: number): number {
  return Math.max(backoff.minMs ?? 0, random * longestMs(backoff, failureCount));
}

/** Half jitter: anywhere in the upper half of the longest wait, where a short wait would not help. */
export function halfJitterMs(backoff: Backoff, failureCount: number, random: number): number {
  const half = longestMs(backoff, failureCount) / 2;
  return half + half * random;
}
