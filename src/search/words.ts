/** Text into terms: what a query and a document must agree on. */
import { stemOf } from "./stem.ts";

/** Words that carry no meaning in a request, and the filler around one ("please help me, I want to …"). */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the this that these those it its is are was were be been being am do does did done has have had having will would shall " +
    "should can could may might must and or but if then else so than as at by for from in into of off on onto out over to up with " +
    "about any some all both each such there here what which who whom whose when where why how i me my mine we us our you your he " +
    "him his she her they them their not no nor only own same too very just also please want wants wanted need needs needed like " +
    "help helps let lets know tell give show make get got could kindly thank thanks hi hello hey im id ive ill using via etc"
  ).split(" "),
);

/**
 * Words that most requests have and few tools are about: "provide specific information about the latest …". They count,
 * but for less than those that say what is wanted.
 */
const FAINT_WORDS =
  "provide specific specifically information detail detailed including include current currently assist assistance recommend " +
  "recommendation suggest suggestion latest interested interest interesting various comprehensive relevant available effective " +
  "effectively best good great new top high more most other one well way within potential look looking use used user possible " +
  "option right now today recent recently popular different related particular based tool plan planning love wonder curious " +
  "understand idea tips advice access perfect certain able trying try come go going take think see keep data work";

const ASCII_PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const PARTS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lm}\p{Lt}]+|\p{N}+/gu;
const ASCII_RUNS = /[A-Za-z0-9]+/g;
const RUNS = /[\p{L}\p{N}]+/gu;
const ASCII = /^[\u0000-\u007f]*$/;
const MARKS = /\p{M}+/gu;
const IDEOGRAPHS = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;

/** What an apostrophe cuts off says nothing: "I'm", "can't", "Amazon's". */
const CONTRACTIONS = /['’](?:s|m|t|re|ve|ll|d)(?![\p{L}\p{N}])/giu;

/** A longer run of letters is no word that anybody searches for. */
const WORD_LENGTH_MAX = 40;

/** Stems are asked for again and again; the words of 20,000 tools are some 30,000. */
const STEMS_KEPT_MAX = 50_000;
const stems = new Map<string, string>();

/**
 * The terms of a text, at most that many. camelCase, snake_case and digits are split, and a word that was split inside
 * counts as a whole too, so that "GitHub" is found by "github" and by "hub". Stop words are gone, unless nothing else
 * is there.
 */
export function termsOf(text: string, countMax: number): string[] {
  const words = wordsOf(text, countMax);
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return (telling.length === 0 ? words : telling).map(cachedStem);
}

/** The words of a text as they were written, by the term that each became. */
export function wordsByTerm(text: string, countMax: number): Map<string, string> {
  const words = wordsOf(text, countMax).toReversed();
  return new Map(words.map((word) => [cachedStem(word), word]));
}

/** Whether a term says little about what is wanted. */
export function isFaint(term: string): boolean {
  return FAINT.has(term);
}

const FAINT: ReadonlySet<string> = new Set(FAINT_WORDS.split(" ").map(stemOf));

/** The terms that say something; none for "please help me". */
export function tellingTermsOf(text: string, countMax: number): string[] {
  return wordsOf(text, countMax)
    .filter((word) => !STOP_WORDS.has(word))
    .map(cachedStem);
}

function wordsOf(written: string, countMax: number): string[] {
  const text = written.replace(CONTRACTIONS, "");
  const ascii = ASCII.test(text);
  const plain = ascii ? text : text.normalize("NFD").replace(MARKS, "").normalize("NFC");
  const words: string[] = [];
  for (const [run] of plain.matchAll(ascii ? ASCII_RUNS : RUNS)) {
    if (words.length >= countMax) break;
    const parts = run.match(ascii ? ASCII_PARTS : PARTS) ?? [];
    for (const part of parts) words.push(part.toLowerCase().slice(0, WORD_LENGTH_MAX));
    if (!ascii) words.push(...pairsOf(parts));
    const joined = parts.length > 1 && run.length <= WORD_LENGTH_MAX && (ascii || !IDEOGRAPHS.test(run));
    if (joined) words.push(run.toLowerCase());
  }
  return words.slice(0, countMax);
}

/** Scripts without spaces have no words to split at: a character alone says little, two next to one another much. */
function pairsOf(parts: readonly string[]): string[] {
  const pairs: string[] = [];
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1];
    if (next !== undefined && IDEOGRAPHS.test(part) && IDEOGRAPHS.test(next)) pairs.push(part + next);
  }
  return pairs;
}

function cachedStem(word: string): string {
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = stemOf(word);
    if (stems.size >= STEMS_KEPT_MAX) stems.clear();
    stems.set(word, stem);
  }
  return stem;
}
