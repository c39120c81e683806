/**
 * `npm run bench:encoder`: what the word encoder adds to the words, by how much it counts. How much it is to count is
 * chosen on one half of the queries and told for the other. `-- --quick` asks a part of them.
 */
import { WEIGHT } from "../src/search/encoder/query-similarity.ts";
import { dataFolder, fillSet, loadBenchData, type BenchData, type BenchSet } from "./search-data.ts";
import { dealFolds, takeIntents } from "./search-folds.ts";
import { recallAt } from "./search-metrics.ts";
import { shuffle } from "./search-random.ts";
import { createOurs, type Intents } from "./search-systems.ts";

const WEIGHTS = [0, 0.3, 0.45, 0.6, WEIGHT, 0.8];
const SIZES = [0, 2_000, 20_000];
const INTENT_COUNTS = [3, 10];
const DEPTH = 5;
const QUERIES_MAX = process.argv.includes("--quick") ? 200 : 2_000;
const FOLDS_MAX = process.argv.includes("--quick") ? 2 : 10;

const NO_INTENTS: Intents = new Map();
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
const percent = (shares: readonly number[]): string => (mean(shares) * 100).toFixed(1).padStart(7);
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Recall of both halves, by weight. */
type Halves = readonly (readonly [readonly number[], readonly number[]])[];
const isFirstHalf = (at: number): boolean => at % 2 === 0;

function measure(data: BenchData, set: BenchSet, size: number): Halves {
  const { tools } = fillSet(data, set, size);
  const system = createOurs();
  for (const [group, own] of Map.groupBy(tools, (tool) => tool.group)) system.put(group, own, NO_INTENTS);
  const queries = shuffle(set.queries, "encoder").slice(0, QUERIES_MAX);
  const times = WEIGHTS.map(() => [] as number[]);
  for (const { text } of queries.slice(0, 50)) system.search(text, DEPTH);
  const halves = WEIGHTS.map(() => [[], []] as [number[], number[]]);
  for (const [at, { text, wanted }] of queries.entries())
    for (const [which, weight] of WEIGHTS.entries()) {
      system.weigh(weight);
      const before = cpuMs();
      const ranking = system.search(text, DEPTH);
      times[which]!.push(cpuMs() - before);
      halves[which]![isFirstHalf(at) ? 0 : 1].push(recallAt(ranking, wanted, DEPTH));
    }
  const found = halves.map((both) => percent(both.flat())).join("");
  const cpu = `${mean(times[0]!).toFixed(2)} → ${mean(times.slice(1).flat()).toFixed(2)} ms`;
  console.log(`${`${set.name} ${tools.length}`.padEnd(24)}${found}   ${queries.length} queries, CPU ${cpu}`);
  return halves;
}

/** With what runs taught: the folds of `bench:search`. */
function measureTaught(data: BenchData, set: BenchSet, size: number, intentCount: number): void {
  const { tools } = fillSet(data, set, size);
  const system = createOurs();
  for (const [group, own] of Map.groupBy(tools, (tool) => tool.group)) system.put(group, own, NO_INTENTS);
  const own = Map.groupBy(set.tools, ({ group }) => group);
  const recalls = WEIGHTS.map(() => [] as number[]);
  for (const fold of dealFolds(set).slice(0, FOLDS_MAX)) {
    const intents = takeIntents(fold, intentCount);
    for (const [group, some] of own) system.put(group, some, intents);
    for (const { text, wanted } of fold.asked)
      for (const [which, weight] of WEIGHTS.entries()) {
        system.weigh(weight);
        recalls[which]!.push(recallAt(system.search(text, DEPTH), wanted, DEPTH));
      }
  }
  console.log(
    `${`${set.name} ${tools.length}, ${intentCount} intents`.padEnd(24)}${recalls.map(percent).join("")}`,
  );
}

const data = loadBenchData(dataFolder());
if (data === undefined) console.log(`Skipped: the labelled queries are not in ${dataFolder()}.`);
else {
  console.log(
    `recall@${DEPTH} by weight`.padEnd(24) + WEIGHTS.map((weight) => String(weight).padStart(7)).join(""),
  );
  const all = data.sets.flatMap((set) =>
    SIZES.filter((size) => size === 0 || size > set.tools.length).map((size) => measure(data, set, size)),
  );
  const [chosen, other] = [0, 1].map((half) =>
    WEIGHTS.map((_, which) => mean(all.map((halves) => mean(halves[which]![half as 0 | 1])))),
  );
  const best = chosen!.indexOf(Math.max(...chosen!));
  console.log(`${"mean, first half".padEnd(24)}${chosen!.map((share) => percent([share])).join("")}`);
  console.log(`${"mean, second half".padEnd(24)}${other!.map((share) => percent([share])).join("")}`);
  console.log(
    `chosen on the first half: ${WEIGHTS[best]}; second half ${percent([other![0]!]).trim()} → ${percent([other![best]!]).trim()}`,
  );
  for (const name of ["metatool", "seal-tools"])
    for (const count of INTENT_COUNTS)
      measureTaught(
        data,
        data.sets.find((set) => set.name === name)!,
        0,
        count,
      );
}
