/**
 * Words that no tool has, mended by one edit: a letter too many, too few, wrong, or two that changed places. Every
 * edit is made and looked up: some 500 look-ups for a word, and nothing has to be kept for it.
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
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

/** In how many documents a term is. */
type CountOf = (term: string) => number;

export function mendQuery(text: string, query: SearchQuery, countOf: CountOf): SearchQuery {
  const unknown = [...query.whole]
    .filter(([term, weight]) => weight === 1 && MENDABLE.test(term) && countOf(term) === 0)
    .slice(0, MENDED_MAX);
  if (unknown.length === 0) return query;
  const written = wordsByTerm(text, TERMS_MAX);
  const mended = new Map(
    unknown.flatMap(([term]) => {
      const meant = mend(term, written.get(term) ?? term, countOf);
      return meant === undefined ? [] : [[term, meant] as const];
    }),
  );
  if (mended.size === 0) return query;
  return {
    whole: withMended(query.whole, mended),
    parts: query.parts.map((part) => withMended(part, mended)),
  };
}

function withMended(terms: WeightedTerms, mended: ReadonlyMap<string, string>): WeightedTerms {
  const all = new Map(terms);
  for (const [term, meant] of mended) {
    if (terms.has(term)) all.set(meant, Math.max(all.get(meant) ?? 0, MENDED_WEIGHT));
  }
  return all;
}

/** The term that most documents have of those that one edit makes of the term or of the word behind it. */
function mend(term: string, word: string, countOf: CountOf): string | undefined {
  let best: { readonly term: string; readonly rank: number } | undefined;
  for (const edited of new Set([...editsOf(term), ...(word === term ? [] : editsOf(word))])) {
    const count = countOf(edited);
    if (count === 0) continue;
    // The first letter is seldom the wrong one.
    const rank = edited[0] === term[0] ? count + 1_000_000 : count;
    if (best === undefined || rank > best.rank) best = { term: edited, rank };
  }
  return best?.term;
}

function* editsOf(word: string): Generator<string> {
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    const rest = after.slice(1);
    if (after !== "") yield before + rest;
    if (rest !== "") yield before + rest[0]! + after[0]! + rest.slice(1);
    for (const letter of LETTERS) {
      yield before + letter + after;
      if (after !== "") yield before + letter + rest;
    }
  }
}
