/**
 * A graceful shutdown: no new call begins, calls under way are awaited and recorded, and then every run ends where it
 * is, to be resumed later. A call that starts a run is not awaited: that run ends by itself in the same way.
 */
import { aborted, within } from "../timing/deadline.ts";

export interface Shutdown {
  /** Aborted when runs must end. */
  readonly signal: AbortSignal;
  /** Resolves with true at once; while draining, with false when the signal aborts. */
  enter(signal: AbortSignal): Promise<boolean>;
  /** Counts a call until its outcome is on record; a read, until it is answered. */
  track<T>(call: Promise<T>): Promise<T>;
  /** Counts a whole run: a drain waits for it to write its end. */
  trackRun<T>(run: Promise<T>): Promise<T>;
  /** Waits `graceMs` for calls under way, then aborts the signal and waits for the runs. */
  drain(graceMs: number): Promise<void>;
}

export function createShutdown(): Shutdown {
  const controller = new AbortController();
  const calls = new Set<Promise<unknown>>();
  const runs = new Set<Promise<unknown>>();
  let isDraining = false;

  return {
    signal: controller.signal,
    async enter(signal) {
      if (!isDraining && !signal.aborted) return true;
      await aborted(signal);
      return false;
    },
    track: (call) => hold(calls, call),
    trackRun: (run) => hold(runs, run),
    async drain(graceMs) {
      isDraining = true;
      await within(Promise.allSettled(calls), graceMs);
      controller.abort();
      await within(Promise.allSettled(runs), RUN_END_MS);
    },
  };
}

/** For a run that was told to end to write that it did. */
const RUN_END_MS = 2_000;

async function hold<T>(all: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  all.add(promise);
  try {
    return await promise;
  } finally {
    all.delete(promise);
  }
}
