/** The whole run in a strip: how many calls were under way at each moment, and where something failed. */
import { segmentsOfGroup, segmentsOfStep, type Segment } from "./bar.ts";
import type { WaterRow } from "./row-types.ts";
import { shareOf, type Span } from "./span.ts";

export interface Overview {
  /** How busy the run was, 0 to 1, from its beginning to its end. */
  readonly busy: readonly number[];
  /** Of these parts of the time, something failed or is uncertain. */
  readonly troubled: ReadonlySet<number>;
  readonly waiting: ReadonlySet<number>;
}

/**
 * Only the first level: what is inside of it happened at the same time. `nowMs` is how far a run that goes on has come. What the
 * journal answered took no time.
 */
export function overviewOf(
  rows: readonly WaterRow[],
  whole: Span,
  binCount: number,
  nowMs: number,
): Overview {
  const busy = new BusyBins(binCount);
  const troubled = new Set<number>();
  const waiting = new Set<number>();
  for (const row of rows) {
    if (row.level > 1) continue;
    for (const segment of segmentsOfRow(row)) {
      if (segment.pattern === "journal") continue;
      const from = shareOf(whole, segment.startMs) * binCount;
      const to = shareOf(whole, segment.ms === undefined ? nowMs : segment.startMs + segment.ms) * binCount;
      const last = Math.min(binCount - 1, Math.max(0, Math.floor(to)));
      if (segment.kind === "waiting") markAll(waiting, Math.max(0, Math.floor(from)), last);
      else busy.add(from, to);
      if (segment.kind === "failed" || segment.kind === "uncertain") troubled.add(last);
    }
  }
  return { busy: relative(busy.heights()), troubled, waiting };
}

function segmentsOfRow(row: WaterRow): readonly Segment[] {
  if (row.kind === "step") return segmentsOfStep(row.step, row.place);
  return row.kind === "group" ? segmentsOfGroup(row.group, row.place) : [];
}

function markAll(marked: Set<number>, first: number, last: number): void {
  for (let at = first; at <= last; at += 1) marked.add(at);
}

/** How many calls were under way on average in each part of the time; a million calls cost no more than two numbers each. */
class BusyBins {
  readonly #parts: number[];
  readonly #rises: number[];

  constructor(count: number) {
    this.#parts = Array.from({ length: count }, () => 0);
    this.#rises = Array.from({ length: count + 1 }, () => 0);
  }

  /** In parts, from 0 on. */
  add(from: number, to: number): void {
    const last = this.#parts.length - 1;
    const [first, end] = [
      Math.max(0, Math.min(last, Math.floor(from))),
      Math.max(0, Math.min(last, Math.floor(to))),
    ];
    if (first === end) {
      this.#parts[first]! += to - from;
      return;
    }
    this.#parts[first]! += first + 1 - from;
    this.#parts[end]! += Math.min(1, to - end);
    this.#rises[first + 1]! += 1;
    this.#rises[end]! -= 1;
  }

  heights(): number[] {
    let whole = 0;
    return this.#parts.map((part, at) => part + (whole += this.#rises[at]!));
  }
}

/** A part in which something happened is never empty. */
const LEAST = 0.06;

function relative(values: readonly number[]): number[] {
  const most = values.reduce((highest, value) => Math.max(highest, value), 0);
  return values.map((value) => (value <= 0 ? 0 : Math.max(LEAST, value / most)));
}
