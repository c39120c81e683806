/** Which words and texts the sentence encoder is asked about. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { termsOf } from "../../src/search/words.ts";
import type { Source, TextPair } from "./sources.ts";

/** So many characters of a text; what comes later is detail. */
const LENGTH_MAX = 260;
const WORD_LENGTH_MAX = 24;
/** More say little that is new, and take long. */
const TEXTS_MAX = 30_000;

function cut(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, LENGTH_MAX);
}

/** Fewer, and nothing is learnt of its term. */
const WRITTEN_MIN = 3;

/** The word that each term is mostly written as: in the texts about tools, else in the language. */
export function wordsFor(pairs: readonly TextPair[], frequent: readonly string[]): string[] {
  const written = new Map<string, Map<string, number>>();
  const add = (word: string, count: number): void => {
    const term = termsOf(word, 2)[0]!;
    const words = written.get(term) ?? new Map<string, number>();
    words.set(word, (words.get(word) ?? 0) + count);
    written.set(term, words);
  };
  for (const { one, other } of pairs)
    for (const word of [...plainWords(one), ...plainWords(other)]) add(word, 1);
  const known = new Set<string>();
  for (const [rank, word] of frequent.entries()) {
    if (!FREQUENT.test(word)) continue;
    add(word, 1 / (rank + 1));
    known.add(termsOf(word, 2)[0]!);
  }
  return [...written].flatMap(([term, words]) => {
    const count = words.values().reduce((sum, one) => sum + one, 0);
    if (count < WRITTEN_MIN && !known.has(term)) return [];
    return [[...words].toSorted(([one, m], [other, n]) => n - m || (one < other ? -1 : 1))[0]![0]];
  });
}

const FREQUENT = /^[a-z]{2,24}$/;

function plainWords(text: string): string[] {
  const words =
    text
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z][a-z0-9]+/g) ?? [];
  return words.filter((word) => word.length <= WORD_LENGTH_MAX);
}

/** A fair sample of each source, the shares as the sources say. */
export function textsFor(folder: string, sources: readonly Source[]): string[] {
  const asked = sources.flatMap(({ path, taught }) => (taught === undefined ? [] : [{ path, ...taught }]));
  const all = asked.reduce((sum, { share }) => sum + share, 0);
  return [
    ...new Set(
      asked.flatMap(({ path, share, read }) =>
        sample(read(join(folder, path)).map(cut), Math.round((TEXTS_MAX * share) / all)),
      ),
    ),
  ];
}

/** By their hash: the same each time, and more texts do not change which are first. */
function sample(texts: readonly string[], count: number): string[] {
  const hash = (text: string) => createHash("sha1").update(text).digest().readUInt32LE(0);
  return [...new Set(texts)]
    .map((text) => [hash(text), text] as const)
    .toSorted(([one], [other]) => one - other)
    .slice(0, count)
    .map(([, text]) => text);
}
