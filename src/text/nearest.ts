import { compareText } from "./compare-text.ts";
/** How many edits still count as a slip of the finger: a third of the word, at least one. */
const EDITS_FOR_EACH_LETTER = 1 / 3;
const HITS_MAX = 3;
/** Longer words are compared by their beginnings: names end at 64 characters, and the cost is quadratic. */
const COMPARED_LENGTH_MAX = 80;

/** The candidates a person probably meant, best first: near by edits, or containing the word. */
export function nearest(word: string, candidates: Iterable<string>, limit: number = HITS_MAX): string[] {
  const wanted = foldName(word);
  if (wanted === "") return [];
  const scored: { name: string; score: number }[] = [];
  for (const name of new Set(candidates)) {
    const score = distanceOf(wanted, foldName(name));
    if (score !== undefined) scored.push({ name, score });
  }
  scored.sort((a, b) => a.score - b.score || compareText(a.name, b.name));
  return scored.slice(0, limit).map((hit) => hit.name);
}

/** Ends a sentence with the nearest names: ` Did you mean a or b?`, or nothing. */
export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`;
}

/** A name as it is compared: without case, and without whatever parts its words. */
export function foldName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .slice(0, COMPARED_LENGTH_MAX);
}

/** How far a folded name is from the folded word; undefined where it is too far. */
export function distanceOf(wanted: string, name: string): number | undefined {
  const editsMax = Math.max(1, Math.floor(wanted.length * EDITS_FOR_EACH_LETTER));
  // As many edits as the lengths differ by are needed in any case.
  const isComparable = Math.abs(wanted.length - name.length) <= editsMax;
  const edits = isComparable ? editDistance(wanted, name) : Infinity;
  if (edits <= editsMax) return edits;
  const contained =
    wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)));
  return contained ? editsMax + 1 : undefined;
}

/** Optimal string alignment: insert, delete, replace, and swap of neighbours each cost one. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, beforeLast[j - 2]! + 1);
      }
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
