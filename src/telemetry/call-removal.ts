/** Removes entries of the call log that are old enough: soon after the start, and then once a day. */
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { CallStore } from "../core/trust-store.ts";
import type { After } from "../timing/after.ts";
import { SingleFlight } from "../timing/single-flight.ts";

export interface CallRemoval {
  /** Resolves when nothing is being removed any more; with `last`, some are removed first if nothing was so far. */
  stop(last: boolean): Promise<void>;
}

export interface CallRemovalDeps {
  readonly store: Pick<CallStore, "removeBefore">;
  readonly days: () => number;
  readonly log: Log;
  readonly clock: Clock;
  readonly after: After;
}

/** A start has better to do. */
const FIRST_REMOVAL_MS = 10_000;
const DAY_MS = 86_400_000;

export function createCallRemoval({ store, days, log, clock, after }: CallRemovalDeps): CallRemoval {
  const removing = new SingleFlight<void>();
  const stopping = new AbortController();
  let hasRemoved = false;
  let stopTimer = (): void => {};

  const removeSome = (): Promise<number> => store.removeBefore(clock.now() - days() * DAY_MS);

  /** Some at a time, with a turn for everybody else in between. */
  async function removeAll(): Promise<void> {
    try {
      while ((await removeSome()) > 0 && !stopping.signal.aborted)
        await new Promise((resolve) => setImmediate(resolve));
      hasRemoved = true;
    } catch (error) {
      log.warn("calls.removal.failed", { error });
    }
  }

  function removeIn(delayMs: number): void {
    stopTimer = after(delayMs, () => {
      void removing.run(removeAll);
      removeIn(DAY_MS);
    });
  }

  removeIn(FIRST_REMOVAL_MS);
  return {
    async stop(last) {
      stopping.abort();
      stopTimer();
      await removing.underWay;
      // A command ends before the first removal is due, and there may be nothing but commands.
      if (last && !hasRemoved) await removeAll();
    },
  };
}
