/**
 * The newest calls, newest first, as they come. Only what is newer than the newest known call is ever asked for, so that a
 * tail of thousands is not fetched again for each call.
 */
import type { Answer } from "../../api/client.ts";

export type CallRow = Answer<"listCalls">["calls"][number];

export interface CallTail {
  /** Newest first. */
  readonly calls: readonly CallRow[];
  /** Where the calls before them begin; undefined where there are none. */
  readonly before: string | undefined;
}

/** Of the first question; older ones come by pages as they are scrolled to. */
export const FIRST_PAGE = 100;
/** Between two looks. Where more came, the tail begins again at the newest. */
export const NEWER_MAX = 500;
/** Older ones leave the tail and are paged to again: a page that is left open must not grow for ever. */
export const TAIL_MAX = 5_000;

/** The tail as the first question found it. */
export function beginTail({ calls, next }: Answer<"listCalls">): CallTail {
  return { calls, before: next };
}

/** With those that came since, which are given oldest first. */
export function extendTail(tail: CallTail, newer: readonly CallRow[]): CallTail {
  if (newer.length === 0) return tail;
  const known = new Set(tail.calls.slice(0, newer.length).map(({ id }) => id));
  const calls = [...newer.filter(({ id }) => !known.has(id)).toReversed(), ...tail.calls];
  if (calls.length <= TAIL_MAX) return { ...tail, calls };
  const kept = calls.slice(0, TAIL_MAX);
  return { calls: kept, before: kept.at(-1)!.id };
}

/** How many of the rows are above the newest that was shown; all of them where it is gone. */
export function countNewer(rows: readonly CallRow[], shownId: string | undefined): number {
  if (shownId === undefined) return 0;
  const at = rows.findIndex(({ id }) => id === shownId);
  return at === -1 ? rows.length : at;
}
