/**
 * Measures how long the event loop of this process stood still because of its own work. On a machine that others use, a loop
 * also waits for a processor; that is not its fault and is not counted: of each pause, only the time in which this thread really
 * worked counts.
 */
import { expect, onTestFinished } from "vitest";

/**
 * Far below what a guest can do (its shortest time limit in the tests is 300 ms), and above what starting a process or collecting
 * garbage takes on a busy machine, where the same work takes twice the processor time.
 */
export const STALL_MS_MAX = 250;
/** A shorter stall is not seen. */
const RESOLUTION_MS = 10;

export interface LoopLag {
  /** The longest stall since the start. */
  worstMs(): number;
  stop(): void;
}

export function watchLoopLag(): LoopLag {
  let worst = 0;
  let before = reading();
  const timer = setInterval(() => {
    const now = reading();
    const pauseMs = now.wallMs - before.wallMs - RESOLUTION_MS;
    worst = Math.max(worst, Math.min(pauseMs, now.workedMs - before.workedMs));
    before = now;
  }, RESOLUTION_MS);
  return { worstMs: () => worst, stop: () => clearInterval(timer) };
}

function reading(): { readonly wallMs: number; readonly workedMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { wallMs: performance.now(), workedMs: (user + system) / 1000 };
}

/** Fails the test at its end if the loop of this process stood still for longer; the gateway must run in it. */
export function expectNoStall(limitMs = STALL_MS_MAX): LoopLag {
  const lag = watchLoopLag();
  onTestFinished(async () => {
    // A stall in the last moment is seen only by the next sample.
    await new Promise((resolve) => setTimeout(resolve, 2 * RESOLUTION_MS));
    lag.stop();
    expect(lag.worstMs(), `the event loop stood still for more than ${limitMs} ms`).toBeLessThanOrEqual(
      limitMs,
    );
  });
  return lag;
}
