import { useEffect, useState, type RefObject } from "react";
import { countNewer, type CallRow } from "./call-tail.ts";

export interface ShownCalls {
  readonly rows: readonly CallRow[];
  /** How many came since the list was left as it is. */
  readonly newCount: number;
  /** Shows them, from the top. */
  readonly showNew: () => void;
}

/** The list stays as it is while it is paused or scrolled: a row that somebody reads must not move. */
export function useShownCalls(
  rows: readonly CallRow[],
  isPaused: boolean,
  scroller: RefObject<HTMLElement | null>,
): ShownCalls {
  const isAtTop = useIsAtTop(scroller);
  const isStill = isPaused || !isAtTop;
  const [top, setTop] = useState<string>();
  const newest = rows[0]?.id;
  // While it follows, the newest that is shown is the newest there is.
  if (!isStill && top !== newest) setTop(newest);
  const newCount = isStill ? countNewer(rows, top) : 0;
  return {
    rows: newCount === 0 ? rows : rows.slice(newCount),
    newCount,
    showNew() {
      setTop(newest);
      scroller.current?.scrollTo({ top: 0 });
    },
  };
}

/** A little scrolling is none. */
const TOP_PX = 8;

function useIsAtTop(scroller: RefObject<HTMLElement | null>): boolean {
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    const element = scroller.current;
    const look = () => setAtTop((element?.scrollTop ?? 0) <= TOP_PX);
    element?.addEventListener("scroll", look, { passive: true });
    return () => element?.removeEventListener("scroll", look);
  }, [scroller]);
  return isAtTop;
}
