/** What may be shown of a long text. No cut ends inside a character of two units. */

const MARK = "…";

/** The beginning of a text, with a mark where there is more. It has at most so many characters, the mark among them. */
export function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const end = Math.max(0, lengthMax - MARK.length);
  return text.slice(0, isInside(text, end) ? end - 1 : end) + MARK;
}

const SENTENCE_END = /[.!?](?=\s|$)/g;
/** No more of a text is looked at than this many times what is shown: white space is folded away. */
const FOLDED_TIMES_MAX = 8;

/** A text in one line: to the end of the last sentence that fits, or cut. */
export function lineOf(text: string, lengthMax: number): string {
  const line = text
    .slice(0, lengthMax * FOLDED_TIMES_MAX)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= lengthMax) return line;
  const end = [...line.slice(0, lengthMax).matchAll(SENTENCE_END)].at(-1)?.index;
  return end === undefined ? cut(line, lengthMax) : line.slice(0, end + 1);
}

/** The end of a text, with a mark where there is more before it: of a path, the end says most. */
export function cutStart(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const start = text.length - Math.max(0, lengthMax - MARK.length);
  return MARK + text.slice(isInside(text, start) ? start + 1 : start);
}

/** The beginning of a text that has no more than so many bytes in UTF-8, without a mark. */
export function cutToBytes(text: string, bytesMax: number): string {
  // A character has at most three bytes for each of its units.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  const bytes = Buffer.from(text);
  let end = bytesMax;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

/** Whether a character of two units begins before the place and ends behind it. */
function isInside(text: string, at: number): boolean {
  return at > 0 && text.codePointAt(at - 1)! > 0xffff;
}
