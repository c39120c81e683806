/** Who is compared, by name. */
import type { Candidate, Extent } from "./search-cells.ts";
import { layGround } from "./search-cells.ts";
import type { BenchData } from "./search-data.ts";
import { createFts5, createMiniSearch, MINISEARCH_SETTINGS, type MiniSearchSetting } from "./search-peers.ts";
import { evaluate } from "./search-quality.ts";
import { createOurs, createWordsAlone, OURS, WORDS_ALONE, type SearchSystem } from "./search-systems.ts";

const OUR_CANDIDATE: Candidate = { name: OURS, create: createOurs, isSlow: false };
const WORDS: Candidate = { name: WORDS_ALONE, create: createWordsAlone, isSlow: false };
const FTS5: Candidate = { name: "SQLite FTS5", create: createFts5, isSlow: true };
const MINISEARCH = (Object.keys(MINISEARCH_SETTINGS) as MiniSearchSetting[]).map((setting): Candidate => ({
  name: `MiniSearch (${setting})`,
  create: () => createMiniSearch(setting),
  isSlow: true,
}));

export function systemNamed(name: string): () => SearchSystem {
  return [OUR_CANDIDATE, WORDS, FTS5, ...MINISEARCH].find((candidate) => candidate.name === name)!.create;
}

/** Enough to tell the settings apart; with fuzzy matching a long query takes a quarter of a second. */
const TRIAL_COUNT = 50;

/** How MiniSearch does with each setting, and the candidates with the better of them. */
export interface Choice {
  readonly tried: readonly { readonly name: string; readonly recall5: number }[];
  readonly candidates: readonly Candidate[];
}

/** By the mean recall@5 over a sample of every set alone. */
export function chooseCandidates(data: BenchData, extent: Extent): Choice {
  const tried = MINISEARCH.map((candidate) => {
    const recalls = data.sets.map((set) => {
      const { tools, folds, sample } = layGround(data, set, 0, {
        ...extent,
        sample: TRIAL_COUNT,
        sampledFrom: 0,
      });
      return evaluate(candidate.create, tools, set, sample ?? folds, [0]).get(0)!.recall5;
    });
    return { candidate, recall5: recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length };
  }).toSorted((one, other) => other.recall5 - one.recall5);
  return {
    tried: tried.map(({ candidate, recall5 }) => ({ name: candidate.name, recall5 })),
    candidates: [OUR_CANDIDATE, WORDS, FTS5, tried[0]!.candidate],
  };
}
