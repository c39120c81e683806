/** The figures of the search bench as tables. */
import type { ColdCell, FullPools, Ground, Supply, TaughtCell } from "./search-cells.ts";
import type { Goal } from "./search-goals.ts";
import type { Footprint } from "./search-memory.ts";
import type { Change, NoveltyCell } from "./search-novelty.ts";
import type { Quality } from "./search-metrics.ts";

const NAME_WIDTH = 44;
const CELL_WIDTH = 11;

function printTable(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n${title}`);
  for (const [name, ...cells] of [["", ...columns], ...rows])
    console.log(
      `  ${name!.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join("")}`.trimEnd(),
    );
}

const percent = (share: number): string => (share * 100).toFixed(1);

const QUALITY_COLUMNS = ["recall@1", "recall@5", "recall@10", "nDCG@10"];

function qualityCells({ recall1, recall5, recall10, ndcg10 }: Quality): string[] {
  return [recall1, recall5, recall10, ndcg10].map(percent);
}

export function printCold({ set, tools, filling }: Ground, cells: readonly ColdCell[]): void {
  const { own, distractors, otherSets, copies } = filling;
  const from = [
    `${own} of its own`,
    ...(distractors > 0 ? [`${distractors} distractors`] : []),
    ...(otherSets > 0 ? [`${otherSets} tools of the other sets`] : []),
    ...(copies > 0 ? [`${copies} copies of distractors under other server names`] : []),
  ];
  printTable(
    `${set.name}, cold, ${tools.length} tools (${from.join(", ")})`,
    ["queries", ...QUALITY_COLUMNS, "or same@5", "CPU mean", "CPU p50", "CPU p95"],
    cells.map(({ system, queryCount, quality, equivalentRecall5, cpuMs, cpuP50Ms, cpuP95Ms }) => [
      system,
      String(queryCount),
      ...qualityCells(quality),
      percent(equivalentRecall5),
      ...[cpuMs, cpuP50Ms, cpuP95Ms].map((ms) => `${ms.toFixed(2)} ms`),
    ]),
  );
  for (const { system, queryCount, oneWanted } of cells.filter((cell) => cell.oneWanted !== undefined))
    console.log(
      `  ${system}: ${oneWanted!.queryCount} of the ${queryCount} want one tool: recall@5 ${percent(oneWanted!.recall5)}; the others want several`,
    );
}

export function printTaught(title: string, cells: readonly TaughtCell[]): void {
  printTable(
    title,
    ["queries", ...QUALITY_COLUMNS],
    cells.map(({ system, intentCount, queryCount, quality }) => [
      `${system}, ${intentCount === 0 ? "cold" : `up to ${intentCount} intents`}`,
      String(queryCount),
      ...qualityCells(quality),
    ]),
  );
}

export function printNovelty(cells: readonly NoveltyCell[]): void {
  const show = ({ count, cold, taught }: Change): string[] =>
    count === 0 ? ["-", "-", "-"] : [count.toFixed(0), percent(cold), percent(taught)];
  const columns = ["", "cold", "taught", "used", "cold", "taught", "never used", "cold", "taught"];
  printTable(
    `${cells[0]!.set}, ${cells[0]!.toolCount} tools: recall@5 by whether the wanted tool was used before`,
    columns,
    cells.map(({ intentCount, taughtShare, all, used, neverUsed }) => [
      `up to ${intentCount} intents for ${percent(taughtShare)} % of the tools`,
      ...[all, used, neverUsed].flatMap(show),
    ]),
  );
}

export function printSupply(supplies: readonly Supply[]): void {
  for (const { intentCount, mean, short, tools } of supplies)
    console.log(
      `  up to ${intentCount} intents: ${mean.toFixed(1)} for a tool in the mean; ${short.toFixed(0)} of ${tools} wanted tools have fewer than ${intentCount}`,
    );
}

export function printFullPools(all: readonly FullPools[]): void {
  for (const { wantedCount, cold, taught } of all)
    console.log(
      `  the ${taught.queryCount} queries for the ${wantedCount} tools that really have ${taught.intentCount}: recall@5 cold ${percent(cold.quality.recall5)}, taught ${percent(taught.quality.recall5)} (${taught.system})`,
    );
}

export function printFootprints(rows: readonly { system: string; footprint: Footprint }[]): void {
  printTable(
    "build and memory (metatool filled up; each in a fresh process)",
    ["tools", "build", "memory"],
    rows.map(({ system, footprint: { toolCount, buildMs, bytes } }) => [
      system,
      String(toolCount),
      `${buildMs.toFixed(0)} ms`,
      `${(bytes / 1024 / 1024).toFixed(1)} MB`,
    ]),
  );
}

export function printGoals(goals: readonly Goal[]): void {
  console.log("\ngoals");
  for (const { text, isMet, found } of goals)
    console.log(`  goal: ${text}: ${isMet ? "met" : "MISSED"} (${found})`);
}
