import type { Clock } from "../core/clock.ts";
import type { After } from "./after.ts";

/** Turns many requests into few runs. */
export interface Throttle {
  /** Has the work run soon; requests until then are one. */
  ask(): void;
  /** Runs at once what was asked for and has not run yet. */
  flush(): void;
  stop(): void;
}

export interface ThrottleDeps {
  readonly clock: Clock;
  readonly after: After;
  /** Collects what comes together; without it, what may run now runs before `ask` returns. */
  readonly windowMs?: number;
  /** The least time between two runs in the long term, however many requests there are. */
  readonly gapMs: number;
  /** So many may run without a gap between them, after a time without any; 1 where it is left out. */
  readonly burst?: number;
  readonly run: () => void;
}

export function createThrottle({ clock, after, windowMs, gapMs, burst = 1, run }: ThrottleDeps): Throttle {
  /** When the next run is due if all of them came at their gaps; a burst is how far ahead of that one may be. */
  let dueAt = -Infinity;
  let cancel: (() => void) | undefined;
  function runNow(): void {
    cancel = undefined;
    dueAt = Math.max(dueAt, clock.elapsed()) + gapMs;
    run();
  }
  return {
    ask() {
      if (cancel !== undefined) return;
      const gapLeftMs = dueAt - (burst - 1) * gapMs - clock.elapsed();
      if (windowMs === undefined && gapLeftMs <= 0) runNow();
      else cancel = after(Math.max(windowMs ?? 0, gapLeftMs), runNow);
    },
    flush() {
      if (cancel === undefined) return;
      cancel();
      runNow();
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
