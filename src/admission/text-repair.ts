/** What is done to the texts of one entry before anybody reads them, and what there is to say about it. */
import { dropLooseEnd, makeVisible } from "../text/visible-text.ts";
import { cutToBytes } from "../text/cut.ts";
import { excerptOf } from "./excerpt.ts";
import type { TextNote } from "./finding-code.ts";

export interface TextRepair {
  /** The text as it may be shown; the very same where nothing is to be repaired. */
  repair(text: string, place: string, bytesMax: number): string;
  /** At most one of each kind: an entry with a thousand bad texts is one bad entry. */
  notes(): TextNote[];
}

/** A longer text is not read to its end: even with every blank taken out, what follows would be cut. */
const READ_RATIO = 8;
const TAGS = /[\u{E0020}-\u{E007E}]/gu;

interface Found {
  readonly what: string;
  readonly excerpt: string;
  moreCount: number;
}

export function createTextRepair(): TextRepair {
  const found = new Map<TextNote["code"], Found>();

  function note(code: TextNote["code"], what: () => string, excerpt: () => string): void {
    const known = found.get(code);
    if (known === undefined) found.set(code, { what: what(), excerpt: excerpt(), moreCount: 0 });
    else known.moreCount++;
  }

  return {
    repair(text, place, bytesMax) {
      const read = text.length > READ_RATIO * bytesMax ? text.slice(0, READ_RATIO * bytesMax) : text;
      const visible = makeVisible(read);
      // The ends of lines are spelt in one way; that hides nothing.
      if (visible !== read && visible !== read.replaceAll("\r\n", "\n")) {
        note(
          "hidden_text",
          () => `${place} has text that does not show; it is written out${spell(read)}`,
          () => excerptOf(visible, firstDifference(read, visible)),
        );
      }
      if (read === text && fits(visible, bytesMax)) return visible;
      note(
        "oversize_text",
        () => `${place} has ${Buffer.byteLength(text)} bytes; the limit is ${bytesMax}, and the rest is cut`,
        () => excerptOf(visible),
      );
      return cutWithMark(visible, bytesMax);
    },
    notes: () =>
      [...found].map(([code, { what, excerpt, moreCount }]) => ({
        code,
        message: moreCount === 0 ? what : `${what} (and so in ${moreCount} more of its texts)`,
        excerpt,
      })),
  };
}

function fits(text: string, bytesMax: number): boolean {
  return text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax;
}

function cutWithMark(text: string, bytesMax: number): string {
  const mark = ` … [cut at ${bytesMax / 1024} KiB]`;
  return dropLooseEnd(cutToBytes(text, bytesMax - Buffer.byteLength(mark))) + mark;
}

/** Tags are letters that no font draws: what they spell is what a model may read. */
function spell(text: string): string {
  const tags = text.match(TAGS);
  if (tags === null) return "";
  const letters = tags.slice(0, 160).map((tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000));
  return `, and its tag characters spell ${JSON.stringify(letters.join(""))}`;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
