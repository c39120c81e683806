/**
 * Finds any of many fixed texts in one pass (Wu and Manber's search). Every answer that leaves is searched for every form of every
 * known secret, so the time must not grow with their number: a regular expression of 120 alternatives takes 9 ms for a megabyte,
 * this takes less than one. The pairs of characters at the end of a window say how far the window can move on.
 */
export interface TextFinder {
  /** The text with each found text replaced; the very same text where none is found. */
  replace(text: string, replacement: (found: string) => string): string;
}

const TABLE_SIZE = 1 << 14;
/** What one entry of the table can hold. */
const SHIFT_MAX = 255;

/** Texts of fewer than two characters are not looked for. Of several that begin at one place, the longest is found. */
export function createTextFinder(texts: Iterable<string>): TextFinder {
  const wanted = [...new Set(texts)].filter((text) => text.length >= 2).sort((a, b) => b.length - a.length);
  if (wanted.length === 0) return { replace: (text) => text };
  const windowLength = wanted.at(-1)!.length;
  const shifts = new Uint8Array(TABLE_SIZE).fill(Math.min(windowLength - 1, SHIFT_MAX));
  const byWindowEnd = new Map<number, string[]>();
  for (const text of wanted) {
    for (let at = 1; at < windowLength; at++) {
      const pair = pairAt(text, at);
      shifts[pair] = Math.min(shifts[pair]!, windowLength - 1 - at);
    }
    const end = pairAt(text, windowLength - 1);
    byWindowEnd.set(end, [...(byWindowEnd.get(end) ?? []), text]);
  }

  /** Where the next one begins, from `start` on, and which it is. */
  function find(text: string, start: number): { readonly at: number; readonly found: string } | undefined {
    for (let end = start + windowLength - 1; end < text.length;) {
      const pair = pairAt(text, end);
      const shift = shifts[pair]!;
      if (shift === 0) {
        const at = end - windowLength + 1;
        const found = byWindowEnd.get(pair)!.find((candidate) => text.startsWith(candidate, at));
        if (found !== undefined) return { at, found };
      }
      end += shift || 1;
    }
    return undefined;
  }

  return {
    replace(text, replacement) {
      let next = find(text, 0);
      if (next === undefined) return text;
      let replaced = "";
      let copied = 0;
      for (; next !== undefined; next = find(text, copied)) {
        replaced += text.slice(copied, next.at) + replacement(next.found);
        copied = next.at + next.found.length;
      }
      return replaced + text.slice(copied);
    },
  };
}

/** The character at a place and the one before it, as a place in the table. */
function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at - 1) << 7) ^ text.charCodeAt(at)) & (TABLE_SIZE - 1);
}
