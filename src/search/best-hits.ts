import { compareText } from "../text/compare-text.ts";

export interface Hit {
  readonly id: string;
  readonly slot: number;
  readonly score: number;
}

/** The best of many without sorting them all: most are worse than the worst that is kept. Equals are in order of ids. */
export function pickBest(
  found: readonly number[],
  scoreOf: (slot: number) => number,
  ids: readonly (string | undefined)[],
  limit: number,
): Hit[] {
  const best: Hit[] = [];
  for (const slot of found) {
    const score = scoreOf(slot);
    const last = best.at(-1);
    if (best.length >= limit && (last === undefined || score < last.score)) continue;
    const hit = { id: ids[slot]!, slot, score };
    let at = best.length;
    while (at > 0 && isBetter(hit, best[at - 1]!)) at--;
    if (at >= limit) continue;
    best.splice(at, 0, hit);
    if (best.length > limit) best.pop();
  }
  return best;
}

function isBetter(a: Hit, b: Hit): boolean {
  return a.score > b.score || (a.score === b.score && compareText(a.id, b.id) < 0);
}

/** The score of this rank, or 0 where fewer were found. */
export function scoreAtRank(found: readonly number[], scores: Float64Array, rank: number): number {
  if (found.length < rank) return 0;
  const best = new Float64Array(rank);
  for (const slot of found) {
    const score = scores[slot]!;
    if (score <= best[rank - 1]!) continue;
    let at = rank - 1;
    while (at > 0 && best[at - 1]! < score) best[at] = best[--at]!;
    best[at] = score;
  }
  return best[rank - 1]!;
}
