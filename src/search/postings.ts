/**
 * Which documents have a term, and with what weight. Slot and weight are one number: 20,000 tools have half a million
 * of them, and most terms are in one or two documents only, where an object or a typed array for each would be all that
 * is kept.
 */
export type Postings = number[];

const STEPS = 2 ** 16;
/** Weights are saturated below this. */
const WEIGHT_MAX = 2.5;
const STEP = WEIGHT_MAX / STEPS;

export function addPosting(postings: Postings, slot: number, weight: number): void {
  postings.push(slot * STEPS + Math.min(STEPS - 1, Math.round(weight / STEP)));
}

/** Drops the documents that are gone. */
export function dropPostings(postings: Postings, isGone: (slot: number) => boolean): void {
  let kept = 0;
  for (const posting of postings) if (!isGone(slotOf(posting))) postings[kept++] = posting;
  postings.length = kept;
}

export function hasPosting(postings: Postings, slot: number): boolean {
  return postings.some((posting) => slotOf(posting) === slot);
}

/** Adds a term's share to the scores, notes whose score it is the first of, and returns the highest. */
export function addScores(postings: Postings, factor: number, into: Float64Array, touched: number[]): number {
  const factorOfStep = factor * STEP;
  let highest = 0;
  for (const posting of postings) {
    const slot = slotOf(posting);
    const before = into[slot]!;
    if (before === 0) touched.push(slot);
    const after = before + factorOfStep * (posting - slot * STEPS);
    into[slot] = after;
    if (after > highest) highest = after;
  }
  return highest;
}

function slotOf(posting: number): number {
  return Math.trunc(posting / STEPS);
}
