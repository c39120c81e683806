/**
 * A tokenizer's time grows with the square of the longest run of letters, signs or spaces: 60,000 equal letters take
 * two seconds, and a server may send ten times as many. In pieces, its time grows with the length of the text.
 */

/** Some hundred tokens: far longer than any word, short enough for the worst run to be done in milliseconds. */
const PIECE_LENGTH_MAX = 1_024;

/**
 * After an ASCII letter or digit, a quotation mark or a space always begins a new token, so a cut there changes no
 * count.
 */
const BOUNDARY = /[A-Za-z0-9](?=[" ])/g;

/** The text in pieces whose counts add up to its own; only within a run that has no boundary may a cut cost a token. */
export function* piecesOf(text: string): Iterable<string> {
  let start = 0;
  while (text.length - start > PIECE_LENGTH_MAX) {
    const window = text.slice(start, start + PIECE_LENGTH_MAX);
    const length = lastBoundaryOf(window) ?? wholeCharacters(window);
    yield window.slice(0, length);
    start += length;
  }
  if (start < text.length) yield text.slice(start);
}

function lastBoundaryOf(window: string): number | undefined {
  let last: number | undefined;
  for (const { index } of window.matchAll(BOUNDARY)) last = index + 1;
  return last;
}

/** Its length without half of a surrogate pair at the end. */
function wholeCharacters(window: string): number {
  const code = window.charCodeAt(window.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? window.length - 1 : window.length;
}
