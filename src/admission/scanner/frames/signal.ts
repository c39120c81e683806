/** Something that a sentence says and honest texts seldom say. Enough of them side by side are a finding. */
import type { SentenceView } from "../words/sentence-view.ts";
import type { Purpose } from "../purpose.ts";

/** What is read: the list of a server, or what a tool answered. */
export type Source = "tool" | "prompt" | "answer";

export interface Signal {
  /** Of several signals of one family only the strongest counts. */
  readonly family: string;
  /** 1 is enough for a finding. */
  readonly weight: number;
  /** What the text does, to follow the place: "tells the model to …". */
  readonly what: string;
  /** The first and last word of it. */
  readonly from: number;
  readonly to: number;
  /** Counts only near an order: what is asked for says nothing unless a model is asked. */
  readonly isConditional?: boolean;
}

export interface Reading {
  readonly source: Source;
  readonly purpose: Purpose;
  /** Whether it is the first sentence of a description, where honest tools say what they do in the imperative. */
  readonly isFirst: boolean;
  /** Whether it is of that description, and not of a parameter or a title. */
  readonly isDescription: boolean;
}

export type Frame = (view: SentenceView, reading: Reading) => Signal[];

export function signal(
  family: string,
  weight: number,
  what: string,
  from: number,
  to: number = from,
): Signal {
  return { family, weight, what, from: Math.min(from, to), to: Math.max(from, to) };
}
