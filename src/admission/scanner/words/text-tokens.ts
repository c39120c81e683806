/**
 * A text as words, addresses and ends of sentences, in one pass. Every alternative of the pattern is bounded, so each
 * character is looked at a bounded number of times.
 */
import { foldWord, unleetWord, unmaskWord } from "./folding.ts";
import { eastAsianAt, isCommon, isListed, meaningOf, type Meaning } from "./lexicon.ts";
import { isSecretPlace } from "./secret-places.ts";

type TokenKind = "word" | "address" | "mail" | "place" | "name" | "end" | "clause" | "colon" | "break";

export interface Token {
  readonly kind: TokenKind;
  /** Folded: in lower case and Latin letters where it looks like them. */
  readonly word: string;
  /** Where it begins in the text. */
  readonly at: number;
  readonly length: number;
  readonly meaning: Meaning | undefined;
  /** Written so that a list of words does not know it: other letters, digits, or one letter at a time. */
  readonly isMasked: boolean;
}

const EAST = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー`;
const LETTER = String.raw`\p{L}\p{M}\p{N}\u24B6-\u24E9`;

const TOKEN = new RegExp(
  [
    String.raw`(?<address>https?:\/\/[^\s"'<>${"`"}|\\^）」]{1,1000}(?<![.,;:!?)]))`,
    String.raw`(?<host>(?<![\p{L}\p{N}.@/_-])[A-Za-z0-9-]{2,40}(?:\.[A-Za-z0-9-]{2,40}){0,3}\.(?:com|net|org|io|dev|example|site|app|info|xyz|cloud|ru|cn|link|online|top|page)(?:\/[^\s"'<>${"`"}|\\^）」]{0,300})?(?<![.,;:!?)])(?![\p{L}\p{N}@]))`,
    String.raw`(?<mail>(?<![\p{L}\p{N}.+_-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4})`,
    String.raw`(?<place>(?<![\p{L}\p{N}])(?:(?:~|\$HOME|\$\{HOME\}|%[A-Za-z]{1,20}%|[A-Z]:)?(?:[\/\\][A-Za-z0-9._*+{}$-]{1,64}){1,12}|\.[A-Za-z][A-Za-z0-9._-]{1,40}(?:[\/\\][A-Za-z0-9._*{}$-]{1,64}){0,12}|[A-Za-z0-9_-]{1,40}(?:\.[A-Za-z0-9]{1,10}){0,3}(?:\/[A-Za-z0-9._*{}$-]{1,64}){1,12}|(?:id_(?:rsa|ed25519|ecdsa|dsa)(?:\.pub)?|[A-Za-z0-9_-]{1,40}\.(?:json|pem|key|sqlite|dat|kdbx|env|p12|pfx|ya?ml|toml|ini|cfg|conf)))(?<!\.)(?![A-Za-z0-9]))`,
    String.raw`(?<handle>(?<![\p{L}\p{N}])@[A-Za-z][A-Za-z-]{1,38}(?![\p{L}\p{N}./]))`,
    String.raw`(?<account>\+\d{1,3}(?:[ -]\d{2,9}){2,5}\b|\b[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?\b)`,
    String.raw`(?<abbreviation>\b(?:e\.g|i\.e|z\.B|etc|vs)\.?(?![\p{L}\p{N}]))`,
    String.raw`(?<name>[A-Za-z][A-Za-z0-9]{0,63}(?:_{1,2}[A-Za-z0-9]{1,64}){1,12}(?![A-Za-z0-9]))`,
    String.raw`(?<east>[${EAST}]{1,500})`,
    String.raw`(?<word>[${LETTER}](?:[${LETTER}]|[@$|](?=\p{L})){0,63}(?:['’][${LETTER}]{1,20}|-[${LETTER}]{1,40}){0,3})`,
    String.raw`(?<break>\n[ \t]{0,40}(?=[\n\-*•#>\d]|$)|\n(?=[^\n]{0,40}:))`,
    String.raw`(?<end>[.!?…](?=[\s"'”’)*_<\]]|$)|[。！？；;])`,
    String.raw`(?<colon>[:：])`,
    String.raw`(?<clause>[,，、()（）—–]|\s-{1,2}\s)`,
  ].join("|"),
  "gu",
);

/** Reads a text. `count` is told of every step, so that a test can see that the work grows with the text alone. */
export function readTokens(text: string, count: (steps: number) => void): Token[] {
  const tokens: Token[] = [];
  for (const { 0: found, index: at, groups } of text.matchAll(TOKEN)) {
    count(1 + found.length);
    if (groups!["east"] !== undefined) readEast(found, at, tokens);
    else if (SPACED_NAME.test(found)) readWord(found.replaceAll("_", ""), at, tokens);
    else if (groups!["handle"] !== undefined) tokens.push(handleToken(found, at));
    else if (groups!["word"] !== undefined) readWord(found, at, tokens);
    else tokens.push(plainToken(kindOf(groups!), found, at));
  }
  return joinLetters(tokens);
}

/** `i_g_n_o_r_e` */
const SPACED_NAME = /^[A-Za-z](?:_[A-Za-z]){2,12}$/;

function kindOf(groups: Readonly<Record<string, string | undefined>>): TokenKind {
  if (groups["abbreviation"] !== undefined) return "word";
  if (groups["account"] !== undefined) return "word";
  if (groups["host"] !== undefined) return "address";
  return (["address", "mail", "place", "name", "break", "end", "colon", "clause"] as const).find(
    (kind) => groups[kind] !== undefined,
  )!;
}

function plainToken(kind: TokenKind, found: string, at: number): Token {
  const word = kind === "word" ? found.replace(/\.$/, "").replaceAll(/[ +-]/g, "").toLowerCase() : found;
  const isPlace = kind === "place" || kind === "name";
  const shown =
    isPlace && !isSecretPlace(found) ? "name" : kind === "name" && isSecretPlace(found) ? "place" : kind;
  const isKey = kind === "name" && /^[A-Z0-9_]{1,60}_(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/.test(found);
  return {
    kind: isKey ? "word" : shown,
    word,
    at,
    length: found.length,
    meaning: meaningOf(isKey ? "credential" : word),
    isMasked: false,
  };
}

/** `@assistant`: said to somebody. */
function handleToken(found: string, at: number): Token {
  const word = foldWord(found);
  return { kind: "word", word, at, length: found.length, meaning: meaningOf(word.slice(1)), isMasked: false };
}

function readWord(found: string, at: number, tokens: Token[]): void {
  const folded = foldWord(found);
  const meaning = meaningOf(folded);
  if (meaning !== undefined || !folded.includes("-")) {
    tokens.push(wordToken(folded, at, found.length, meaning));
    return;
  }
  let start = at;
  for (const part of found.split("-")) {
    const word = foldWord(part);
    tokens.push(wordToken(word, start, part.length, meaningOf(word)));
    start += part.length + 1;
  }
}

function wordToken(folded: string, at: number, length: number, known: Meaning | undefined): Token {
  if (known !== undefined) return { kind: "word", word: folded, at, length, meaning: known, isMasked: false };
  for (const word of [unmaskWord(folded), unleetWord(unmaskWord(folded) ?? folded)]) {
    const meaning = word === undefined ? undefined : meaningOf(word);
    if (meaning !== undefined || (word !== undefined && isCommon(word)))
      return { kind: "word", word: word!, at, length, meaning, isMasked: true };
  }
  return { kind: "word", word: folded, at, length, meaning: undefined, isMasked: false };
}

/** Words of the lists, and one token for all between two of them. */
function readEast(raw: string, start: number, tokens: Token[]): void {
  const folded = foldWord(raw);
  const found = folded.length === raw.length ? folded : raw;
  let fillerAt = -1;
  const endFiller = (at: number) => {
    if (fillerAt < 0) return;
    tokens.push(wordToken(found.slice(fillerAt, at), start + fillerAt, at - fillerAt, undefined));
    fillerAt = -1;
  };
  for (let at = 0; at < found.length;) {
    const known = eastAsianAt(found, at);
    if (known === undefined) {
      if (fillerAt < 0) fillerAt = at;
      at++;
      continue;
    }
    endFiller(at);
    const word = found.slice(at, at + known.length);
    tokens.push({
      kind: "word",
      word,
      at: start + at,
      length: known.length,
      meaning: known.meaning,
      isMasked: false,
    });
    at += known.length;
  }
  endFiller(found.length);
}

/** Fewer single letters in a row are initials or variables. */
const LETTER_COUNT_MIN = 6;
const LISTED_LENGTH_MAX = 14;

/** Finds words that are written one letter at a time: "i g n o r e". */
function joinLetters(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length;) {
    let end = at;
    while (end < tokens.length && isLetter(tokens[end]!) && isAdjacent(tokens, at, end)) end++;
    if (end - at < LETTER_COUNT_MIN) {
      joined.push(...tokens.slice(at, Math.max(end, at + 1)));
      at = Math.max(end, at + 1);
      continue;
    }
    joined.push(...wordsIn(tokens.slice(at, end)));
    at = end;
  }
  return joined;
}

function isKnown(word: string): boolean {
  return isListed(word) || isCommon(word);
}

function isLetter({ kind, length }: Token): boolean {
  return kind === "word" && length === 1;
}

function isAdjacent(tokens: readonly Token[], from: number, at: number): boolean {
  return at === from || tokens[at]!.at - tokens[at - 1]!.at <= 4;
}

/** The words of the lists in a row of letters, the longest at each place. */
function wordsIn(letters: readonly Token[]): Token[] {
  const row = letters.map(({ word }) => word).join("");
  const found: Token[] = [];
  for (let at = 0; at < letters.length;) {
    let length = Math.min(LISTED_LENGTH_MAX, letters.length - at);
    while (length >= 2 && !isKnown(row.slice(at, at + length))) length--;
    if (length >= 2) {
      const word = row.slice(at, at + length);
      const last = letters[at + length - 1]!;
      const start = letters[at]!.at;
      found.push({
        kind: "word",
        word,
        at: start,
        length: last.at + 1 - start,
        meaning: meaningOf(word),
        isMasked: true,
      });
    }
    at += Math.max(length, 1);
  }
  return found;
}
