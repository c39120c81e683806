/**
 * Slows down guessing: a caller that fails too often within a minute is told to wait. It only ever concerns failures,
 * so no caller can lock out the owner of a token by failing beside them.
 */
import { isIPv6 } from "node:net";
import { systemClock, type Clock } from "../../core/clock.ts";

export const FAILURE_COUNT_MAX = 10;
export const FAILURE_WINDOW_MS = 60_000;
/** A caller with more addresses than this gets more tries; the memory of the gateway stays bounded. */
const TRACKED_MAX = 4_096;

export interface FailureCount {
  /** Counts one more for each of these keys. */
  add(keys: readonly string[]): CountedFailure;
}

interface CountedFailure {
  /** How long to wait, where one of the keys has failed too often. */
  readonly retryAfterS?: number;
  /** Whether that is news. */
  readonly isFirst: boolean;
}

interface Window {
  readonly endsAtMs: number;
  count: number;
}

export function createFailureCount(
  clock: Clock = systemClock,
  trackedMax: number = TRACKED_MAX,
): FailureCount {
  /** The oldest window is first. */
  const windows = new Map<string, Window>();

  function windowOf(key: string, nowMs: number): Window {
    const known = windows.get(key);
    if (known !== undefined && known.endsAtMs > nowMs) return known;
    windows.delete(key);
    const opened = { endsAtMs: nowMs + FAILURE_WINDOW_MS, count: 0 };
    windows.set(key, opened);
    if (windows.size > trackedMax) windows.delete(windows.keys().next().value!);
    return opened;
  }

  return {
    add(keys) {
      const nowMs = clock.elapsed();
      const counted = keys.map((key) => windowOf(key, nowMs));
      for (const window of counted) window.count++;
      const over = counted.filter((window) => window.count > FAILURE_COUNT_MAX);
      if (over.length === 0) return { isFirst: false };
      const waitMs = Math.max(...over.map((window) => window.endsAtMs)) - nowMs;
      const isFirst = over.every((window) => window.count === FAILURE_COUNT_MAX + 1);
      return { retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)), isFirst };
    },
  };
}

/** Who an address means: with IPv6 one subscriber has a whole /64, so that is counted as one. */
export function remoteKey(remote: string): string {
  const [address = ""] = remote.toLowerCase().split("%");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  if (mapped !== null) return mapped[1]!;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array<string>(8 - front.length - back.length).fill("0");
  const groups = [...front, ...zeros, ...back].map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.slice(0, 4).join(":")}::/64`;
}
