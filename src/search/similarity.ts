/**
 * What tools mean, beside the words that they have. Scores are mixed rather than ranks: how much better the best is
 * than the next says more than that it is first.
 */
import type { ToolDefinition } from "../core/tool.ts";

/** How near a tool is to what was asked, -1 to 1, by id; undefined if it is unknown. */
export interface SimilarityOf {
  (id: string): number | undefined;
  /** How much it counts beside the words, from 0 to 1, where it knows better. */
  readonly weight?: number;
  /** What has none of the words must be so near; else 0. */
  readonly nearMin?: number;
  /**
   * Numbers for all of these at once that are in about the same order; NaN where it is unknown. With it, only the best
   * by words and the nearest are looked at closely. The array is the caller's until the next call.
   */
  readonly roughlyOf?: (ids: readonly (string | undefined)[]) => Float64Array;
}

/** Says what tools mean. */
export interface Meanings {
  /**
   * The tools of a source are these now, by exposed name, and were used for these intents. The same definition means the
   * same text, of which the first line is the name, and the second the server.
   */
  put<T extends { readonly definition: ToolDefinition }>(
    source: string,
    tools: ReadonlyMap<string, T>,
    textOf: (tool: T) => string,
    intentsOf?: (id: string) => readonly string[],
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

/** Where only some are looked at closely: so many of the best by words, */
const LOOKED_AT_MAX = 100;
/** and so many that are roughly the nearest. */
const ROUGH_COUNT = 64;

/** What the words of a search have found, and how it is asked further. */
export interface Found {
  readonly slots: readonly number[];
  /** By slot; undefined where there is no document. */
  readonly ids: readonly (string | undefined)[];
  /** Their scores, by slot. */
  readonly words: Float64Array;
  readonly allows: ((id: string) => boolean) | undefined;
}

interface MixedScores {
  readonly slots: readonly number[];
  readonly scoreOf: (slot: number) => number;
  /** What one point for the words came to, and how many points there are for the meaning. */
  readonly sharesOf: (slot: number) => { readonly perWordPoint: number; readonly meaning: number };
}

/** Adds the nearest to what the words have found, and mixes the two scores. */
export function mixSimilarity(found: Found, similarityOf: SimilarityOf): MixedScores {
  const { slots, words } = found;
  const weight = similarityOf.weight ?? MEANING_WEIGHT;
  let highest = 0;
  for (const slot of slots) if (words[slot]! > highest) highest = words[slot]!;
  const { nearest, near } =
    similarityOf.roughlyOf === undefined
      ? compareAll(found, similarityOf)
      : compareSome(found, similarityOf, similarityOf.roughlyOf);
  const perPoint = highest === 0 ? 0 : 1 / highest;
  return {
    slots: [...slots, ...nearest.filter((slot) => words[slot] === 0)],
    sharesOf(slot) {
      const cosine = near[slot]!;
      // Of what has no vector yet only the words are known.
      return Number.isNaN(cosine)
        ? { perWordPoint: perPoint, meaning: 0 }
        : { perWordPoint: (1 - weight) * perPoint, meaning: weight * Math.max(0, cosine) };
    },
    scoreOf(slot) {
      const cosine = near[slot]!;
      const share = words[slot]! * perPoint;
      return Number.isNaN(cosine) ? share : (1 - weight) * share + weight * Math.max(0, cosine);
    },
  };
}

interface Compared {
  /** The nearest first. */
  readonly nearest: readonly number[];
  /** The cosine by slot, NaN where there is no vector. */
  readonly near: Float64Array;
}

function compareAll({ ids, allows }: Found, similarityOf: SimilarityOf): Compared {
  const near = Float64Array.from(ids, (id) => (id === undefined ? NaN : (similarityOf(id) ?? NaN)));
  const nearest = pickHighest(near, NEAREST_COUNT, (one) => allows?.(ids[one]!) !== false);
  return { nearest: withoutFar(nearest, near, 0), near };
}

/** What is neither among the best by words nor among the nearest comes after them, whatever it means. */
function compareSome(
  { slots, words, ids, allows }: Found,
  similarityOf: SimilarityOf,
  roughlyOf: NonNullable<SimilarityOf["roughlyOf"]>,
): Compared {
  const near = roughlyOf(ids);
  const roughest = pickHighest(near, ROUGH_COUNT, (one) => allows?.(ids[one]!) !== false);
  for (let slot = 0; slot < near.length; slot++) if (!Number.isNaN(near[slot]!)) near[slot] = 0;
  for (const slot of roughest) near[slot] = similarityOf(ids[slot]!) ?? NaN;
  const points = new Float64Array(slots.length);
  for (let at = 0; at < points.length; at++) points[at] = words[slots[at]!]!;
  for (const at of pickHighest(points, LOOKED_AT_MAX, () => true)) {
    const slot = slots[at]!;
    if (near[slot] === 0) near[slot] = similarityOf(ids[slot]!) ?? NaN;
  }
  const nearest = roughest.toSorted((a, b) => near[b]! - near[a]!).slice(0, NEAREST_COUNT);
  return { nearest: withoutFar(nearest, near, similarityOf.nearMin ?? 0), near };
}

function withoutFar(nearest: readonly number[], near: Float64Array, nearMin: number): number[] {
  const least = Math.max(nearMin, NEAREST_SHARE * near[nearest[0]!]!);
  return nearest.filter((slot) => near[slot]! > 0 && near[slot]! >= least);
}

/** Whether one is allowed is asked only of those that would be taken: it costs more than to compare two numbers. */
function pickHighest(numbers: Float64Array, countMax: number, allows: (at: number) => boolean): number[] {
  const highest: number[] = [];
  let least = 0;
  for (let one = 0; one < numbers.length; one++) {
    const number = numbers[one]!;
    if (!(number > least) || !allows(one)) continue;
    let at = highest.length;
    while (at > 0 && numbers[highest[at - 1]!]! < number) at--;
    highest.splice(at, 0, one);
    if (highest.length > countMax) highest.pop();
    if (highest.length === countMax) least = numbers[highest.at(-1)!]!;
  }
  return highest;
}
