/** The whole bench, part by part; every figure is printed as soon as it is there, unless JSON is asked for. */
import { chooseCandidates } from "./search-candidates.ts";
import {
  FULL,
  layGround,
  measureCold,
  measureFullPools,
  measureSupply,
  measureTaught,
  QUICK,
  type Candidate,
  type ColdCell,
  type Extent,
  type FullPools,
  type Supply,
  type TaughtCell,
} from "./search-cells.ts";
import type { BenchData } from "./search-data.ts";
import { judgeGoals, type Goal } from "./search-goals.ts";
import { measureNovelty, type NoveltyCell } from "./search-novelty.ts";
import { measureFootprint, type Footprint } from "./search-memory.ts";
import {
  printCold,
  printFootprints,
  printFullPools,
  printGoals,
  printNovelty,
  printSupply,
  printTaught,
} from "./search-table.ts";

/** 0 is the set alone. */
const SIZES = [0, 2_000, 20_000];
const INTENT_COUNTS = [3, 10, 30];

/**
 * Which sets have the queries to teach with, and how many intents a tool. In seal-tools few tools are wanted by more
 * than three queries, and in livemcp-step by more than one: cold only.
 */
const TAUGHT_SETS = [
  { name: "metatool", sizes: [0, 20_000], intentCounts: INTENT_COUNTS },
  { name: "seal-tools", sizes: [0], intentCounts: [3] },
];

interface SearchFigures {
  readonly settings: readonly { readonly name: string; readonly recall5: number }[];
  readonly cold: readonly ColdCell[];
  readonly taught: readonly TaughtCell[];
  readonly supplies: readonly Supply[];
  readonly fullPools: readonly FullPools[];
  readonly novelty: readonly NoveltyCell[];
  readonly footprints: readonly { readonly system: string; readonly footprint: Footprint }[];
  readonly goals: readonly Goal[];
  readonly seconds: number;
}

interface Talk {
  readonly isQuick: boolean;
  readonly isJson: boolean;
}

export function benchSearch(data: BenchData, entry: string, { isQuick, isJson }: Talk): SearchFigures {
  const startedAt = performance.now();
  const extent = isQuick ? QUICK : FULL;
  const say = (print: () => void): void => void (isJson || print());
  say(() => printPreface(extent));
  const { tried, candidates } = chooseCandidates(data, extent);
  say(() => printSettings(tried));
  const cold = benchCold(data, extent, candidates, say);
  const taught = benchTaught(data, extent, candidates, cold, say);
  const footprints = SIZES.flatMap((size) =>
    candidates.map(({ name }) => ({ system: name, footprint: measureFootprint(entry, name, size) })),
  );
  const novelty = benchNovelty(data, extent, say);
  const goals = judgeGoals(cold, taught.taught, taught.supplies, novelty);
  const seconds = (performance.now() - startedAt) / 1000;
  say(() => {
    printFootprints(footprints);
    printGoals(goals);
    console.log(`\n${seconds.toFixed(0)} s`);
  });
  return { settings: tried, cold, ...taught, novelty, footprints, goals, seconds };
}

type Say = (print: () => void) => void;

function printPreface({ folds, sample, sampledFrom }: Extent): void {
  console.log(`${folds} of 10 folds are asked; what a fold teaches is never asked of it.`);
  console.log(
    "or same@5 is recall@5 where a tool of the same name, or with nearly the same description, counts for a wanted one.",
  );
  console.log(
    `From ${sampledFrom} tools on the other systems are asked ${sample} queries of each set, and ours all and these ${sample}.`,
  );
}

function printSettings(tried: readonly { name: string; recall5: number }[]): void {
  const texts = tried.map(({ name, recall5 }) => `${name} ${(recall5 * 100).toFixed(1)}`);
  console.log(
    `Mean recall@5 over a sample of the sets alone: ${texts.join(", ")}; the first goes on from here.`,
  );
}

function benchCold(data: BenchData, extent: Extent, candidates: readonly Candidate[], say: Say): ColdCell[] {
  const cells: ColdCell[] = [];
  for (const set of data.sets) {
    for (const size of SIZES) {
      if (size > 0 && size <= set.tools.length) {
        say(() => console.log(`\n${set.name} has ${set.tools.length} tools: nothing to fill up to ${size}.`));
        continue;
      }
      const ground = layGround(data, set, size, extent);
      const measured = measureCold(ground, candidates);
      say(() => printCold(ground, measured));
      cells.push(...measured);
    }
  }
  return cells;
}

function benchTaught(
  data: BenchData,
  extent: Extent,
  candidates: readonly Candidate[],
  cold: readonly ColdCell[],
  say: Say,
): Pick<SearchFigures, "taught" | "supplies" | "fullPools"> {
  const taught: TaughtCell[] = [];
  const supplies: Supply[] = [];
  const fullPools: FullPools[] = [];
  for (const { name, sizes, intentCounts } of TAUGHT_SETS) {
    const set = data.sets.find((other) => other.name === name)!;
    for (const size of sizes) {
      const ground = layGround(data, set, size, extent);
      const cells = measureTaught(ground, candidates, intentCounts);
      const rows = besideCold(cells, cold);
      const supply = measureSupply(ground, intentCounts);
      say(() => {
        printTaught(`${name} with intents, ${ground.tools.length} tools`, rows);
        printSupply(supply);
      });
      const pools = intentCounts.flatMap((count) => measureFullPools(ground, candidates[0]!, count) ?? []);
      say(() => printFullPools(pools));
      taught.push(...cells);
      fullPools.push(...pools);
      if (size === 0) supplies.push(...supply);
    }
  }
  say(() => console.log("\nlivemcp-step has 92 queries for 66 tools: too few to teach with, cold only."));
  return { taught, supplies, fullPools };
}

/** All tools of a set may be taught, or few of them. */
const TAUGHT_SHARES = [1, 0.2];

function benchNovelty(data: BenchData, extent: Extent, say: Say): NoveltyCell[] {
  return data.sets.flatMap((set) =>
    SIZES.filter((size) => size === 0 || size > set.tools.length).flatMap((size) => {
      const ground = layGround(data, set, size, extent);
      const cells = TAUGHT_SHARES.flatMap((share) => measureNovelty(ground, INTENT_COUNTS, share));
      say(() => printNovelty(cells));
      return cells;
    }),
  );
}

/** The rows of a table: before what a system does with intents stands what it does without, on the same queries. */
function besideCold(taught: readonly TaughtCell[], cold: readonly ColdCell[]): TaughtCell[] {
  const keyOf = ({ system, set, toolCount, queryCount }: ColdCell | TaughtCell): string =>
    [system, set, toolCount, queryCount].join("\n");
  return [...Map.groupBy(taught, keyOf)].flatMap(([key, cells]) => [
    ...cold.filter((cell) => keyOf(cell) === key).map((cell) => ({ ...cell, intentCount: 0 })),
    ...cells,
  ]);
}
