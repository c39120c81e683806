/** Why a hit is where it is: its score, spread over the words of the query and the fields that have them. */
import { fieldShares, type SearchDocument, type SearchField } from "./search-fields.ts";
import { wordsByTerm } from "./words.ts";

/** Where a person looks for a word. */
type FoundIn =
  | "name"
  | "description"
  | "parameters"
  | "server"
  | "learnt from runs"
  | "meaning"
  | "use"
  | "exact name";

/** A part of the score of a hit. */
export interface Contribution {
  /**
   * As the query has it, with what it was read as where no tool has it: "wether (weather)"; or what was looked for in
   * its place; empty where no word is behind it.
   */
  readonly word: string;
  readonly where: FoundIn;
  readonly points: number;
}

/** What each term of a query adds to a score. */
export type TermPoints = ReadonlyMap<string, number>;

/** The parts that a score is made of. */
export interface Points {
  readonly words: TermPoints;
  /** What its intents add for each term. */
  readonly learnt: TermPoints;
  readonly meaning: number;
  /** What is gained on top of both, as a share of them, by having been used. */
  readonly uses: number;
  /** What is gained by being named in the query. */
  readonly named: number;
}

const PLACES: Readonly<Record<SearchField, FoundIn>> = {
  name: "name",
  title: "name",
  server: "server",
  serverTitle: "server",
  serverDescription: "server",
  category: "description",
  description: "description",
  parameterNames: "parameters",
  parameterDescriptions: "parameters",
  enums: "parameters",
};

/** More than any query has terms. */
const WORDS_MAX = 200;
/** The words of a whole document. */
const SPELT_WORDS_MAX = 2000;

/** The greatest first; together they are the score. */
export function spreadPoints(
  query: string,
  document: SearchDocument,
  { words, learnt, meaning, uses, named }: Points,
  mended?: ReadonlyMap<string, string>,
): Contribution[] {
  const written = wordsByTerm(query, WORDS_MAX);
  const wordOf = (term: string): string => {
    const slip = mended?.get(term);
    return written.get(term) ?? (slip === undefined ? term : `${slip} (${spelt(document, term)})`);
  };
  const found = [...words].flatMap(([term, points]) =>
    [...placesOf(document, term)].map(([where, share]): Contribution => {
      return { word: wordOf(term), where, points: points * share };
    }),
  );
  const fromRuns = [...learnt].map(([term, points]): Contribution => {
    return { word: wordOf(term), where: "learnt from runs", points };
  });
  const base = meaning + sumOf(words) + sumOf(learnt);
  const others: readonly Contribution[] = [
    { word: "", where: "meaning", points: meaning },
    { word: "", where: "use", points: base * uses },
    { word: "", where: "exact name", points: named },
  ];
  return [...found, ...fromRuns, ...others]
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points);
}

/** A term as the document has it. */
function spelt({ fields }: SearchDocument, term: string): string {
  return wordsByTerm(Object.values(fields).join(" "), SPELT_WORDS_MAX).get(term) ?? term;
}

function sumOf(points: TermPoints): number {
  return points.values().reduce((sum, count) => sum + count, 0);
}

/** Several fields are one place to a person. */
function placesOf(document: SearchDocument, term: string): Map<FoundIn, number> {
  const places = new Map<FoundIn, number>();
  for (const [field, share] of fieldShares(document, term)) {
    places.set(PLACES[field], (places.get(PLACES[field]) ?? 0) + share);
  }
  return places;
}
