/**
 * Search in memory: BM25F over documents of weighted fields.
 *
 * Lengths are normalised against fixed typical lengths rather than averages of the collection. So a posting's weight
 * never changes once it is made, documents come and go in groups (one for each server) at the cost of that group alone,
 * and no server can move another's ranking by what it writes about itself. Fields are cut, and a word counts for less
 * the longer its field is: stuffing does not pay.
 *
 * A request for several things is scored as a whole and part by part, each part against its own best, so that every
 * part has its tools near the top.
 */
import { compareText } from "../text/compare-text.ts";
import { weighTerms, type SearchDocument } from "./search-fields.ts";
import { spreadPoints, type Contribution, type TermPoints } from "./search-explanation.ts";
import { parseQuery, type SearchQuery, type WeightedTerms } from "./search-query.ts";
import { mixSimilarity, type SimilarityOf } from "./similarity.ts";
import { isFaint } from "./words.ts";

/** How much the parts of a request count beside the whole. */
const PARTS_WEIGHT = 0.6;
/**
 * How much a tool gains that is used all the time: enough to decide between equals, too little to win without the
 * words. The fewer of many tools were ever used, the more it says that one was: for each power of ten that they are
 * fewer, as much again.
 */
const USES_WEIGHT = 0.2;
const USES_WEIGHT_MAX = 0.6;
const USES_ENOUGH = 50;
/** A best hit that has less of what was asked for than this is hardly one. */
const COVERAGE_MIN = 0.3;

interface SearchHits {
  /** Best first. */
  readonly hits: readonly { readonly id: string; readonly score: number }[];
  /** How many match, beyond the limit too. */
  readonly total: number;
  /** Whether even the best has little of what was asked for. */
  readonly isFaint: boolean;
}

export interface SearchLimits {
  readonly limit: number;
  /** Only these, by id; without it, all. */
  readonly allows?: ((id: string) => boolean) | undefined;
  /** What documents mean is mixed in; without it, words alone decide. */
  readonly similarityOf?: SimilarityOf | undefined;
}

export interface SearchIndex {
  /** Puts a group's documents in place of those it had. */
  put(group: string, documents: readonly SearchDocument[]): void;
  remove(group: string): void;
  search(query: string, limits: SearchLimits): SearchHits;
  /**
   * What each of these hits has its score from, by id: which word in which field, what it means, how often it was used.
   * The limits are those of the search. The points of a hit add up to its score.
   */
  explain(
    query: string,
    documents: readonly SearchDocument[],
    limits: Omit<SearchLimits, "limit">,
  ): ReadonlyMap<string, readonly Contribution[]>;
}

export function createSearchIndex(): SearchIndex {
  const terms = new Map<string, Postings>();
  const groups = new Map<string, { readonly terms: readonly string[]; readonly slots: readonly number[] }>();
  const ids: (string | undefined)[] = [];
  const free: number[] = [];
  let pads = createPads(1024);
  /** How many documents were ever used. */
  let usedCount = 0;

  function remove(group: string): void {
    const kept = groups.get(group);
    if (kept === undefined) return;
    groups.delete(group);
    for (const slot of kept.slots) {
      ids[slot] = undefined;
      if (pads.uses[slot]! > 0) usedCount--;
      pads.uses[slot] = 0;
      free.push(slot);
    }
    for (const word of kept.terms) {
      const postings = terms.get(word)!;
      dropPostings(postings, (slot) => ids[slot] === undefined);
      if (postings.length === 0) terms.delete(word);
    }
  }

  function put(group: string, documents: readonly SearchDocument[]): void {
    remove(group);
    const words = new Set<string>();
    const slots = documents.map((document) => {
      const slot = free.pop() ?? ids.length;
      ids[slot] = document.id;
      if (slot >= pads.total.length) pads = growPads(pads, slot);
      pads.uses[slot] = shareOfUses(document.useCount);
      if (pads.uses[slot] > 0) usedCount++;
      for (const [word, weight] of weighTerms(document)) {
        words.add(word);
        addPosting(postingsOf(word), slot, weight);
      }
      return slot;
    });
    groups.set(group, { terms: [...words], slots });
  }

  function postingsOf(word: string): Postings {
    let postings = terms.get(word);
    if (postings === undefined) terms.set(word, (postings = []));
    return postings;
  }

  const rarityOf = ({ length: count }: Postings): number =>
    Math.log(1 + (ids.length - free.length - count + 0.5) / (count + 0.5));

  function usesWeight(): number {
    if (usedCount === 0) return 0;
    const fewness = Math.log10((ids.length - free.length) / usedCount);
    return Math.min(USES_WEIGHT_MAX, USES_WEIGHT * (1 + fewness));
  }

  /** Adds the scores of these terms, notes which documents got one, and returns the highest. */
  function score(asked: WeightedTerms, into: Float64Array, touched: number[]): number {
    let highest = 0;
    for (const [word, weight] of asked) {
      const postings = terms.get(word);
      if (postings === undefined) continue;
      highest = Math.max(highest, addScores(postings, weight * rarityOf(postings), into, touched));
    }
    return highest;
  }

  /** The best that a document is for any part, as a share of the best that there is for that part. */
  function scoreParts(parts: readonly WeightedTerms[]): void {
    for (const part of parts) {
      const touched: number[] = [];
      const highest = score(part, pads.part, touched);
      for (const slot of touched) {
        pads.best[slot] = Math.max(pads.best[slot]!, pads.part[slot]! / highest);
        pads.part[slot] = 0;
      }
    }
  }

  /** How much of what was asked for a document has, each word by how rare it is. */
  function coverageOf(slot: number, asked: WeightedTerms): number {
    let [had, wanted] = [0, 0];
    for (const [word, weight] of asked) {
      const postings = terms.get(word);
      if (weight < 1 || isFaint(word)) {
        // An alias of a word counts as much as the word.
        if (postings !== undefined && hasPosting(postings, slot)) had += rarityOf(postings);
        continue;
      }
      const rarity =
        postings === undefined ? Math.log(1 + 2 * (ids.length - free.length)) : rarityOf(postings);
      wanted += rarity;
      if (postings !== undefined && hasPosting(postings, slot)) had += rarity;
    }
    return wanted === 0 ? 1 : had / wanted;
  }

  /** Scores everything for one query, has it used, and wipes the pads. */
  function withScores<T>(
    text: string,
    { allows, similarityOf }: Omit<SearchLimits, "limit">,
    use: (scores: Scores) => T,
  ): T {
    const query = parseQuery(text);
    const { whole, parts } = query;
    const touched: number[] = [];
    const highest = score(whole, pads.total, touched);
    scoreParts(parts);
    let slots: readonly number[] = touched;
    if (allows !== undefined) slots = touched.filter((slot) => allows(ids[slot]!));
    const wordsOf = (slot: number): number =>
      parts.length === 0
        ? pads.total[slot]!
        : ((1 - PARTS_WEIGHT) * pads.total[slot]!) / highest + PARTS_WEIGHT * pads.best[slot]!;
    const found =
      similarityOf === undefined
        ? { slots, scoreOf: wordsOf, sharesOf: () => WORDS_ALONE }
        : mixSimilarity({ slots, ids, wordsOf, allows }, similarityOf);
    const weight = usesWeight();
    const usesOf = (slot: number): number => weight * pads.uses[slot]!;
    const scoreOf = (slot: number): number => found.scoreOf(slot) * (1 + usesOf(slot));
    const used = use({ query, highest, slots: found.slots, scoreOf, usesOf, sharesOf: found.sharesOf });
    for (const slot of touched) pads.total[slot] = pads.best[slot] = 0;
    return used;
  }

  function search(text: string, { limit, ...limits }: SearchLimits): SearchHits {
    return withScores(text, limits, ({ query: { whole, parts }, slots, scoreOf }) => {
      const best = pickBest(slots, scoreOf, ids, limit);
      return {
        hits: best.map(({ id, score: points }) => ({ id, score: points })),
        total: slots.length,
        isFaint: best.length > 0 && coverageOf(best[0]!.slot, parts[0] ?? whole) < COVERAGE_MIN,
      };
    });
  }

  /** What each term adds to the score of one document. */
  function pointsOf(asked: WeightedTerms, slot: number): TermPoints {
    return new Map(
      [...asked].flatMap(([word, weight]) => {
        const postings = terms.get(word);
        const posting = postings?.find((one) => slotOf(one) === slot);
        if (postings === undefined || posting === undefined) return [];
        return [[word, weight * rarityOf(postings) * STEP * (posting - slot * STEPS)] as const];
      }),
    );
  }

  /** The part of a request that a document is best for. */
  function bestPart(parts: readonly WeightedTerms[], slot: number): TermPoints {
    let best: { readonly share: number; readonly points: TermPoints } = { share: 0, points: new Map() };
    for (const part of parts) {
      const touched: number[] = [];
      const highest = score(part, pads.part, touched);
      const share = highest === 0 ? 0 : pads.part[slot]! / highest;
      for (const one of touched) pads.part[one] = 0;
      if (share <= best.share) continue;
      best = { share, points: scaled(pointsOf(part, slot), 1 / highest) };
    }
    return best.points;
  }

  const explain: SearchIndex["explain"] = (text, documents, limits) =>
    withScores(text, limits, ({ query: { whole, parts }, highest, usesOf, sharesOf }) => {
      const explained = documents.map((document): [string, readonly Contribution[]] => {
        const slot = ids.indexOf(document.id);
        if (slot === -1) return [document.id, []];
        const { perWordPoint, meaning } = sharesOf(slot);
        const inAll = pointsOf(whole, slot);
        const points =
          parts.length === 0
            ? inAll
            : added(scaled(inAll, (1 - PARTS_WEIGHT) / highest), scaled(bestPart(parts, slot), PARTS_WEIGHT));
        const words = scaled(points, perWordPoint);
        return [document.id, spreadPoints(text, document, { words, meaning, uses: usesOf(slot) })];
      });
      return new Map(explained);
    });

  return { put, remove, search, explain };
}

/** What a query has found, for as long as the pads hold it. */
interface Scores {
  readonly query: SearchQuery;
  /** The highest score for the whole query by words. */
  readonly highest: number;
  readonly slots: readonly number[];
  readonly scoreOf: (slot: number) => number;
  /** How much a document gains by having been used. */
  readonly usesOf: (slot: number) => number;
  readonly sharesOf: (slot: number) => { readonly perWordPoint: number; readonly meaning: number };
}

const WORDS_ALONE = { perWordPoint: 1, meaning: 0 };

function scaled(points: TermPoints, factor: number): TermPoints {
  return new Map([...points].map(([word, count]) => [word, count * factor]));
}

function added(one: TermPoints, other: TermPoints): TermPoints {
  const words = new Set([...one.keys(), ...other.keys()]);
  return new Map([...words].map((word) => [word, (one.get(word) ?? 0) + (other.get(word) ?? 0)]));
}

/** One place for each document, made once: a search only writes into them and wipes what it wrote. */
interface Pads {
  readonly total: Float64Array;
  readonly part: Float64Array;
  readonly best: Float64Array;
  /** How much each was used, from 0 to 1. It stays between searches. */
  readonly uses: Float32Array;
}

function createPads(length: number): Pads {
  const pad = () => new Float64Array(length);
  return { total: pad(), part: pad(), best: pad(), uses: new Float32Array(length) };
}

function growPads({ uses }: Pads, slot: number): Pads {
  const pads = createPads(slot * 2);
  pads.uses.set(uses);
  return pads;
}

function shareOfUses(useCount = 0): number {
  return Math.min(1, Math.log1p(useCount) / Math.log1p(USES_ENOUGH));
}

interface Hit {
  readonly id: string;
  readonly slot: number;
  readonly score: number;
}

/** The best of many without sorting them all: most are worse than the worst that is kept. */
function pickBest(
  found: readonly number[],
  scoreOf: (slot: number) => number,
  ids: readonly (string | undefined)[],
  limit: number,
): Hit[] {
  const best: Hit[] = [];
  for (const slot of found) {
    const score = scoreOf(slot);
    const last = best.at(-1);
    if (best.length >= limit && (last === undefined || score < last.score)) continue;
    const hit = { id: ids[slot]!, slot, score };
    let at = best.length;
    while (at > 0 && isBetter(hit, best[at - 1]!)) at--;
    if (at >= limit) continue;
    best.splice(at, 0, hit);
    if (best.length > limit) best.pop();
  }
  return best;
}

function isBetter(a: Hit, b: Hit): boolean {
  return a.score > b.score || (a.score === b.score && compareText(a.id, b.id) < 0);
}

/**
 * Which documents have a term, and with what weight. Slot and weight are one number: 20,000 tools have half a million
 * of them, and most terms are in one or two documents only, where an object or a typed array for each would be all that
 * is kept.
 */
type Postings = number[];

const STEPS = 2 ** 16;
/** Weights are saturated below this. */
const WEIGHT_MAX = 2.5;
const STEP = WEIGHT_MAX / STEPS;

function addPosting(postings: Postings, slot: number, weight: number): void {
  postings.push(slot * STEPS + Math.min(STEPS - 1, Math.round(weight / STEP)));
}

/** Drops the documents that are gone. */
function dropPostings(postings: Postings, isGone: (slot: number) => boolean): void {
  let kept = 0;
  for (const posting of postings) if (!isGone(slotOf(posting))) postings[kept++] = posting;
  postings.length = kept;
}

function hasPosting(postings: Postings, slot: number): boolean {
  return postings.some((posting) => slotOf(posting) === slot);
}

/** Adds a term's share to the scores, notes whose score it is the first of, and returns the highest. */
function addScores(postings: Postings, factor: number, into: Float64Array, touched: number[]): number {
  const factorOfStep = factor * STEP;
  let highest = 0;
  for (const posting of postings) {
    const slot = slotOf(posting);
    const before = into[slot]!;
    if (before === 0) touched.push(slot);
    const after = before + factorOfStep * (posting - slot * STEPS);
    into[slot] = after;
    if (after > highest) highest = after;
  }
  return highest;
}

function slotOf(posting: number): number {
  return Math.trunc(posting / STEPS);
}
