import { useEffect, useLayoutEffect, useState, type RefObject } from "react";
import { elapsedAt, type RunClock } from "./run-end.ts";
import { wholeSpan, type Span } from "./span.ts";

/** Often enough that bars grow smoothly; nothing is drawn again for it but they. */
const TICK_MS = 100;

/**
 * The whole time of the run. While it goes on, one ticker for all bars moves `--now` of the waterfall; React draws again only
 * when the scale itself has become too short.
 */
export function useWholeSpan(
  target: RefObject<HTMLElement | null>,
  clock: RunClock,
  endMs: number | undefined,
): Span {
  const [seenMs, setSeenMs] = useState(0);
  const isLive = endMs === undefined;
  const whole = wholeSpan(endMs ?? Math.max(seenMs, clock.elapsedMs), isLive);
  const { elapsedMs, heardAt } = clock;

  useLayoutEffect(() => {
    target.current?.style.setProperty("--now", String(endMs ?? elapsedMs));
  }, [target, endMs, elapsedMs]);

  useEffect(() => {
    if (!isLive) return;
    let drawnAt = 0;
    let frame = requestAnimationFrame(tick);
    function tick(at: number): void {
      frame = requestAnimationFrame(tick);
      if (at - drawnAt < TICK_MS) return;
      drawnAt = at;
      const nowMs = elapsedAt({ elapsedMs, heardAt }, Date.now());
      target.current?.style.setProperty("--now", nowMs.toFixed(0));
      if (nowMs > whole.toMs) setSeenMs(nowMs);
    }
    return () => cancelAnimationFrame(frame);
  }, [target, isLive, elapsedMs, heardAt, whole.toMs]);

  return whole;
}
