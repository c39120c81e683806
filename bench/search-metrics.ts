/** How good a ranking is, for one query and for many. */
type Wanted = readonly (readonly string[])[];

/** Sums and means of shares from 0 to 1. */
export interface Quality {
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
}

/** The share of the wanted things of which a member is among the first `depth`. */
export function recallAt(ranking: readonly string[], wanted: Wanted, depth: number): number {
  const first = new Set(ranking.slice(0, depth));
  return wanted.filter((members) => members.some((id) => first.has(id))).length / wanted.length;
}

/** A hit counts for one wanted thing that no better hit was; the best possible ranking has them all in front. */
export function ndcgAt(ranking: readonly string[], wanted: Wanted, depth: number): number {
  const open = [...wanted];
  let gain = 0;
  for (const [rank, id] of ranking.slice(0, depth).entries()) {
    const at = open.findIndex((members) => members.includes(id));
    if (at === -1) continue;
    open.splice(at, 1);
    gain += gainAt(rank);
  }
  let ideal = 0;
  for (let rank = 0; rank < Math.min(depth, wanted.length); rank++) ideal += gainAt(rank);
  return gain / ideal;
}

function gainAt(rank: number): number {
  return 1 / Math.log2(rank + 2);
}

export function qualityOf(ranking: readonly string[], wanted: Wanted): Quality {
  return {
    recall1: recallAt(ranking, wanted, 1),
    recall5: recallAt(ranking, wanted, 5),
    recall10: recallAt(ranking, wanted, 10),
    ndcg10: ndcgAt(ranking, wanted, 10),
  };
}

export function meanQuality(all: readonly Quality[]): Quality {
  const mean = (field: keyof Quality): number =>
    all.reduce((sum, quality) => sum + quality[field], 0) / all.length;
  return {
    recall1: mean("recall1"),
    recall5: mean("recall5"),
    recall10: mean("recall10"),
    ndcg10: mean("ndcg10"),
  };
}
