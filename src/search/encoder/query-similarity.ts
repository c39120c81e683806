/** How near tools are to one query. */
import { CLOSEST_SHARES } from "../learnt.ts";
import { partsOf, requestIn } from "../search-query.ts";
import type { SimilarityOf } from "../similarity.ts";
import type { ToolRows } from "./tool-rows.ts";
import type { WordVectors } from "./word-vectors.ts";

/** How much the meaning counts where all words of a query are known. Measured, see docs/search.md. */
export const WEIGHT = 0.7;
/** Of the parts of a request, the one that a tool is nearest to counts so much, and the whole the rest. */
const PARTS_WEIGHT = 0.6;
/** Who asks for several things names them: there the words are the better guide. */
const SEVERAL_SHARE = 0.55;
/** One word, or a name such as `send_mail`: what has it comes first, and the meaning only decides between equals. */
const NAME_SHARE = 0.1;
const NAME = /^\s*\S+\s*$/;
/**
 * How much the nearest intents of a tool tell beside what it says of itself: among few tools, that says enough, and an
 * intent that is near by chance would bury a tool that was never used; with every ten times as many, so much more.
 * Nothing for a request for several things, which needs room for each.
 */
const INTENTS_SHARE = { few: 200, amongFew: 0.5, perTenTimes: 0.33 } as const;
/** Of tools that have nothing to do with the query, 95 of 100 are further away. */
const NEAR_MIN = 0.3;

export interface Encoded {
  readonly words: WordVectors;
  readonly rows: ToolRows;
}

/** Undefined where none of the words of the query are known. */
export function similarityTo(
  query: string,
  { words, rows }: Encoded,
  weight = WEIGHT,
): SimilarityOf | undefined {
  const whole = words.encode(requestIn(query));
  if (whole === undefined) return undefined;
  const parts = partsOf(query).flatMap(({ text }) => words.encode(text)?.vector ?? []);
  const nearOf = (row: number): number => {
    const near = rows.cosineOf(row, whole.vector);
    if (parts.length < 2) return near;
    let nearest = -1;
    for (const part of parts) nearest = Math.max(nearest, rows.cosineOf(row, part));
    return (1 - PARTS_WEIGHT) * near + PARTS_WEIGHT * nearest;
  };
  const intentsShare = parts.length < 2 ? intentsShareAmong(rows.count()) : 0;
  const similarityOf = (id: string): number | undefined => {
    const row = rows.rowOf(id);
    if (row === undefined) return undefined;
    const own = nearOf(row);
    if (intentsShare === 0) return own;
    return Math.max(own, intentsShare * closestOf(Array.from(rows.intentRowsOf(id), nearOf)));
  };
  return Object.assign(similarityOf, {
    weight: weight * whole.knownShare * shareFor(query, parts.length),
    nearMin: NEAR_MIN,
    roughlyOf: (ids: readonly (string | undefined)[]) => rows.roughlyOf(ids, whole.vector),
  });
}

function intentsShareAmong(toolCount: number): number {
  const { few, amongFew, perTenTimes } = INTENTS_SHARE;
  return amongFew + perTenTimes * Math.max(0, Math.log10(toolCount / few));
}

function closestOf(nears: readonly number[]): number {
  const closest = nears.toSorted((one, other) => other - one);
  return CLOSEST_SHARES.reduce((sum, share, at) => sum + share * Math.max(0, closest[at] ?? 0), 0);
}

function shareFor(query: string, partCount: number): number {
  if (NAME.test(query)) return NAME_SHARE;
  return partCount < 2 ? 1 : SEVERAL_SHARE;
}
