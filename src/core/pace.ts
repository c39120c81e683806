import type { Clock } from "./clock.ts";

/** Runs something later; returns how to call it off. */
export type After = (delayMs: number, run: () => void) => () => void;

export const systemAfter: After = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

/** Turns many requests into few runs. */
export interface Pace {
  /** Has the work run soon; requests until then are one. */
  ask(): void;
  stop(): void;
}

export interface PaceParts {
  readonly clock: Clock;
  readonly after: After;
  /** Collects what comes together. */
  readonly windowMs: number;
  /** The least time between two runs, however many requests there are. */
  readonly gapMs: number;
  readonly run: () => void;
}

export function createPace({ clock, after, windowMs, gapMs, run }: PaceParts): Pace {
  let lastAt = -Infinity;
  let cancel: (() => void) | undefined;
  return {
    ask() {
      const waitMs = Math.max(windowMs, lastAt + gapMs - clock.elapsed());
      cancel ??= after(waitMs, () => {
        cancel = undefined;
        lastAt = clock.elapsed();
        run();
      });
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}

/** Waits for work, but no longer than that, and not after the signal. What it waits for goes on. */
export async function waitFor(
  work: Promise<unknown>,
  limits: { readonly waitMs: number; readonly signal: AbortSignal; readonly after: After },
): Promise<void> {
  if (limits.waitMs <= 0 || limits.signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = limits.after(limits.waitMs, resolve);
  const leave = () => resolve();
  limits.signal.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    cancel();
    limits.signal.removeEventListener("abort", leave);
  }
}
