/** The quality of a system on a set: cold, and with intents. */
import type { BenchQuery, BenchSet, BenchTool } from "./search-data.ts";
import { takeIntents, type Fold } from "./search-folds.ts";
import { meanQuality, qualityOf, type Quality } from "./search-metrics.ts";
import type { Intents, SearchSystem } from "./search-systems.ts";

/** Quality is looked at down to here. */
export const DEPTH = 10;

const NO_INTENTS: Intents = new Map();

/** An index over all of these tools that has learned nothing yet. */
export function buildSystem(create: () => SearchSystem, tools: readonly BenchTool[]): SearchSystem {
  const system = create();
  for (const [group, own] of Map.groupBy(tools, (tool) => tool.group)) system.put(group, own, NO_INTENTS);
  return system;
}

function askAll(system: SearchSystem, queries: readonly BenchQuery[]): Quality[] {
  return queries.map(({ text, wanted }) => qualityOf(system.search(text, DEPTH), wanted));
}

/** Asks each fold after teaching what the others know; the system has learned nothing before and after. */
function askFolds(system: SearchSystem, set: BenchSet, folds: readonly Fold[], intentCount: number): Quality {
  const servers = Map.groupBy(set.tools, ({ group }) => group);
  const teach = (intents: Intents): void => {
    for (const [group, tools] of servers) system.put(group, tools, intents);
  };
  const all = folds.flatMap((fold) => {
    teach(takeIntents(fold, intentCount));
    return askAll(system, fold.asked);
  });
  teach(NO_INTENTS);
  return meanQuality(all);
}

/** What a system does on a set among these tools, for each number of intents; 0 is cold. */
export function evaluate(
  create: () => SearchSystem,
  tools: readonly BenchTool[],
  set: BenchSet,
  folds: readonly Fold[],
  intentCounts: readonly number[],
): Map<number, Quality> {
  const system = buildSystem(create, tools);
  try {
    return new Map(intentCounts.map((count) => [count, qualityWith(system, set, folds, count)]));
  } finally {
    system.close?.();
  }
}

function qualityWith(system: SearchSystem, set: BenchSet, folds: readonly Fold[], count: number): Quality {
  if (count > 0) return askFolds(system, set, folds, count);
  return meanQuality(
    askAll(
      system,
      folds.flatMap(({ asked }) => asked),
    ),
  );
}
