/**
 * A request in words, as the index wants it: the terms of the whole, and those of each part where it asks for several
 * things ("fetch the page and mail a summary").
 */
import { aliasesOf } from "./aliases.ts";
import { isFaint, tellingTermsOf, termsOf } from "./words.ts";

/** Terms with what each counts for. */
export type WeightedTerms = ReadonlyMap<string, number>;

export interface SearchQuery {
  readonly whole: WeightedTerms;
  /** Two or more, or none. */
  readonly parts: readonly WeightedTerms[];
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

/** After "and" or a comma, these begin something else to be done. */
const ACTIONS =
  "add analyze analyse archive ask assign attach backup book browse build buy calculate call cancel check clone close combine " +
  "commit compare compile compose compress compute convert copy count create crop delete deploy describe detect download draft " +
  "draw edit email encrypt estimate execute export extract fetch file filter find fix format forward generate get give group " +
  "import insert inspect install invite list load log look mail make measure merge message monitor move notify open optimize " +
  "order parse pay plan play plot post print publish pull push put query rank read record remind remove rename render reply " +
  "report resize retrieve return review run save schedule search send share show sort start stop store submit summarise " +
  "summarize sync tell test text track transcribe transform translate trigger tweet update upload validate verify visualize " +
  "watch write";

const SENTENCE_END = String.raw`(?<=[.!?])\s+|\s*[;\n]\s*`;
const CONNECTIVES = String.raw`,?\s+(?:and\s+|but\s+)?(?:then|also|after that|afterwards|additionally|furthermore|moreover|finally|lastly|next)\b,?\s+`;
const NEXT_ACTION = String.raw`(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?=(?:${ACTIONS.replaceAll(" ", "|")})\b)`;
const BETWEEN_PARTS = new RegExp(`${SENTENCE_END}|${CONNECTIVES}|${NEXT_ACTION}`, "i");

export function parseQuery(text: string): SearchQuery {
  const query = text.slice(0, QUERY_LENGTH_MAX);
  const parts = partsOf(query);
  return {
    whole: weigh(termsOf(query, TERMS_MAX)),
    parts: parts.length < 2 ? [] : parts.map(({ terms }) => weigh(terms)),
  };
}

/** The things that a text asks for, in its own words and as terms. */
export function partsOf(text: string): { readonly text: string; readonly terms: readonly string[] }[] {
  return text
    .slice(0, QUERY_LENGTH_MAX)
    .split(BETWEEN_PARTS, PARTS_MAX * 4)
    .map((part) => ({ text: part, terms: tellingTermsOf(part, PART_TERMS_MAX) }))
    .filter(({ terms }) => terms.some((term) => !isFaint(term)))
    .slice(0, PARTS_MAX);
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
