/**
 * Sentences of a text, and what in them is only quoted. A text about attacks quotes them; an attack says them.
 */
import { PHRASE_LENGTH_MAX, phrasesAt, type Meaning } from "./lexicon.ts";
import type { Token } from "./text-tokens.ts";

export interface Sentence {
  readonly tokens: readonly SentenceToken[];
  /** An item of a list, or what follows a colon at the end of a line. */
  readonly isItem: boolean;
  /** The sentence that introduces it with a colon, itself or as an item of a list. */
  readonly intro: Sentence | undefined;
}

export interface SentenceToken extends Token {
  /** All that it means, with the phrases that begin here. */
  readonly meanings: readonly Meaning[];
  /** The quotation that it is in; 0 outside of all. */
  readonly quote: number;
  /** Whether words outside of the quotation introduce it. */
  readonly isIntroduced: boolean;
}

/** A longer one has no end that a reader would see; the rest counts as the next. */
const SENTENCE_TOKENS_MAX = 90;

/** A quotation ends within a few lines; a mark without its partner quotes nothing. */
const QUOTATION =
  /```[^`]{1,2000}```|(?<!")"(?!")[^"\n]{1,400}"|“[^”]{1,400}”|„[^“”]{1,400}[“”]|«[^»]{1,400}»|‹[^›]{1,400}›|「[^」]{1,400}」|『[^』]{1,400}』|`[^`\n]{1,400}`|‘(?:[^’\n]|(?<=\p{L})’(?=\p{L})){2,400}’|(?<![\p{L}\p{N}])'(?:[^'\n]|(?<=\p{L})'(?=\p{L})){2,400}'(?![\p{L}\p{N}])/gu;

export function readSentences(text: string, tokens: readonly Token[]): Sentence[] {
  const quoteAt = quotationsOf(text);
  const sentences: Sentence[] = [];
  let current: SentenceToken[] = [];
  let isItem = false;
  let intro: Sentence | undefined;
  let introduced = 0;
  const end = (nextIsItem: boolean) => {
    const endsInColon = current.at(-1)?.kind === "colon";
    if (current.length > 0) {
      const sentence: Sentence = { tokens: current, isItem, intro };
      sentences.push(sentence);
      if (endsInColon) intro = sentence;
      else if (!isItem) intro = undefined;
    }
    current = [];
    isItem = nextIsItem;
  };
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "break") end(true);
    else if (token.kind === "end") end(tokens[at + 1]?.kind === "break");
    else {
      if (current.length >= SENTENCE_TOKENS_MAX) end(isItem);
      const quote = quoteAt(token.at);
      if (quote > 0 && quote !== introduced && (intro !== undefined || introduces(current)))
        introduced = quote;
      const isIntroduced = quote > 0 && quote === introduced;
      const { kind, word, at: start, length, meaning, isMasked } = token;
      const meanings = meaningsAt(tokens, at);
      current.push({ kind, word, at: start, length, meaning, isMasked, meanings, quote, isIntroduced });
    }
  }
  end(false);
  return sentences;
}

/** Words before a quotation that introduce it. */
const INTRODUCTION_MIN = 2;

function introduces(before: readonly SentenceToken[]): boolean {
  return (
    before.at(-1)?.kind === "colon" ||
    before.filter(({ kind, quote }) => kind === "word" && quote === 0).length >= INTRODUCTION_MIN
  );
}

function meaningsAt(tokens: readonly Token[], at: number): readonly Meaning[] {
  const { word, meaning, kind } = tokens[at]!;
  if (kind !== "word") return [];
  const next = (offset: number) => {
    const token = offset < PHRASE_LENGTH_MAX ? tokens[at + offset] : undefined;
    return token?.kind === "word" || token?.kind === "name" ? token.word : undefined;
  };
  const phrases = phrasesAt(word, next);
  return meaning === undefined ? phrases : [meaning, ...phrases];
}

/** Says for places in rising order which quotation they are in. */
function quotationsOf(text: string): (at: number) => number {
  // In `key="value"` the marks belong to the format.
  const spans = [...text.matchAll(QUOTATION)]
    .filter(({ index }) => text[index - 1] !== "=")
    .map(({ 0: { length }, index }) => ({
      from: index,
      to: index + length,
    }));
  let next = 0;
  return (at) => {
    while (next < spans.length && spans[next]!.to <= at) next++;
    return next < spans.length && spans[next]!.from <= at ? next + 1 : 0;
  };
}
