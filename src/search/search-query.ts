/**
 * A request in words, as the index wants it: the terms of the whole, and those of each part where it asks for several
 * things ("fetch the page and mail a summary").
 */
import { ACTIONS, beginsWithAction } from "./actions.ts";
import { aliasesOf } from "./aliases.ts";
import { withoutFrame } from "./frame.ts";
import { isFaint, tellingTermsOf, termsOf } from "./words.ts";

/** Terms with what each counts for. */
export type WeightedTerms = ReadonlyMap<string, number>;

export interface SearchQuery {
  readonly whole: WeightedTerms;
  /** Two or more, or none. */
  readonly parts: readonly WeightedTerms[];
  /** The words that no tool has, by the term that they are read as. */
  readonly mended?: ReadonlyMap<string, string>;
}

/** A whole page of text is no request; its beginning is looked at. */
const QUERY_LENGTH_MAX = 4000;
const TERMS_MAX = 200;
const PART_TERMS_MAX = 40;
/** More parts than anybody asks for in one breath. */
const PARTS_MAX = 8;

/** Measured: more, and a word is outweighed by what merely resembles it. */
const ALIAS_WEIGHT = 0.25;
export const FAINT_WEIGHT = 0.5;

const SENTENCE_END = String.raw`(?<=[.!?])\s+|\s*[;\n]\s*`;
const CONNECTIVES = String.raw`,?\s+(?:and\s+|but\s+)?(?:then|also|after that|afterwards|additionally|furthermore|moreover|finally|lastly|next)\b,?\s+`;
const NEXT_ACTION = String.raw`(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?=(?:${ACTIONS.join("|")})\b)`;
const BETWEEN_PARTS = new RegExp(`${SENTENCE_END}|${CONNECTIVES}|${NEXT_ACTION}`, "i");

const OR = /\bor\b/i;
const BETWEEN_ALTERNATIVES = /\s*,\s*(?:or\s+)?|\s+or\s+/i;
/** Longer ones are sentences. */
const ALTERNATIVE_WORDS_MAX = 3;

export function parseQuery(text: string): SearchQuery {
  const query = requestIn(text);
  const parts = partsOf(query);
  return {
    whole: weigh(termsOf(query, TERMS_MAX)),
    parts: parts.length < 2 ? [] : parts.map(({ terms }) => weigh(terms)),
  };
}

/** The things that a text asks for, in its own words and as terms. */
export function partsOf(text: string): { readonly text: string; readonly terms: readonly string[] }[] {
  return requestIn(text)
    .split(BETWEEN_PARTS, PARTS_MAX * 4)
    .flatMap(alternativesIn)
    .map((part) => ({ text: part, terms: tellingTermsOf(part, PART_TERMS_MAX) }))
    .filter(({ terms }) => terms.some((term) => !isFaint(term)))
    .slice(0, PARTS_MAX);
}

/** What is asked for, without what is only put around it. */
export function requestIn(text: string): string {
  return withoutFrame(text.slice(0, QUERY_LENGTH_MAX));
}

/** "grep or ripgrep or code search" are names for one thing; "delete a file or folder" is a sentence. */
function alternativesIn(part: string): readonly string[] {
  if (!OR.test(part)) return [part];
  const all = part.split(BETWEEN_ALTERNATIVES).filter((one) => one.trim() !== "");
  const areShort = all.every((one) => one.trim().split(/\s+/).length <= ALTERNATIVE_WORDS_MAX);
  const actions = all.filter(beginsWithAction);
  return areShort && (actions.length === 0 || actions.length === all.length) ? all : [part];
}

/** Each term once, however often it was said, and what may stand for it. */
function weigh(terms: readonly string[]): WeightedTerms {
  const weights = new Map(terms.map((term) => [term, isFaint(term) ? FAINT_WEIGHT : 1]));
  const aliases = [...weights].flatMap(([term, weight]) =>
    aliasesOf(term).map((alias) => [alias, weight * ALIAS_WEIGHT] as const),
  );
  for (const [alias, weight] of aliases) weights.set(alias, Math.max(weights.get(alias) ?? 0, weight));
  return weights;
}
