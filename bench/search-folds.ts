/**
 * Intents of earlier runs, played by queries that are not asked: the queries are dealt out into folds, each fold is
 * asked once, and only the others teach. So every query is a test query, for every number of intents the same.
 */
import type { BenchQuery, BenchSet, BenchTool } from "./search-data.ts";
import { shuffle } from "./search-random.ts";
import { ourDocument } from "./search-systems.ts";
import { shareIntent } from "../src/search/experience.ts";

export const FOLDS = 10;

export interface Fold {
  readonly asked: readonly BenchQuery[];
  /** The queries of the other folds that a tool is an answer to, in a fixed random order. */
  readonly pool: ReadonlyMap<string, readonly string[]>;
}

/** Deals out tool by tool, so that a tool's queries are spread over the folds as evenly as they can be. */
export function dealFolds({ name, queries, tools }: BenchSet): Fold[] {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const byTool = Map.groupBy(queries, ({ wanted }) => wanted[0]![0]!);
  const dealt = shuffle([...byTool.values()], name).flatMap((own) => shuffle(own, own[0]!.text));
  return Array.from({ length: FOLDS }, (_, fold) => ({
    // In a random order, so that the first ones are a fair sample.
    asked: shuffle(
      dealt.filter((_query, index) => index % FOLDS === fold),
      `${name} ${fold} asked`,
    ),
    pool: poolOf(
      shuffle(
        dealt.filter((_query, index) => index % FOLDS !== fold),
        `${name} ${fold}`,
      ),
      byId,
    ),
  }));
}

/** A query for several tools teaches each what it does of it, as a run does; every system gets the same. */
function poolOf(
  queries: readonly BenchQuery[],
  tools: ReadonlyMap<string, BenchTool>,
): Map<string, string[]> {
  const pool = new Map<string, string[]>();
  for (const { text, wanted } of queries) {
    const ids = [...new Set(wanted.flat())];
    const documents = ids.flatMap((id) => tools.get(id) ?? []).map((tool) => ourDocument(tool, undefined));
    const shares = shareIntent(text, documents);
    for (const id of ids) pool.set(id, [...(pool.get(id) ?? []), shares.get(id) ?? text]);
  }
  return pool;
}

/** The same folds with fewer questions, so that a slow system is done in time; what they teach stays. */
export function sampleFolds(folds: readonly Fold[], askedMax: number): Fold[] {
  return folds.map((fold, index) => ({
    ...fold,
    asked: fold.asked.slice(0, Math.floor((askedMax + index) / folds.length)),
  }));
}

/** The first `count` of every tool's pool. */
export function takeIntents({ pool }: Fold, count: number): Map<string, readonly string[]> {
  return new Map([...pool].map(([id, texts]) => [id, texts.slice(0, count)]));
}

export interface IntentSupply {
  /** Mean number of intents for each tool that is ever wanted. */
  readonly mean: number;
  /** The tools, in the mean over the folds, whose pool has fewer. */
  readonly short: number;
  readonly tools: number;
}

export function supplyOf(set: BenchSet, folds: readonly Fold[], count: number): IntentSupply {
  const wanted = new Set(set.queries.flatMap((query) => query.wanted.flat()));
  let given = 0;
  let short = 0;
  for (const { pool } of folds) {
    for (const id of wanted) {
      const size = pool.get(id)?.length ?? 0;
      given += Math.min(count, size);
      if (size < count) short += 1;
    }
  }
  return { mean: given / folds.length / wanted.size, short: short / folds.length, tools: wanted.size };
}
