import { useState, type ReactNode } from "react";
import { SplitPane } from "../../parts/split-pane.tsx";
import { InboxDetail } from "./inbox-detail.tsx";
import { InboxList } from "./inbox-list.tsx";
import type { Settled } from "./settled-run.tsx";
import { keyOfItem, type WaitingGroup, type WaitingItem } from "./waiting-items.ts";

export interface InboxLayoutProps {
  readonly groups: readonly WaitingGroup[];
  readonly shown: WaitingItem | undefined;
  readonly onOpen: (item: WaitingItem | undefined) => void;
  readonly onSettled: (settled: Settled) => void;
  readonly isWide: boolean;
}

/** Of the item: it has more to say than the list. */
const DETAIL_PERCENT = 62;

/** The item beside the list; in a narrow window, below its own row. */
export function InboxLayout({ groups, shown, onOpen, onSettled, isWide }: InboxLayoutProps): ReactNode {
  const [size, setSize] = useState(DETAIL_PERCENT);
  const detail =
    shown === undefined ? null : <InboxDetail key={keyOfItem(shown)} item={shown} onSettled={onSettled} />;
  if (!isWide) return <InboxList groups={groups} shown={shown} onOpen={onOpen} below={detail} />;
  return (
    <SplitPane
      label="Item"
      start={<InboxList groups={groups} shown={shown} onOpen={onOpen} />}
      end={<div className="h-full min-w-0 overflow-auto">{detail}</div>}
      size={size}
      onSize={setSize}
    />
  );
}
