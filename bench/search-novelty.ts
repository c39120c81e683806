/**
 * Whether what was learnt buries what was never used: every query is asked cold and taught, and each thing that it wants
 * counts by whether one of its tools was used before. With `taughtShare` only so many of a set's tools are ever taught.
 */
import type { Ground } from "./search-cells.ts";
import { takeIntents, type Fold } from "./search-folds.ts";
import { recallAt } from "./search-metrics.ts";
import { buildSystem } from "./search-quality.ts";
import { shuffle } from "./search-random.ts";
import { createOurs, type Intents, type SearchSystem } from "./search-systems.ts";

const DEPTH = 5;

/** Recall@5 over the wanted things of one kind, before and after. */
export interface Change {
  readonly count: number;
  readonly cold: number;
  readonly taught: number;
}

export interface NoveltyCell {
  readonly set: string;
  readonly toolCount: number;
  readonly intentCount: number;
  readonly taughtShare: number;
  readonly all: Change;
  readonly used: Change;
  readonly neverUsed: Change;
}

interface Outcome {
  readonly isUsed: boolean;
  readonly cold: number;
  readonly taught: number;
  /** What the thing counts for among all that its query wants. */
  readonly share: number;
}

export function measureNovelty(
  ground: Ground,
  intentCounts: readonly number[],
  taughtShare: number,
): NoveltyCell[] {
  const { set, tools, folds } = ground;
  const system = buildSystem(createOurs, tools);
  const cold = new Map(
    folds.flatMap(({ asked }) => asked).map((query) => [query, system.search(query.text, DEPTH)]),
  );
  const ids = set.tools.map(({ id }) => id);
  const taught = new Set(shuffle(ids, "taught").slice(0, Math.round(taughtShare * ids.length)));
  return intentCounts.map((intentCount) => {
    const outcomes = folds.flatMap((fold) => {
      const intents = new Map([...takeIntents(fold, intentCount)].filter(([id]) => taught.has(id)));
      teach(system, ground, intents);
      return outcomesOf(system, fold, intents, cold);
    });
    return {
      set: set.name,
      toolCount: tools.length,
      intentCount,
      taughtShare,
      all: changeOf(outcomes),
      used: changeOf(outcomes.filter(({ isUsed }) => isUsed)),
      neverUsed: changeOf(outcomes.filter(({ isUsed }) => !isUsed)),
    };
  });
}

function teach(system: SearchSystem, { set }: Ground, intents: Intents): void {
  for (const [group, own] of Map.groupBy(set.tools, (tool) => tool.group)) system.put(group, own, intents);
}

function outcomesOf(
  system: SearchSystem,
  { asked }: Fold,
  intents: Intents,
  cold: ReadonlyMap<Fold["asked"][number], readonly string[]>,
): Outcome[] {
  return asked.flatMap((query) => {
    const after = system.search(query.text, DEPTH);
    return query.wanted.map((members) => ({
      isUsed: members.some((id) => intents.has(id)),
      cold: recallAt(cold.get(query)!, [members], DEPTH),
      taught: recallAt(after, [members], DEPTH),
      share: 1 / query.wanted.length,
    }));
  });
}

function changeOf(outcomes: readonly Outcome[]): Change {
  const count = outcomes.reduce((sum, { share }) => sum + share, 0);
  const mean = (field: "cold" | "taught"): number =>
    count === 0 ? 0 : outcomes.reduce((sum, one) => sum + one[field] * one.share, 0) / count;
  return { count, cold: mean("cold"), taught: mean("taught") };
}
