/**
 * Search in memory: BM25F over documents of weighted fields.
 *
 * Lengths are normalised against fixed typical lengths rather than averages of the collection. So a posting's weight
 * never changes once it is made, documents come and go in groups (one for each server) at the cost of that group alone,
 * and no server can move another's ranking by what it writes about itself. Fields are cut, and a word counts for less
 * the longer its field is: stuffing does not pay.
 */
import { compareText } from "./listing.ts";
import { termsOf } from "./words.ts";

interface FieldRule {
  readonly weight: number;
  /** The number of terms that is neither rewarded nor punished. */
  readonly typicalLength: number;
  /** How much the length matters, from 0 to 1. */
  readonly lengthEffect: number;
  readonly termsMax: number;
}

/**
 * Weights as measured on ten labelled sets. Parameter text weighs little, or servers with rich schemas crowd out plain
 * ones.
 */
const FIELDS = {
  name: { weight: 1.7, typicalLength: 4, lengthEffect: 0.5, termsMax: 24 },
  server: { weight: 0.9, typicalLength: 2, lengthEffect: 0.5, termsMax: 16 },
  serverTitle: { weight: 0.56, typicalLength: 3, lengthEffect: 0.5, termsMax: 16 },
  serverDescription: { weight: 0.5, typicalLength: 15, lengthEffect: 0.7, termsMax: 200 },
  category: { weight: 0.8, typicalLength: 2, lengthEffect: 0.5, termsMax: 24 },
  description: { weight: 0.8, typicalLength: 15, lengthEffect: 0.7, termsMax: 400 },
  parameterNames: { weight: 0.4, typicalLength: 6, lengthEffect: 0.7, termsMax: 200 },
  parameterDescriptions: { weight: 0.1, typicalLength: 30, lengthEffect: 0.7, termsMax: 400 },
  enums: { weight: 0.15, typicalLength: 10, lengthEffect: 0.7, termsMax: 100 },
  /** What earlier successful runs wanted; more of it is more evidence, so its length matters little. */
  intents: { weight: 0.6, typicalLength: 40, lengthEffect: 0.3, termsMax: 600 },
} as const satisfies Record<string, FieldRule>;

/** Where the second and third occurrence of a word stop to matter. */
const K1 = 1.2;
/**
 * Further occurrences in one field only make it longer: without this, a word written 400 times outweighs any honest
 * text.
 */
const REPEATS_MAX = 3;
const QUERY_TERMS_MAX = 40;
const QUERY_LENGTH_MAX = 4000;

type SearchField = keyof typeof FIELDS;

export interface SearchDocument {
  /** Unique among all groups; ties are broken by it. */
  readonly id: string;
  readonly fields: Readonly<Partial<Record<SearchField, string>>>;
}

interface SearchHits {
  /** Best first. */
  readonly hits: readonly { readonly id: string; readonly score: number }[];
  /** How many match, beyond the limit too. */
  readonly total: number;
}

export interface SearchIndex {
  /** Puts a group's documents in place of those it had. */
  put(group: string, documents: readonly SearchDocument[]): void;
  remove(group: string): void;
  search(query: string, limit: number): SearchHits;
}

interface Posting {
  readonly slots: number[];
  readonly weights: number[];
}

interface Term {
  documentCount: number;
  readonly groups: Map<string, Posting>;
}

export function createSearchIndex(): SearchIndex {
  const terms = new Map<string, Term>();
  const groups = new Map<string, { readonly terms: readonly string[]; readonly slots: readonly number[] }>();
  const ids: (string | undefined)[] = [];
  const free: number[] = [];
  let scores = new Float64Array(1024);

  function remove(group: string): void {
    const kept = groups.get(group);
    if (kept === undefined) return;
    groups.delete(group);
    for (const word of kept.terms) {
      const term = terms.get(word)!;
      term.documentCount -= term.groups.get(group)!.slots.length;
      term.groups.delete(group);
      if (term.groups.size === 0) terms.delete(word);
    }
    for (const slot of kept.slots) {
      ids[slot] = undefined;
      free.push(slot);
    }
  }

  function put(group: string, documents: readonly SearchDocument[]): void {
    remove(group);
    const postings = new Map<string, Posting>();
    const slots = documents.map(({ id, fields }) => {
      const slot = free.pop() ?? ids.length;
      ids[slot] = id;
      for (const [word, weight] of weighTerms(fields)) addPosting(postings, word, slot, weight);
      return slot;
    });
    for (const [word, posting] of postings) addTerm(terms, group, word, posting);
    groups.set(group, { terms: [...postings.keys()], slots });
    if (scores.length < ids.length) scores = new Float64Array(ids.length * 2);
  }

  function search(query: string, limit: number): SearchHits {
    const touched: number[] = [];
    const documentCount = ids.length - free.length;
    for (const word of new Set(termsOf(query.slice(0, QUERY_LENGTH_MAX), QUERY_TERMS_MAX))) {
      const term = terms.get(word);
      if (term !== undefined) addScores(term, rarityOf(term, documentCount), scores, touched);
    }
    const hits = pickBest(touched, scores, ids, limit);
    for (const slot of touched) scores[slot] = 0;
    return { hits, total: touched.length };
  }

  return { put, remove, search };
}

/** The weight of every term of a document, saturated, so that a query only multiplies and adds. */
function weighTerms(fields: SearchDocument["fields"]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const field of Object.keys(fields) as SearchField[]) {
    const rule: FieldRule = FIELDS[field];
    const words = termsOf(fields[field] ?? "", rule.termsMax);
    const length = 1 - rule.lengthEffect + (rule.lengthEffect * words.length) / rule.typicalLength;
    for (const [word, count] of countWords(words)) {
      frequencies.set(word, (frequencies.get(word) ?? 0) + (rule.weight * count) / length);
    }
  }
  for (const [word, frequency] of frequencies)
    frequencies.set(word, (frequency * (K1 + 1)) / (frequency + K1));
  return frequencies;
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, Math.min(REPEATS_MAX, (counts.get(word) ?? 0) + 1));
  return counts;
}

function addPosting(postings: Map<string, Posting>, word: string, slot: number, weight: number): void {
  const posting = postings.get(word);
  if (posting === undefined) {
    postings.set(word, { slots: [slot], weights: [weight] });
    return;
  }
  posting.slots.push(slot);
  posting.weights.push(weight);
}

function addTerm(terms: Map<string, Term>, group: string, word: string, posting: Posting): void {
  let term = terms.get(word);
  if (term === undefined) terms.set(word, (term = { documentCount: 0, groups: new Map() }));
  term.documentCount += posting.slots.length;
  term.groups.set(group, posting);
}

function rarityOf(term: Term, documentCount: number): number {
  return Math.log(1 + (documentCount - term.documentCount + 0.5) / (term.documentCount + 0.5));
}

function addScores(term: Term, rarity: number, scores: Float64Array, touched: number[]): void {
  for (const { slots, weights } of term.groups.values()) {
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      if (scores[slot] === 0) touched.push(slot);
      scores[slot]! += rarity * weights[i]!;
    }
  }
}

/** The best of many without sorting them all: most are worse than the worst that is kept. */
function pickBest(
  touched: readonly number[],
  scores: Float64Array,
  ids: readonly (string | undefined)[],
  limit: number,
): { id: string; score: number }[] {
  const best: { id: string; score: number }[] = [];
  for (const slot of touched) {
    const score = scores[slot]!;
    const last = best.at(-1);
    if (best.length >= limit && (last === undefined || score < last.score)) continue;
    const hit = { id: ids[slot]!, score };
    let at = best.length;
    while (at > 0 && isBetter(hit, best[at - 1]!)) at--;
    if (at >= limit) continue;
    best.splice(at, 0, hit);
    if (best.length > limit) best.pop();
  }
  return best;
}

function isBetter(a: { id: string; score: number }, b: { id: string; score: number }): boolean {
  return a.score > b.score || (a.score === b.score && compareText(a.id, b.id) < 0);
}
