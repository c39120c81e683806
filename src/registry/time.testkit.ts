import type { Clock } from "../core/clock.ts";
import type { After } from "../timing/after.ts";

/** Time that stands still until it is told to go on. */
export interface TestTime {
  readonly clock: Clock;
  readonly after: After;
  /** Runs what falls due, in its order, and lets everything that follows from it happen. */
  advance(ms: number): Promise<void>;
}

export function createTestTime(): TestTime {
  let now = 1_000_000;
  const timers = new Set<{ at: number; run: () => void }>();
  const nextBefore = (end: number) =>
    [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
  return {
    clock: { now: () => now, elapsed: () => now },
    after(delayMs, run) {
      const timer = { at: now + Math.max(0, delayMs), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = nextBefore(end); timer !== undefined; timer = nextBefore(end)) {
        timers.delete(timer);
        now = timer.at;
        timer.run();
        await settle();
      }
      now = end;
    },
  };
}

/** Lets every promise that can go on do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
