/**
 * A sentence as a row of words, for patterns. Addresses are `URL`, mail addresses `MAIL`, files with secrets `PLACE`,
 * names of tools `NAME`, long numbers `NUMBER`, and a word alone in quotation marks is `QUOTED`.
 */
import type { SentenceToken } from "../words/sentences.ts";
import type { SentenceView } from "../words/sentence-view.ts";

/** How people write in a hurry. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["u", "you"],
  ["ur", "your"],
  ["pls", "please"],
  ["plz", "please"],
  ["dont", "don't"],
  ["isnt", "isn't"],
  ["arent", "aren't"],
  ["doesnt", "doesn't"],
  ["shouldnt", "shouldn't"],
  ["mustnt", "mustn't"],
  ["neednt", "needn't"],
  ["wont", "won't"],
  ["cant", "can't"],
  ["n", "and"],
  ["thru", "through"],
]);

export interface Row {
  readonly text: string;
  /** Where each word begins in it. */
  readonly starts: readonly number[];
}

/** Several frames read the same row. */
const known = new WeakMap<readonly SentenceToken[], Row>();

export function rowOf({ tokens }: SentenceView): Row {
  const row = known.get(tokens) ?? writeRow(tokens);
  known.set(tokens, row);
  return row;
}

function writeRow(tokens: readonly SentenceToken[]): Row {
  const starts: number[] = [];
  let text = "";
  for (const [at, token] of tokens.entries()) {
    starts.push(text.length);
    text += `${isQuotedAlone(tokens, at) ? "QUOTED" : wordOf(token)} `;
  }
  return { text, starts };
}

/** A word in quotation marks by itself: the name of a parameter. */
function isQuotedAlone(tokens: readonly SentenceToken[], at: number): boolean {
  const { quote, kind } = tokens[at]!;
  if (quote === 0 || (kind !== "word" && kind !== "name")) return false;
  return tokens[at - 1]?.quote !== quote && tokens[at + 1]?.quote !== quote;
}

function wordOf({ kind, word }: SentenceToken): string {
  switch (kind) {
    case "address":
      return /[=?]$/.test(word) ? "URL=" : "URL";
    case "mail":
      return "MAIL";
    case "place":
      return "PLACE";
    case "name":
      return "NAME";
    case "clause":
      return ",";
    case "colon":
      return ":";
    default:
      return NUMBER.test(word) ? "NUMBER" : (SHORT.get(word) ?? word);
  }
}

const NUMBER = /^(?:\d{6,}|[a-z]{2}\d{2}[a-z0-9]{8,30}|0x[0-9a-f]{8,64}|bc1[a-z0-9]{10,60})$/;

export function placeAt(starts: readonly number[], index: number): number {
  let at = 0;
  while (at + 1 < starts.length && starts[at + 1]! <= index) at++;
  return at;
}
