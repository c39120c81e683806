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

function addPosting(postings: Postings, slot: number, weight: number): void {
  postings.push(slot * STEPS + Math.min(STEPS - 1, Math.round(weight / STEP)));
}

/** Adds to the postings of a term, which are made where there are none. */
export function addTo(terms: Map<string, Postings>, term: string, slot: number, weight: number): void {
  let postings = terms.get(term);
  if (postings === undefined) terms.set(term, (postings = []));
  addPosting(postings, slot, weight);
}

/** Drops the documents that are gone from these terms, and the terms that no document has any more. */
export function dropFrom(
  terms: Map<string, Postings>,
  words: Iterable<string>,
  isGone: (slot: number) => boolean,
): void {
  for (const word of words) {
    const postings = terms.get(word);
    if (postings === undefined) continue;
    dropPostings(postings, isGone);
    if (postings.length === 0) terms.delete(word);
  }
}

function dropPostings(postings: Postings, isGone: (slot: number) => boolean): void {
  let kept = 0;
  for (const posting of postings) if (!isGone(slotOf(posting))) postings[kept++] = posting;
  postings.length = kept;
}

/** What a term counts for in one document; 0 where it is not there. */
export function weightIn(postings: Postings | undefined, slot: number): number {
  const posting = postings?.find((one) => slotOf(one) === slot);
  return posting === undefined ? 0 : STEP * (posting - slot * STEPS);
}

/** Adds a term's share to the scores, notes whose score it is the first of, and returns the highest. */
export function addScores(
  postings: Postings,
  factor: number,
  into: Float64Array,
  touched: number[],
  shareOf?: Float64Array,
): number {
  const factorOfStep = factor * STEP;
  let highest = 0;
  for (const posting of postings) {
    const slot = slotOf(posting);
    const share = shareOf === undefined ? 1 : shareOf[slot]!;
    if (share === 0) continue;
    const before = into[slot]!;
    if (before === 0) touched.push(slot);
    const after = before + share * factorOfStep * (posting - slot * STEPS);
    into[slot] = after;
    if (after > highest) highest = after;
  }
  return highest;
}

function slotOf(posting: number): number {
  return Math.trunc(posting / STEPS);
}
