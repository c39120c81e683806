import type { Answer } from "../../api/client.ts";

export type LibraryItem = Answer<"listLibrary">["items"][number];

export interface LibraryFilter {
  /** One or several, separated by commas; an item has one of them. */
  readonly kind?: string | undefined;
  /** One or several, separated by commas; an item has all of them. */
  readonly tag?: string | undefined;
  /** `yes`: only items that use a tool which has changed. */
  readonly drift?: string | undefined;
}

/** The search itself is the gateway's: only what it does not know is filtered here. */
export function filterItems(
  items: readonly LibraryItem[],
  { kind, tag, drift }: LibraryFilter,
): readonly LibraryItem[] {
  const kinds = wordsOf(kind);
  const tags = wordsOf(tag);
  return items.filter(
    (item) =>
      (kinds.length === 0 || kinds.includes(item.kind)) &&
      tags.every((each) => item.tags.includes(each)) &&
      (drift !== "yes" || hasDrift(item)),
  );
}

/** Whether a tool that the item uses is not what it was when the item was saved. */
export function hasDrift({ changed_tools = [] }: Pick<LibraryItem, "changed_tools">): boolean {
  return changed_tools.length > 0;
}

/** Every tag, the most used first. */
export function tagsOf(items: readonly LibraryItem[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const tag of items.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || a.localeCompare(b))
    .map(([tag]) => tag);
}

/** How many of all uses went well, from 0 to 1; undefined before the first. */
export function successShare(item: Pick<LibraryItem, "usage_count" | "success_count">): number | undefined {
  return item.usage_count === 0 ? undefined : item.success_count / item.usage_count;
}

/** `98 %`. It is never rounded up to 100, nor down to 0. */
export function percentOf(share: number): string {
  const percent = Math.round(share * 100);
  const bounded = share < 1 && percent === 100 ? 99 : share > 0 && percent === 0 ? 1 : percent;
  return `${bounded} %`;
}

function wordsOf(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.split(",");
}
