/** Points by term, and sums of them: how a score is told apart again. */
import type { TermPoints } from "./search-explanation.ts";

/** What the terms of a request add to the score of one document. */
export interface RequestPoints {
  readonly words: TermPoints;
  readonly learnt: TermPoints;
}

export const NO_POINTS: RequestPoints = { words: new Map(), learnt: new Map() };

export function scaled({ words, learnt }: RequestPoints, factor: number): RequestPoints {
  return { words: scaledTerms(words, factor), learnt: scaledTerms(learnt, factor) };
}

export function added(one: RequestPoints, other: RequestPoints): RequestPoints {
  return { words: addedTerms(one.words, other.words), learnt: addedTerms(one.learnt, other.learnt) };
}

function scaledTerms(points: TermPoints, factor: number): TermPoints {
  return new Map([...points].map(([term, count]) => [term, count * factor]));
}

function addedTerms(one: TermPoints, other: TermPoints): TermPoints {
  const terms = new Set([...one.keys(), ...other.keys()]);
  return new Map([...terms].map((term) => [term, (one.get(term) ?? 0) + (other.get(term) ?? 0)]));
}
