/** The part of a run's time that is on screen, and where an instant lies in it. Every bar and the axis share one span. */

/** Milliseconds from the start of the run. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Tick {
  readonly atMs: number;
  readonly share: number;
}

/** Below it there is nothing to see: the journal counts in milliseconds. */
const SPAN_MIN_MS = 1;
/** How much longer than its time the axis of a live run is, so that its bars grow into room instead of shrinking all others. */
const LIVE_ROOM = 1.1;
const LIVE_MIN_MS = 1_000;
const NICE = [1, 2, 2.5, 5, 10] as const;
/** Above a minute people count in sixties. */
const NICE_TIMES_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
];
const DAY_MS = 86_400_000;

/** The time of a run that has ended, or of one that goes on: then to the next round number, so that the scale seldom changes. */
export function wholeSpan(elapsedMs: number, isLive: boolean): Span {
  if (!isLive) return { fromMs: 0, toMs: Math.max(SPAN_MIN_MS, elapsedMs) };
  return { fromMs: 0, toMs: roundUp(Math.max(LIVE_MIN_MS, elapsedMs * LIVE_ROOM)) };
}

export function lengthOf({ fromMs, toMs }: Span): number {
  return toMs - fromMs;
}

/** Where an instant is: 0 at the beginning of the span, 1 at its end. */
export function shareOf(span: Span, ms: number): number {
  return (ms - span.fromMs) / lengthOf(span);
}

export function msAt(span: Span, share: number): number {
  return span.fromMs + share * lengthOf(span);
}

/** Round instants, at most so many. */
export function ticksOf(span: Span, countMax: number): readonly Tick[] {
  const stepMs = tickStep(lengthOf(span) / Math.max(1, countMax));
  const first = Math.ceil(span.fromMs / stepMs);
  const count = Math.floor(span.toMs / stepMs) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const atMs = (first + at) * stepMs;
    return { atMs, share: shareOf(span, atMs) };
  });
}

function tickStep(leastMs: number): number {
  if (leastMs < 1) return roundUp(leastMs);
  return NICE_TIMES_MS.find((ms) => ms >= leastMs) ?? Math.ceil(leastMs / DAY_MS) * DAY_MS;
}

/** The next number that is 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return NICE.find((factor) => factor * power >= value)! * power;
}
