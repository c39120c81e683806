/** One sentence in one language: where its concepts are, and whether it says something or only speaks of it. */
import type { Concept } from "./concepts.ts";
import { ENGLISH, LANGUAGE_COUNT } from "./lexicon.ts";
import type { Sentence, SentenceToken } from "./sentences.ts";

export interface SentenceView {
  readonly sentence: Sentence;
  readonly tokens: readonly SentenceToken[];
  readonly language: number;
  /** The places of a concept, in their order. */
  all(concept: Concept): readonly number[];
  has(concept: Concept): boolean;
  concepts(): Iterable<Concept>;
  is(at: number, ...concepts: readonly Concept[]): boolean;
  /** The first place of any of the concepts from `from` up to `to`; -1 where there is none. */
  find(from: number, to: number, ...concepts: readonly Concept[]): number;
  /** Whether a comma, colon or bracket is between two places. */
  isCut(from: number, to: number): boolean;
}

const NONE: readonly number[] = [];
/** With fewer words that a language knows, or with more English ones, a sentence is not in it. */
const KNOWN_WORDS_MIN = 2;

/** The sentence in every language in which it may say something. */
export function viewsOf(sentence: Sentence): SentenceView[] {
  const places = Array.from({ length: LANGUAGE_COUNT }, () => new Map<Concept, number[]>());
  const known = Array.from({ length: LANGUAGE_COUNT }, () => 0);
  for (let at = 0; at < sentence.tokens.length; at++) {
    const { meanings } = sentence.tokens[at]!;
    for (let language = 0; meanings.length > 0 && language < LANGUAGE_COUNT; language++) {
      let isKnown = false;
      for (const meaning of meanings) {
        for (const concept of meaning[language]!) notePlace(places[language]!, concept, at);
        isKnown ||= meaning[language]!.length > 0;
      }
      if (isKnown) known[language]!++;
    }
  }
  return places.flatMap((map, language) =>
    language === ENGLISH || (known[language]! >= KNOWN_WORDS_MIN && known[language]! > known[ENGLISH]!)
      ? [createView(sentence, language, map)]
      : [],
  );
}

function notePlace(places: Map<Concept, number[]>, concept: Concept, at: number): void {
  const known = places.get(concept);
  if (known === undefined) places.set(concept, [at]);
  else if (known.at(-1) !== at) known.push(at);
}

function createView(
  sentence: Sentence,
  language: number,
  places: ReadonlyMap<Concept, readonly number[]>,
): SentenceView {
  const { tokens } = sentence;
  const all = (concept: Concept) => places.get(concept) ?? NONE;
  return {
    sentence,
    tokens,
    language,
    all,
    has: (concept) => places.has(concept),
    concepts: () => places.keys(),
    is: (at, ...concepts) => concepts.some((concept) => all(concept).includes(at)),
    find(from, to, ...concepts) {
      let first = -1;
      for (const concept of concepts) {
        const at = all(concept).find((place) => place >= from && place <= to);
        if (at !== undefined && (first < 0 || at < first)) first = at;
      }
      return first;
    },
    isCut(from, to) {
      const [start, end] = from < to ? [from, to] : [to, from];
      return tokens.slice(start, end).some(({ kind }) => kind === "clause" || kind === "colon");
    },
  };
}
