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
import { pickBest, scoreAtRank } from "./best-hits.ts";
import { coverageOf } from "./coverage.ts";
import { createLearnt } from "./learnt.ts";
import { createPads, growPads, shareOfUses } from "./pads.ts";
import { addScores, addTo, dropFrom, weightIn, type Postings } from "./postings.ts";
import { added, NO_POINTS, scaled, type RequestPoints } from "./request-points.ts";
import { weighTerms, type SearchDocument } from "./search-fields.ts";
import { spreadPoints, type Contribution, type TermPoints } from "./search-explanation.ts";
import { parseQuery, type SearchQuery, type WeightedTerms } from "./search-query.ts";
import { createVocabulary, mendQuery } from "./slip.ts";
import { mixSimilarity, type SimilarityOf } from "./similarity.ts";
import { createToolNames, namedFirst, type NamedFirst } from "./tool-names.ts";

/** How much the parts of a request count beside the whole. */
const PARTS_WEIGHT = 0.6;
/** How much a tool gains that is used all the time: it decides between equals, and buries nothing that was never used. */
const USES_WEIGHT = 0.02;
/** What the words of the tool of this rank come to, beside the best, says how well words tell the tools apart. */
const CROWD_RANK = 30;
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
  const learnt = createLearnt(rarity);
  const vocabulary = createVocabulary(terms);
  const names = createToolNames();

  function remove(group: string): void {
    const kept = groups.get(group);
    if (kept === undefined) return;
    groups.delete(group);
    vocabulary.changed();
    for (const slot of kept.slots) {
      ids[slot] = undefined;
      pads.uses[slot] = 0;
      free.push(slot);
    }
    learnt.remove(kept.slots);
    names.remove(kept.slots);
    dropFrom(terms, kept.terms, (slot) => ids[slot] === undefined);
  }

  function put(group: string, documents: readonly SearchDocument[]): void {
    remove(group);
    vocabulary.changed();
    const words = new Set<string>();
    const slots = documents.map((document) => {
      const slot = free.pop() ?? ids.length;
      ids[slot] = document.id;
      if (slot >= pads.total.length) pads = growPads(pads, slot);
      pads.uses[slot] = shareOfUses(document.useCount);
      for (const [word, weight] of weighTerms(document)) {
        words.add(word);
        addTo(terms, word, slot, weight);
      }
      learnt.put(slot, document);
      names.put(slot, document.id, document.fields.name ?? document.id);
      return slot;
    });
    groups.set(group, { terms: [...words], slots });
  }

  const documentCount = (): number => ids.length - free.length;
  const rarityOf = (postings: Postings | undefined): number => rarity(postings?.length ?? 0, documentCount());

  function learntWeight(touched: readonly number[], highest: number, partCount: number): number {
    const crowd = highest === 0 ? 1 : scoreAtRank(touched, pads.total, CROWD_RANK) / highest;
    return learnt.weight(crowd, documentCount(), partCount > 0);
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

  /** Adds what was learnt, and returns the highest score. */
  function scoreLearnt(asked: WeightedTerms, weight: number, into: Float64Array, touched: number[]): number {
    const near = learnt.closeness(asked, (term) => rarityOf(terms.get(term)), pads.near);
    let highest = 0;
    for (const [word, share] of asked) {
      const postings = learnt.gains(word);
      if (postings === undefined) continue;
      const factor = weight * share * rarityOf(terms.get(word));
      highest = Math.max(highest, addScores(postings, factor, into, touched, pads.near));
    }
    for (const slot of near) pads.near[slot] = 0;
    return highest;
  }

  function scorePart(part: WeightedTerms, weight: number): { touched: number[]; highest: number } {
    const touched: number[] = [];
    const defined = score(part, pads.part, touched);
    return { touched, highest: Math.max(defined, scoreLearnt(part, weight, pads.part, touched)) };
  }

  /** The best that a document is for any part, as a share of the best that there is for that part. */
  function scoreParts(parts: readonly WeightedTerms[], weight: number): void {
    for (const part of parts) {
      const { touched, highest } = scorePart(part, weight);
      for (const slot of touched) {
        pads.best[slot] = Math.max(pads.best[slot]!, pads.part[slot]! / highest);
        pads.part[slot] = 0;
      }
    }
  }

  function has(slot: number, word: string): boolean {
    return weightIn(terms.get(word), slot) > 0 || weightIn(learnt.gains(word), slot) > 0;
  }

  function isCovered(slot: number, asked: WeightedTerms): boolean {
    const covered = coverageOf(
      asked,
      (word) => has(slot, word),
      (word) => rarityOf(terms.get(word)),
    );
    return covered >= COVERAGE_MIN;
  }

  /** Scores everything for one query, has it used, and wipes the pads. */
  function withScores<T>(
    text: string,
    { allows, similarityOf }: Omit<SearchLimits, "limit">,
    use: (scores: Scores) => T,
  ): T {
    const query = mendQuery(text, parseQuery(text), vocabulary);
    const { whole, parts } = query;
    const touched: number[] = [];
    const highestDefined = score(whole, pads.total, touched);
    const weight = learntWeight(touched, highestDefined, parts.length);
    const highest = Math.max(highestDefined, scoreLearnt(whole, weight, pads.total, touched));
    scoreParts(parts, weight);
    let slots: readonly number[] = touched;
    if (allows !== undefined) slots = touched.filter((slot) => allows(ids[slot]!));
    const { total, best, words } = pads;
    for (const slot of touched)
      words[slot] =
        parts.length === 0
          ? total[slot]!
          : ((1 - PARTS_WEIGHT) * total[slot]!) / highest + PARTS_WEIGHT * best[slot]!;
    const found =
      similarityOf === undefined
        ? { slots, scoreOf: (slot: number) => words[slot]!, sharesOf: () => WORDS_ALONE }
        : mixSimilarity({ slots, ids, words, allows }, similarityOf);
    const usesOf = (slot: number): number => USES_WEIGHT * pads.uses[slot]!;
    const unnamed = (slot: number): number => found.scoreOf(slot) * (1 + usesOf(slot));
    const named = [...names.namedIn(text, ids)].filter((slot) => allows?.(ids[slot]!) !== false);
    const first = namedFirst(named, found.slots, unnamed);
    const used = use({ query, highest, weight, usesOf, sharesOf: found.sharesOf, ...first });
    for (const slot of touched) total[slot] = best[slot] = words[slot] = 0;
    return used;
  }

  function search(text: string, { limit, ...limits }: SearchLimits): SearchHits {
    return withScores(text, limits, ({ query: { whole, parts }, slots, scoreOf, gainOf }) => {
      const best = pickBest(slots, scoreOf, ids, limit);
      return {
        hits: best.map(({ id, score: points }) => ({ id, score: points })),
        total: slots.length,
        isFaint:
          best.length > 0 && gainOf(best[0]!.slot) === 0 && !isCovered(best[0]!.slot, parts[0] ?? whole),
      };
    });
  }

  /** What each term adds to the score of one document. */
  function pointsOf(asked: WeightedTerms, slot: number, weight: number): RequestPoints {
    const near = learnt.closeness(asked, (term) => rarityOf(terms.get(term)), pads.near);
    const gained = weight * pads.near[slot]!;
    for (const one of near) pads.near[one] = 0;
    const pointsBy = (weightOf: (word: string) => number): TermPoints =>
      new Map(
        [...asked].flatMap(([word, share]) => {
          const points = share * rarityOf(terms.get(word)) * weightOf(word);
          return points > 0 ? [[word, points] as const] : [];
        }),
      );
    return {
      words: pointsBy((word) => weightIn(terms.get(word), slot)),
      learnt: pointsBy((word) => gained * weightIn(learnt.gains(word), slot)),
    };
  }

  /** The part of a request that a document is best for. */
  function bestPart(parts: readonly WeightedTerms[], slot: number, weight: number): RequestPoints {
    let best = { share: 0, points: NO_POINTS };
    for (const part of parts) {
      const { touched, highest } = scorePart(part, weight);
      const share = pads.part[slot]! / highest;
      for (const one of touched) pads.part[one] = 0;
      if (share > best.share) best = { share, points: scaled(pointsOf(part, slot, weight), 1 / highest) };
    }
    return best.points;
  }

  const explain: SearchIndex["explain"] = (text, documents, limits) =>
    withScores(
      text,
      limits,
      ({ query: { whole, parts, mended }, highest, weight, usesOf, sharesOf, gainOf }) => {
        const explained = documents.map((document): [string, readonly Contribution[]] => {
          const slot = ids.indexOf(document.id);
          if (slot === -1) return [document.id, []];
          const { perWordPoint, meaning } = sharesOf(slot);
          const inAll = pointsOf(whole, slot, weight);
          const points =
            parts.length === 0
              ? inAll
              : added(
                  scaled(inAll, (1 - PARTS_WEIGHT) / highest),
                  scaled(bestPart(parts, slot, weight), PARTS_WEIGHT),
                );
          const others = { meaning, uses: usesOf(slot), named: gainOf(slot) };
          return [
            document.id,
            spreadPoints(text, document, { ...scaled(points, perWordPoint), ...others }, mended),
          ];
        });
        return new Map(explained);
      },
    );

  return { put, remove, search, explain };
}

/** What a query has found, for as long as the pads hold it. */
interface Scores extends NamedFirst {
  readonly query: SearchQuery;
  /** The highest score for the whole query by words. */
  readonly highest: number;
  /** How much what was learnt counts. */
  readonly weight: number;
  /** How much a document gains by having been used. */
  readonly usesOf: (slot: number) => number;
  readonly sharesOf: (slot: number) => { readonly perWordPoint: number; readonly meaning: number };
}

const WORDS_ALONE = { perWordPoint: 1, meaning: 0 };

/** How much a term says that so many of all documents have. */
function rarity(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}
