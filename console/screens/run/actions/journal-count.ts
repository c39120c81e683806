import type { StepsPage } from "../waterfall/row-types.ts";

export interface JournalCount {
  /** Steps with an answer whose tool the code still calls. */
  readonly kept: number;
  /** Steps with an answer. */
  readonly all: number;
  /** There are more steps than were looked at. */
  readonly isMore: boolean;
}

/**
 * How many steps code could find in the journal: those that succeeded, of tools that it still calls. Whether it calls them with
 * the same arguments shows when it runs.
 */
export function journalCount(
  page: StepsPage | undefined,
  tools: readonly string[] | undefined,
): JournalCount {
  const called = tools && new Set(tools);
  let [kept, all] = [0, 0];
  for (const row of page?.rows ?? []) {
    if (row.status !== "succeeded") continue;
    const count = row.row === "group" ? row.count : 1;
    all += count;
    if (called === undefined || called.has(row.tool)) kept += count;
  }
  return { kept, all, isMore: page?.next !== undefined };
}
