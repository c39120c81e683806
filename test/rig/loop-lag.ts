/** Measures how long the event loop of this process stood still. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, onTestFinished } from "vitest";

/** The sampling interval: a shorter stall is not seen, and this much of each measured delay is the interval itself. */
const RESOLUTION_MS = 10;

export interface LoopLag {
  /** The longest stall since the start. */
  worstMs(): number;
  stop(): void;
}

export function watchLoopLag(): LoopLag {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    worstMs: () => Math.max(0, histogram.max / 1e6 - RESOLUTION_MS),
    stop: () => void histogram.disable(),
  };
}

/** Fails the test at its end if the loop of this process stood still for longer; the gateway must run in it. */
export function expectNoStall(limitMs = 200): LoopLag {
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
