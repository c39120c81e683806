/**
 * Words that no tool has, mended by one edit: a letter too many, too few, wrong, or two that changed places. The first
 * letter is seldom the wrong one, so only terms that begin with it and are about as long are compared.
 */
import { wordsByTerm } from "./words.ts";
import type { SearchQuery, WeightedTerms } from "./search-query.ts";

/** A guess counts for less than a word that is there. */
const MENDED_WEIGHT = 0.7;
/** Shorter ones are next to some other word by chance; numbers and names with digits are what they are. */
const MENDABLE = /^[a-z]{5,24}$/;
/** More unknown words are a text in another language, or made up. */
const MENDED_MAX = 8;
const TERMS_MAX = 200;

/** The terms that there are, and in how many documents each is. */
interface Vocabulary {
  readonly countOf: (term: string) => number;
  /** Those that begin like this one and have so many letters. */
  readonly alike: (term: string, length: number) => readonly string[];
}

/** Made when the first word has to be mended, and again after a change. */
export function createVocabulary(terms: ReadonlyMap<string, { readonly length: number }>): Vocabulary & {
  readonly changed: () => void;
} {
  let known: Map<string, string[]> | undefined;
  const keyOf = (term: string, length: number): string => `${term[0]}${length}`;
  return {
    countOf: (term) => terms.get(term)?.length ?? 0,
    alike(term, length) {
      known ??= Map.groupBy(
        terms.keys().filter((one) => MENDABLE.test(one)),
        (one) => keyOf(one, one.length),
      );
      return known.get(keyOf(term, length)) ?? [];
    },
    changed: () => void (known = undefined),
  };
}

export function mendQuery(text: string, query: SearchQuery, vocabulary: Vocabulary): SearchQuery {
  const { countOf } = vocabulary;
  const unknown = [...query.whole]
    .filter(([term, weight]) => weight === 1 && MENDABLE.test(term) && countOf(term) === 0)
    .slice(0, MENDED_MAX);
  if (unknown.length === 0) return query;
  const written = wordsByTerm(text, TERMS_MAX);
  const mended = new Map(
    unknown.flatMap(([term]) => {
      const meant = mend(term, written.get(term) ?? term, vocabulary);
      return meant === undefined ? [] : [[term, meant] as const];
    }),
  );
  if (mended.size === 0) return query;
  return {
    whole: withMended(query.whole, mended),
    parts: query.parts.map((part) => withMended(part, mended)),
    mended: new Map([...mended].map(([term, meant]) => [meant, written.get(term) ?? term])),
  };
}

function withMended(terms: WeightedTerms, mended: ReadonlyMap<string, string>): WeightedTerms {
  const all = new Map(terms);
  for (const [term, meant] of mended) {
    if (terms.has(term)) all.set(meant, Math.max(all.get(meant) ?? 0, MENDED_WEIGHT));
  }
  return all;
}

/** The term that most documents have of those that are one edit away from the term or from the word behind it. */
function mend(term: string, word: string, { countOf, alike }: Vocabulary): string | undefined {
  let best: string | undefined;
  for (const one of word === term ? [term] : [term, word]) {
    for (const length of [one.length - 1, one.length, one.length + 1]) {
      for (const other of alike(one, length)) {
        if (isOneEdit(one, other) && countOf(other) > (best === undefined ? 0 : countOf(best))) best = other;
      }
    }
  }
  return best;
}

/** Whether two different words are one edit apart. */
function isOneEdit(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end--;
    otherEnd--;
  }
  const [left, otherLeft] = [one.slice(start, end), other.slice(start, otherEnd)];
  if (left.length <= 1 && otherLeft.length <= 1) return true;
  return left.length === 2 && otherLeft.length === 2 && left[0] === otherLeft[1] && left[1] === otherLeft[0];
}
