import { useEffect, useRef } from "react";
import { keyOfItem, shownItem, type WaitingItem } from "./waiting-items.ts";

/** The open item. Where it has left the list, the one in its place, so that deciding goes down the list. */
export function useShownItem(
  items: readonly WaitingItem[],
  chosen: string | undefined,
  isWide: boolean,
): WaitingItem | undefined {
  const lastAt = useRef(0);
  const isThere = items.some((item) => keyOfItem(item) === chosen);
  const shown =
    isThere || !isWide
      ? shownItem(items, chosen, isWide)
      : items[Math.min(lastAt.current, Math.max(0, items.length - 1))];
  useEffect(() => {
    const at = shown === undefined ? -1 : items.indexOf(shown);
    if (at !== -1) lastAt.current = at;
  });
  return shown;
}
