/** Why a hit ranks where it does: its score by field, and by word. */
import type { Answer } from "../../api/client.ts";

export type Hit = Answer<"searchTools">["hits"][number];
export type Reason = Hit["why"][number];

/** The fields in the order of their weight; anything else comes after them. */
const FIELDS = [
  "name",
  "description",
  "parameters",
  "server",
  "learnt from runs",
  "meaning",
  "use",
  "exact name",
];

/** Less than this says nothing, and is not drawn. */
const SHARE_MIN = 0.01;

/** The part of the score that each field gives, as a bar shows it. */
export function sharesByField(why: readonly Reason[]): { readonly where: string; readonly share: number }[] {
  return [...Map.groupBy(why, ({ where }) => where)]
    .map(([where, reasons]) => ({ where, share: reasons.reduce((sum, { share }) => sum + share, 0) }))
    .filter(({ share }) => share >= SHARE_MIN)
    .toSorted((a, b) => rankOf(a.where) - rankOf(b.where));
}

function rankOf(where: string): number {
  const rank = FIELDS.indexOf(where);
  return rank < 0 ? FIELDS.length : rank;
}

/** The strongest words, each once for each field. */
export function strongestReasons(why: readonly Reason[], max: number): Reason[] {
  const merged = Map.groupBy(why, ({ word, where }) => JSON.stringify([word, where]));
  return [...merged.values()]
    .map((same) => ({ ...same[0]!, share: same.reduce((sum, { share }) => sum + share, 0) }))
    .filter(({ share }) => share >= SHARE_MIN)
    .toSorted((a, b) => b.share - a.share)
    .slice(0, max);
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

const PLACES: Readonly<Record<string, string>> = {
  "exact name": "by its exact name",
  meaning: "by its meaning",
  use: "for having been used",
};

/** A reason in words: `read in the name, 42 %`. */
export function reasonText({ word, where, share }: Reason): string {
  const place = PLACES[where] ?? `in ${where}`;
  return `${word === "" ? "" : `${word} `}${place}, ${percent(share)}`;
}
