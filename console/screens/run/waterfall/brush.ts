/** Choosing a part of the run's time: by dragging over the overview, by its two handles, or with keys. */
import { lengthOf, msAt, type Span } from "./span.ts";

/** A drag that is shorter is a click. */
const DRAG_MIN_SHARE = 0.004;
/** The journal counts in milliseconds; less would be a guess. */
const ZOOM_MIN_MS = 1;

/** What a drag from one place of the overview to another chooses; undefined for a click. */
export function dragSpan(whole: Span, fromShare: number, toShare: number): Span | undefined {
  if (Math.abs(fromShare - toShare) < DRAG_MIN_SHARE) return undefined;
  const [low, high] = fromShare < toShare ? [fromShare, toShare] : [toShare, fromShare];
  return within(whole, { fromMs: msAt(whole, low), toMs: msAt(whole, high) });
}

/** The same length, elsewhere. */
export function panSpan(whole: Span, span: Span, byMs: number): Span {
  const moved = Math.min(Math.max(byMs, whole.fromMs - span.fromMs), whole.toMs - span.toMs);
  return { fromMs: span.fromMs + moved, toMs: span.toMs + moved };
}

/** `factor` below 1 shows less of the time; what is at `aroundMs` stays where it is. */
export function zoomSpan(whole: Span, span: Span, factor: number, aroundMs: number): Span {
  const length = Math.min(lengthOf(whole), Math.max(ZOOM_MIN_MS, lengthOf(span) * factor));
  const share = (aroundMs - span.fromMs) / lengthOf(span);
  const fromMs = aroundMs - share * length;
  return panSpan(whole, { fromMs, toMs: fromMs + length }, 0);
}

/** Moves one end; the other stays, and they do not pass each other. */
export function moveEdge(whole: Span, span: Span, edge: "from" | "to", toMs: number): Span {
  const moved =
    edge === "from"
      ? { fromMs: Math.min(toMs, span.toMs - ZOOM_MIN_MS), toMs: span.toMs }
      : { fromMs: span.fromMs, toMs: Math.max(toMs, span.fromMs + ZOOM_MIN_MS) };
  return within(whole, moved);
}

export function isWhole(whole: Span, span: Span): boolean {
  return span.fromMs <= whole.fromMs && span.toMs >= whole.toMs;
}

/** From the URL; what makes no sense there shows everything. */
export function readSpan(whole: Span, from: string | undefined, to: string | undefined): Span {
  const span = within(whole, { fromMs: numberOf(from, whole.fromMs), toMs: numberOf(to, whole.toMs) });
  return lengthOf(span) >= ZOOM_MIN_MS ? span : whole;
}

/** For the URL: nothing where everything is shown. */
export function writeSpan(
  whole: Span,
  span: Span,
): { readonly from: string | undefined; readonly to: string | undefined } {
  if (isWhole(whole, span)) return { from: undefined, to: undefined };
  return { from: shortNumber(span.fromMs), to: shortNumber(span.toMs) };
}

function within(whole: Span, span: Span): Span {
  return { fromMs: Math.max(whole.fromMs, span.fromMs), toMs: Math.min(whole.toMs, span.toMs) };
}

function numberOf(text: string | undefined, otherwise: number): number {
  const value = text === undefined || text === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : otherwise;
}

function shortNumber(ms: number): string {
  return String(Math.round(ms * 10) / 10);
}
