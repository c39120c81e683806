/** Which concepts a word has, in each language. Built once; a look-up takes a bounded number of steps. */
import { EAST_ASIAN_LISTS, WORD_LISTS, type Concept } from "./concepts.ts";
import { foldWord } from "./folding.ts";

/** The concepts of a word by language, at the place of its list. */
export type Meaning = readonly (readonly Concept[])[];

export const ENGLISH = 0;
/** The language after the last list of words. */
export const EAST_ASIAN = WORD_LISTS.length;
export const LANGUAGE_COUNT = EAST_ASIAN + 1;

/** A shorter beginning is shared by too many words. */
const STEM_LENGTH_MIN = 3;
const STEM_LENGTH_MAX = 16;
/** The longest phrase of the lists, in words. */
export const PHRASE_LENGTH_MAX = 5;
const EAST_ASIAN_LENGTH_MAX = 10;

interface Phrase {
  readonly rest: readonly string[];
  readonly meaning: Meaning;
}

const words = new Map<string, Concept[][]>();
const stems = new Map<string, Concept[][]>();
const phrases = new Map<string, Phrase[]>();
const eastAsian = new Map<string, Concept[][]>();

function note(map: Map<string, Concept[][]>, key: string, language: number, concept: Concept): void {
  const meaning = map.get(key) ?? Array.from({ length: LANGUAGE_COUNT }, () => []);
  meaning[language]!.push(concept);
  map.set(key, meaning);
}

function notePhrase(parts: readonly string[], language: number, concept: Concept): void {
  const [head, ...rest] = parts as [string, ...string[]];
  const meaning = Array.from({ length: LANGUAGE_COUNT }, (_, at) => (at === language ? [concept] : []));
  phrases.set(head, [...(phrases.get(head) ?? []), { rest, meaning }]);
}

for (const [language, lists] of WORD_LISTS.entries()) {
  for (const [concept, list] of Object.entries(lists) as [Concept, string][]) {
    for (const entry of list.split(" ")) {
      const parts = entry.split("_").map(foldWord);
      if (parts.length > 1) notePhrase(parts, language, concept);
      else if (entry.endsWith("*")) note(stems, parts[0]!.slice(0, -1), language, concept);
      else note(words, parts[0]!, language, concept);
    }
  }
}
for (const [concept, list] of Object.entries(EAST_ASIAN_LISTS) as [Concept, string][])
  for (const entry of list.split(" ")) note(eastAsian, foldWord(entry), EAST_ASIAN, concept);

/** What a folded word means; undefined where it says nothing to the scanner. */
export function meaningOf(word: string): Meaning | undefined {
  const exact = words.get(word) ?? (word.endsWith("'s") ? words.get(word.slice(0, -2)) : undefined);
  let stem: Meaning | undefined;
  for (let length = Math.min(word.length, STEM_LENGTH_MAX); length >= STEM_LENGTH_MIN; length--) {
    stem = stems.get(word.slice(0, length));
    if (stem !== undefined) break;
  }
  return exact === undefined ? stem : stem === undefined ? exact : join(exact, stem);
}

function join(one: Meaning, other: Meaning): Meaning {
  return one.map((concepts, language) => [...concepts, ...other[language]!]);
}

/** Meanings of the phrases that begin at a word, by the folded words that follow it. */
export function phrasesAt(word: string, next: (offset: number) => string | undefined): Meaning[] {
  const starting = phrases.get(word);
  if (starting === undefined) return [];
  return starting
    .filter(({ rest }) => rest.every((part, at) => fits(part, next(at + 1))))
    .map((p) => p.meaning);
}

function fits(part: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  return part.endsWith("*") ? word.startsWith(part.slice(0, -1)) : word === part;
}

/** The longest East Asian word of the lists at a place of a text. */
export function eastAsianAt(
  text: string,
  at: number,
): { readonly length: number; readonly meaning: Meaning } | undefined {
  for (let length = Math.min(EAST_ASIAN_LENGTH_MAX, text.length - at); length > 0; length--) {
    const meaning = eastAsian.get(text.slice(at, at + length));
    if (meaning !== undefined) return { length, meaning };
  }
  return undefined;
}

/** Whether the lists have the word as it is, for finding words in letters that run together. */
export function isListed(word: string): boolean {
  return words.has(word);
}

/** Short words that hold a sentence together. */
const COMMON: ReadonlySet<string> = new Set("the and to of about your any is are in on for with".split(" "));

export function isCommon(word: string): boolean {
  return COMMON.has(word);
}
