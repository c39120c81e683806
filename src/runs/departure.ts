/**
 * Leaving in order: calls under way are waited for and recorded, no new one begins, and then every run ends where it stands, to
 * be resumed later. A call that starts a run is not waited for: that run ends by itself in the same way.
 */
export interface Departure {
  /** Aborted when runs must end. */
  readonly signal: AbortSignal;
  readonly isLeaving: boolean;
  /** Resolves at once, or, once nobody may begin anything, never before the signal: false then. */
  enter(signal: AbortSignal): Promise<boolean>;
  /** Counts a call until its outcome is on record. */
  track<T>(call: Promise<T>): Promise<T>;
  /** Waits for a whole run when everything ends. */
  trackRun<T>(run: Promise<T>): Promise<T>;
  leave(graceMs: number): Promise<void>;
}

export function createDeparture(): Departure {
  const controller = new AbortController();
  const calls = new Set<Promise<unknown>>();
  const runs = new Set<Promise<unknown>>();
  let isLeaving = false;

  return {
    signal: controller.signal,
    get isLeaving() {
      return isLeaving;
    },
    async enter(signal) {
      if (!isLeaving && !signal.aborted) return true;
      await aborted(signal);
      return false;
    },
    track: (call) => hold(calls, call),
    trackRun: (run) => hold(runs, run),
    async leave(graceMs) {
      isLeaving = true;
      await within(graceMs, Promise.allSettled(calls));
      controller.abort();
      await within(RUN_END_MS, Promise.allSettled(runs));
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

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
