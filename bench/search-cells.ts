/** What a system does on one set among so many tools: one cell of the bench's tables. */
import { quantile } from "./figures.ts";
import { createEquivalentRecall } from "./search-equivalents.ts";
import { fillSet, type BenchData, type BenchQuery, type BenchSet, type Filling } from "./search-data.ts";
import { dealFolds, FOLDS, sampleFolds, supplyOf, type Fold, type IntentSupply } from "./search-folds.ts";
import { meanQuality, qualityOf, type Quality, type recallAt } from "./search-metrics.ts";
import { buildSystem, DEPTH, evaluate } from "./search-quality.ts";
import type { SearchSystem } from "./search-systems.ts";

/** Compilers and caches are warm after so many. */
const WARM_UP_COUNT = 20;
const EQUIVALENTS_DEPTH = 5;

export interface Candidate {
  readonly name: string;
  readonly create: () => SearchSystem;
  /** Asked a sample only where there are many tools: some take half a second for a query. */
  readonly isSlow: boolean;
}

export interface ColdCell {
  readonly system: string;
  readonly set: string;
  readonly toolCount: number;
  readonly queryCount: number;
  readonly quality: Quality;
  /** Recall@5 where a tool that does the same as a wanted one counts for it. */
  readonly equivalentRecall5: number;
  /** Processor time of a query in the mean, the garbage collector's included. */
  readonly cpuMs: number;
  readonly cpuP50Ms: number;
  readonly cpuP95Ms: number;
  /** The queries that want one tool, where others want several. */
  readonly oneWanted?: { readonly queryCount: number; readonly recall5: number };
}

export interface TaughtCell {
  readonly system: string;
  readonly set: string;
  readonly toolCount: number;
  readonly queryCount: number;
  /** At most so many for each tool; 0 is cold. */
  readonly intentCount: number;
  readonly quality: Quality;
}

export interface Ground {
  readonly set: BenchSet;
  readonly tools: ReturnType<typeof fillSet>["tools"];
  readonly filling: Filling;
  readonly folds: readonly Fold[];
  /** The same folds with fewer questions, where slow systems need that. */
  readonly sample?: readonly Fold[];
}

export interface Extent {
  /** How many folds are asked, of ten. */
  readonly folds: number;
  /** How many queries slow systems are asked at most above `sampledFrom` tools. */
  readonly sample: number;
  readonly sampledFrom: number;
}

export const FULL: Extent = { folds: FOLDS, sample: 100, sampledFrom: 4_000 };
export const QUICK: Extent = { folds: 1, sample: 20, sampledFrom: 0 };

export function layGround(data: BenchData, set: BenchSet, size: number, extent: Extent): Ground {
  const folds = dealFolds(set).slice(0, extent.folds);
  const { tools, filling } = fillSet(data, set, size);
  const count = countAsked(folds);
  const isSampled = tools.length >= extent.sampledFrom && count > extent.sample;
  return { set, tools, filling, folds, ...(isSampled ? { sample: sampleFolds(folds, extent.sample) } : {}) };
}

function countAsked(folds: readonly Fold[]): number {
  return folds.reduce((sum, { asked }) => sum + asked.length, 0);
}

/** With a sample, the fast systems are asked all and the sample, so that every row has one to stand beside. */
function foldsFor({ folds, sample }: Ground, { isSlow }: Candidate): (readonly Fold[])[] {
  if (sample === undefined) return [folds];
  return isSlow ? [sample] : [folds, sample];
}

export function measureCold(ground: Ground, candidates: readonly Candidate[]): ColdCell[] {
  const equivalentRecall = createEquivalentRecall(ground.tools);
  return candidates.flatMap((candidate) => {
    const system = buildSystem(candidate.create, ground.tools);
    try {
      return foldsFor(ground, candidate).map((folds) => ({
        system: candidate.name,
        set: ground.set.name,
        toolCount: ground.tools.length,
        ...askTimed(
          system,
          folds.flatMap(({ asked }) => asked),
          equivalentRecall,
        ),
      }));
    } finally {
      system.close?.();
    }
  });
}

function askTimed(
  system: SearchSystem,
  queries: readonly BenchQuery[],
  equivalentRecall: typeof recallAt,
): Omit<ColdCell, "system" | "set" | "toolCount"> {
  for (const { text } of queries.slice(0, WARM_UP_COUNT)) system.search(text, DEPTH);
  const qualities: Quality[] = [];
  const equivalents: number[] = [];
  const times: number[] = [];
  for (const { text, wanted } of queries) {
    const before = process.cpuUsage();
    const ranking = system.search(text, DEPTH);
    const { user, system: kernel } = process.cpuUsage(before);
    times.push((user + kernel) / 1000);
    qualities.push(qualityOf(ranking, wanted));
    equivalents.push(equivalentRecall(ranking, wanted, EQUIVALENTS_DEPTH));
  }
  const single = qualities.filter((_quality, index) => queries[index]!.wanted.length === 1);
  const hasBoth = single.length > 0 && single.length < queries.length;
  return {
    queryCount: queries.length,
    quality: meanQuality(qualities),
    equivalentRecall5: meanOf(equivalents),
    cpuMs: meanOf(times),
    cpuP50Ms: quantile(times, 0.5),
    cpuP95Ms: quantile(times, 0.95),
    ...(hasBoth ? { oneWanted: { queryCount: single.length, recall5: meanQuality(single).recall5 } } : {}),
  };
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

export function measureTaught(
  ground: Ground,
  candidates: readonly Candidate[],
  intentCounts: readonly number[],
): TaughtCell[] {
  return candidates.flatMap((candidate) =>
    foldsFor(ground, candidate).flatMap((folds) => teach(ground, candidate, folds, intentCounts)),
  );
}

function teach(
  { set, tools }: Ground,
  { name, create }: Candidate,
  folds: readonly Fold[],
  intentCounts: readonly number[],
): TaughtCell[] {
  const queryCount = countAsked(folds);
  const cell = { system: name, set: set.name, toolCount: tools.length, queryCount };
  return [...evaluate(create, tools, set, folds, intentCounts)].map(([intentCount, quality]) => ({
    ...cell,
    intentCount,
    quality,
  }));
}

/** The queries whose tools really have so many intents. */
export interface FullPools {
  readonly wantedCount: number;
  readonly cold: TaughtCell;
  readonly taught: TaughtCell;
}

/** Nothing where there is no such query. */
export function measureFullPools(
  ground: Ground,
  candidate: Candidate,
  intentCount: number,
): FullPools | undefined {
  const folds = ground.folds.map(({ asked, pool }) => ({
    asked: asked.filter(({ wanted }) =>
      wanted.flat().every((id) => (pool.get(id)?.length ?? 0) >= intentCount),
    ),
    pool,
  }));
  const wanted = new Set(folds.flatMap(({ asked }) => asked.flatMap((query) => query.wanted.flat())));
  if (wanted.size === 0) return undefined;
  const [cold, taught] = teach(ground, candidate, folds, [0, intentCount]);
  return { wantedCount: wanted.size, cold: cold!, taught: taught! };
}

export interface Supply extends IntentSupply {
  readonly set: string;
  readonly intentCount: number;
}

export function measureSupply({ set, folds }: Ground, intentCounts: readonly number[]): Supply[] {
  return intentCounts.map((intentCount) => ({
    set: set.name,
    intentCount,
    ...supplyOf(set, folds, intentCount),
  }));
}
