/** What the search must come to, and whether it does. */
import type { ColdCell, Supply, TaughtCell } from "./search-cells.ts";
import type { NoveltyCell } from "./search-novelty.ts";
import { OURS } from "./search-systems.ts";

export interface Goal {
  readonly text: string;
  readonly isMet: boolean;
  readonly found: string;
}

/** In per cent. */
const COLD_RECALL_MIN = { metatool: 66, "seal-tools": 90 } as const;
const TAUGHT_RECALL_MIN = { 199: 85, 20_000: 80 } as const;
const TAUGHT_INTENTS = 10;
const MOST_INTENTS = 30;
/** One query is no figure. */
const WANTED_MIN = 20;
const UNUSED_LOSS_MAX = 0.5;
const CPU_MS_MAX = 2;
const MANY_TOOLS = 20_000;

export function judgeGoals(
  cold: readonly ColdCell[],
  taught: readonly TaughtCell[],
  supplies: readonly Supply[],
  novelty: readonly NoveltyCell[],
): Goal[] {
  return [...judgeCold(cold), ...judgeTaught(taught, supplies), ...judgeNovelty(novelty), ...judgeTime(cold)];
}

/** What is learnt makes no set worse, and hides next to nothing of what was never used. */
function judgeNovelty(cells: readonly NoveltyCell[]): Goal[] {
  const most = cells.filter(({ intentCount }) => intentCount === MOST_INTENTS);
  const nameOf = ({ set, toolCount, taughtShare }: NoveltyCell): string =>
    `${set} at ${toolCount} (${taughtShare * 100} % taught)`;
  const judge = (kind: "all" | "neverUsed", text: string, lossMax: number): Goal => {
    const losses = most
      .filter((cell) => cell[kind].count >= WANTED_MIN)
      .map((cell) => ({ cell, loss: (cell[kind].cold - cell[kind].taught) * 100 }));
    const bad = losses.filter(({ loss }) => loss > lossMax);
    const found = bad.map(({ cell, loss }) => `${nameOf(cell)} -${loss.toFixed(1)}`).join(", ");
    return { text, isMet: bad.length === 0, found: found || `${losses.length} cases` };
  };
  return [
    judge("all", `with ${MOST_INTENTS} intents no set is below its cold recall@5`, 0),
    judge(
      "neverUsed",
      `with ${MOST_INTENTS} intents tools that were never used lose at most ${UNUSED_LOSS_MAX}`,
      UNUSED_LOSS_MAX,
    ),
  ];
}

/** The set alone: its smallest cell, with all its queries. */
function judgeCold(cells: readonly ColdCell[]): Goal[] {
  return Object.entries(COLD_RECALL_MIN).flatMap(([set, least]) => {
    const cell = cells
      .filter((other) => other.system === OURS && other.set === set)
      .toSorted((one, other) => one.toolCount - other.toolCount || other.queryCount - one.queryCount)[0];
    if (cell === undefined) return [];
    return [judgeRecall(`${set} cold at ${cell.toolCount} tools`, cell, least)];
  });
}

/** The set has fewer queries than the goal speaks of, so the number of intents that there really are is told. */
function judgeTaught(cells: readonly TaughtCell[], supplies: readonly Supply[]): Goal[] {
  return Object.entries(TAUGHT_RECALL_MIN).flatMap(([toolCount, least]) => {
    const ours = cells.filter(
      (cell) => cell.system === OURS && cell.set === "metatool" && cell.toolCount === Number(toolCount),
    );
    const cellOf = (intentCount: number) =>
      ours
        .filter((cell) => cell.intentCount === intentCount)
        .toSorted((one, other) => other.queryCount - one.queryCount)[0];
    const most = Math.max(...ours.map(({ intentCount }) => intentCount));
    const [cell, last] = [cellOf(TAUGHT_INTENTS), cellOf(most)];
    if (cell === undefined || last === undefined) return [];
    const goal = judgeRecall(`metatool with ${TAUGHT_INTENTS} intents at ${toolCount} tools`, cell, least);
    const all = `${(last.quality.recall5 * 100).toFixed(1)} with all that there are, ${meanOf(supplies, most)}`;
    return [{ ...goal, found: `${goal.found} with ${meanOf(supplies, TAUGHT_INTENTS)} in the mean; ${all}` }];
  });
}

function meanOf(supplies: readonly Supply[], intents: number): string {
  const supply = supplies.find(({ set, intentCount }) => set === "metatool" && intentCount === intents);
  return supply?.mean.toFixed(1) ?? "unknown";
}

function judgeRecall(what: string, { quality }: ColdCell | TaughtCell, least: number): Goal {
  const found = quality.recall5 * 100;
  return {
    text: `${what}: recall@5 of ${least} or more`,
    isMet: found >= least,
    found: found.toFixed(1),
  };
}

/** On the set whose queries take longest. */
function judgeTime(cells: readonly ColdCell[]): Goal[] {
  const ours = cells.filter(({ system, toolCount }) => system === OURS && toolCount >= MANY_TOOLS);
  if (ours.length === 0) return [];
  const most = Math.max(...ours.map(({ cpuMs }) => cpuMs));
  const found = ours.map(({ set, queryCount, cpuMs }) => `${set} ${cpuMs.toFixed(2)} over ${queryCount}`);
  return [
    {
      text: `${CPU_MS_MAX} ms of CPU or less for a query over ${MANY_TOOLS} tools, on every set`,
      isMet: most <= CPU_MS_MAX,
      found: found.join(", "),
    },
  ];
}
