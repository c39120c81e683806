/**
 * What tools mean, beside the words that they have. Scores are mixed rather than ranks: how much better the best is
 * than the next says more than that it is first.
 */
import type { ToolDefinition } from "../core/tool.ts";

/** How near a tool is to what was asked, -1 to 1, by id; undefined if it is unknown. */
export type SimilarityOf = (id: string) => number | undefined;

/** Says what tools mean. */
export interface Meanings {
  /** The tools of a source are these now, by exposed name. The same definition means the same text. */
  put<T extends { readonly definition: ToolDefinition }>(
    source: string,
    tools: ReadonlyMap<string, T>,
    textOf: (tool: T) => string,
  ): void;
  /** Undefined where it cannot be said soon enough. */
  nearTo(query: string): Promise<SimilarityOf | undefined>;
}

/** How much the meaning counts beside the words. */
const MEANING_WEIGHT = 0.3;
/** Tools without any of the words are looked at as well, so many. */
const NEAREST_COUNT = 50;
/** And only while they are so near, compared with the nearest: to some models nothing is far from anything. */
const NEAREST_SHARE = 0.6;

/** What the words of a search have found, and how it is asked further. */
export interface Found {
  readonly slots: readonly number[];
  /** By slot; undefined where there is no document. */
  readonly ids: readonly (string | undefined)[];
  readonly wordsOf: (slot: number) => number;
  readonly allows: ((id: string) => boolean) | undefined;
}

interface MixedScores {
  readonly slots: readonly number[];
  readonly scoreOf: (slot: number) => number;
  /** What one point for the words came to, and how many points there are for the meaning. */
  readonly sharesOf: (slot: number) => { readonly perWordPoint: number; readonly meaning: number };
}

/** Adds the nearest to what the words have found, and mixes the two scores. */
export function mixSimilarity(
  { slots, ids, wordsOf, allows }: Found,
  similarityOf: SimilarityOf,
): MixedScores {
  const near = Float64Array.from(ids, (id) => (id === undefined ? NaN : (similarityOf(id) ?? NaN)));
  const highest = slots.reduce((most, slot) => Math.max(most, wordsOf(slot)), 0);
  const all = new Set(slots);
  for (const slot of pickNearest(near, (one) => allows?.(ids[one]!) !== false)) all.add(slot);
  const sharesOf: MixedScores["sharesOf"] = (slot) => {
    const perPoint = highest === 0 ? 0 : 1 / highest;
    const cosine = near[slot]!;
    // Of what has no vector yet only the words are known.
    return Number.isNaN(cosine)
      ? { perWordPoint: perPoint, meaning: 0 }
      : { perWordPoint: (1 - MEANING_WEIGHT) * perPoint, meaning: MEANING_WEIGHT * Math.max(0, cosine) };
  };
  return {
    slots: [...all],
    sharesOf,
    scoreOf(slot) {
      const words = highest === 0 ? 0 : wordsOf(slot) / highest;
      const cosine = near[slot]!;
      return Number.isNaN(cosine)
        ? words
        : (1 - MEANING_WEIGHT) * words + MEANING_WEIGHT * Math.max(0, cosine);
    },
  };
}

/** Whether one is allowed is asked only of those that would be taken: it costs more than to compare two numbers. */
function pickNearest(near: Float64Array, allows: (slot: number) => boolean): number[] {
  const nearest: number[] = [];
  for (const [slot, cosine] of near.entries()) {
    const isFull = nearest.length === NEAREST_COUNT;
    if (!(cosine > (isFull ? near[nearest.at(-1)!]! : 0)) || !allows(slot)) continue;
    let at = nearest.length;
    while (at > 0 && near[nearest[at - 1]!]! < cosine) at--;
    nearest.splice(at, 0, slot);
    if (isFull) nearest.pop();
  }
  return nearest.filter((slot) => near[slot]! >= NEAREST_SHARE * near[nearest[0]!]!);
}
