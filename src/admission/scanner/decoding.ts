/**
 * Texts inside of texts: base64, hexadecimal, percent signs, escapes and entities. Each is decoded once, and what comes
 * out is never longer than what went in, so the work stays in proportion to the text.
 */
import { isListed } from "./words/lexicon.ts";

export interface Decoded {
  readonly text: string;
  readonly at: number;
  readonly encoding: string;
}

/** A shorter run of letters is a word, or decodes to one by chance. */
const BASE64 =
  /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{14,}={0,2}(?:[ \t]{0,8}\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]{8,}={0,2}){0,4000}(?![A-Za-z0-9+/_-])/g;
const BASE64_CHUNKS =
  /(?<![A-Za-z0-9+/_=-])(?:[A-Za-z0-9+/_-]{4,200}={0,2}[ \t]){1,64}[A-Za-z0-9+/_-]{2,200}={0,2}(?![A-Za-z0-9+/_-])/g;
const HEX = /(?<![A-Za-z0-9])(?:0x)?(?:[0-9a-fA-F]{2}[\s:,]{0,2}){10,}(?![A-Za-z0-9])/g;
const ESCAPES = /(?:\\+(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})[ ]?){3,}/g;
const ANY_ESCAPE = /\\+(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/g;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos|nbsp));?/g;
const PERCENT = /%[0-9a-fA-F]{2}/g;
const CODES = /(?<![\d.])(?:\d{2,3}[ ,;]{1,2}){9,}\d{2,3}(?!\d|\.\d)/g;

const LETTERS_MIN = 6;
const PRINTABLE_SHARE_MIN = 0.92;

export function decodeAll(text: string, count: (steps: number) => void): Decoded[] {
  count(text.length);
  return [
    ...runs(text, BASE64, "base64", fromBase64),
    ...chunks(text),
    ...runs(text, HEX, "hexadecimal", fromHex),
    ...runs(text, CODES, "character codes", fromCodes),
    ...unescaped(text),
  ];
}

function runs(
  text: string,
  pattern: RegExp,
  encoding: string,
  decode: (run: string) => string | undefined,
): Decoded[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: run, index: at }) => {
    const decoded = decode(run);
    return decoded !== undefined && isReadable(decoded) ? [{ text: decoded, at, encoding }] : [];
  });
}

/** base64 with blanks in it. Words of a sentence look the same, and decode to nothing that can be read. */
function chunks(text: string): Decoded[] {
  return [...text.matchAll(BASE64_CHUNKS)].flatMap(({ 0: run, index: at }) => {
    const parts = run.split(/[ \t]/).filter(isEncodedLooking);
    if (parts.length < 2) return [];
    const decoded = fromBase64(parts.join(""));
    return decoded !== undefined && isReadable(decoded) ? [{ text: decoded, at, encoding: "base64" }] : [];
  });
}

function isEncodedLooking(part: string): boolean {
  return /[a-z][A-Z0-9]|[A-Z0-9][a-z].*[A-Z0-9]|=$/.test(part);
}

interface Escape {
  readonly encoding: string;
  readonly pattern: RegExp;
  readonly countMin: number;
  readonly decode: (text: string) => string;
}

/** Fewer escapes are how a text writes a sign or two. */
const ESCAPED_COUNT_MIN = 4;

const WHOLE: readonly Escape[] = [
  // One match is a row of several.
  {
    encoding: "escapes",
    pattern: ESCAPES,
    countMin: 1,
    decode: (text) => text.replace(ANY_ESCAPE, fromEscape),
  },
  {
    encoding: "entities",
    pattern: ENTITY,
    countMin: ESCAPED_COUNT_MIN,
    decode: (text) => text.replace(ENTITY, fromEntity),
  },
  { encoding: "percent signs", pattern: PERCENT, countMin: ESCAPED_COUNT_MIN, decode: fromPercent },
];

/** The whole text with its escapes of all kinds resolved, where there are several: one text more to read, not three. */
function unescaped(text: string): Decoded[] {
  const used = WHOLE.filter(({ pattern, countMin }) => hasMatches(text, pattern, countMin));
  if (used.length === 0) return [];
  const decoded = used.reduce((said, { decode }) => decode(said), text);
  const encoding = used.map((escape) => escape.encoding).join(" and ");
  return decoded !== text && isReadable(decoded) ? [{ text: decoded, at: 0, encoding }] : [];
}

function hasMatches(text: string, pattern: RegExp, countMin: number): boolean {
  const found = text.matchAll(pattern);
  for (let count = 0; count < countMin; count++) if (found.next().done === true) return false;
  return true;
}

function fromBase64(run: string): string | undefined {
  const digits = run.replace(/\s+/g, "");
  return textOf(Buffer.from(digits, "base64"));
}

function fromHex(run: string): string | undefined {
  const digits = run.replace(/^0x/, "").replace(/[\s:,]+/g, "");
  return digits.length % 2 === 0 ? textOf(Buffer.from(digits, "hex")) : undefined;
}

function fromCodes(run: string): string | undefined {
  const codes = run.split(/[ ,;]+/).map(Number);
  return codes.every((code) => code >= 9 && code < 127)
    ? String.fromCharCode(...codes.slice(0, 4000))
    : undefined;
}

function fromEscape(_: string, braced?: string, four?: string, two?: string): string {
  return characterOf(Number.parseInt(braced ?? four ?? two!, 16));
}

const NAMED: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function fromEntity(_: string, decimal?: string, hex?: string, named?: string): string {
  if (named !== undefined) return NAMED[named]!;
  return characterOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal));
}

function fromPercent(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    const decoded = textOf(Buffer.from(run.replaceAll("%", ""), "hex"));
    return decoded ?? run;
  });
}

function characterOf(code: number): string {
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "\uFFFD" : String.fromCodePoint(code);
}

function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return text.includes("\uFFFD") ? undefined : text;
}

/** Whether it is text: letters and blanks, and hardly anything that does not show. */
function isReadable(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters < LETTERS_MIN) return false;
  const odd = text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{Zs}\s<>=+|$^`~]/gu)?.length ?? 0;
  return odd / text.length <= 1 - PRINTABLE_SHARE_MIN;
}

const ROT13 = /[a-z]/gi;

export function rotate13(text: string): string {
  return text.replace(ROT13, (char) => {
    const base = char <= "Z" ? 65 : 97;
    return String.fromCharCode(((char.charCodeAt(0) - base + 13) % 26) + base);
  });
}

export function reverse(text: string): string {
  return Array.from(text).toReversed().join("");
}

const WORD = /[A-Za-z]{4,16}/g;

/** How many words of a text the lists know, as it is, in ROT13 and backwards. */
export function countListed(
  text: string,
  count: (steps: number) => void,
): { readonly plain: number; readonly rotated: number; readonly reversed: number } {
  let [plain, rotated, reversed] = [0, 0, 0];
  for (const [found] of text.matchAll(WORD)) {
    const word = found.toLowerCase();
    count(1);
    if (isListed(word)) plain++;
    else if (isListed(rotate13(word))) rotated++;
    else if (isListed(reverse(word))) reversed++;
  }
  return { plain, rotated, reversed };
}
