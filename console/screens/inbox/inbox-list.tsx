import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { formatNumber } from "../../parts/format.ts";
import { InboxRow } from "./inbox-row.tsx";
import { KIND_WORDS } from "../../parts/waiting-kinds.ts";
import { keyOfItem, type WaitingGroup, type WaitingItem } from "./waiting-items.ts";

export interface InboxListProps {
  readonly groups: readonly WaitingGroup[];
  readonly shown: WaitingItem | undefined;
  readonly onOpen: (item: WaitingItem | undefined) => void;
  /** The open item itself, where it has no room beside the list. */
  readonly below?: ReactNode;
}

type ListRow =
  | { readonly row: "group"; readonly key: string; readonly group: WaitingGroup }
  | { readonly row: "item"; readonly key: string; readonly item: WaitingItem };

const GROUP_PX = 32;
const ITEM_PX = 58;
const OVERSCAN = 8;

/** What waits, under the heading of its kind. Only the rows in sight are in the page. */
export function InboxList({ groups, shown, onOpen, below }: InboxListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => groups.flatMap(rowsOf), [groups]);
  const shownKey = shown && keyOfItem(shown);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (rows[at]!.row === "group" ? GROUP_PX : ITEM_PX),
    overscan: OVERSCAN,
    getItemKey: (at) => rows[at]!.key,
  });
  useShownInSight(rows, shownKey, (at) => virtual.scrollToIndex(at, { align: "auto" }));
  return (
    <div ref={scroller} className="h-full min-h-0 flex-1 overflow-auto">
      <ul aria-label="What waits" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]!;
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute inset-x-0"
              // Not by a transform: the buttons of the open item stick to where its row is laid out.
              style={{ top: start }}
            >
              {row.row === "group" ? (
                <GroupHead group={row.group} />
              ) : (
                <InboxRow
                  item={row.item}
                  isShown={row.key === shownKey}
                  onOpen={() => onOpen(below !== undefined && row.key === shownKey ? undefined : row.item)}
                  below={row.key === shownKey ? below : undefined}
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function GroupHead({ group: { kind, items } }: { readonly group: WaitingGroup }): ReactNode {
  return (
    <h2
      title={KIND_WORDS[kind].ask}
      className="flex h-8 items-end gap-1.5 px-4 pb-1 text-xs text-muted max-sm:px-3"
    >
      {KIND_WORDS[kind].title}
      <span className="font-normal text-faint">{formatNumber(items.length)}</span>
    </h2>
  );
}

function rowsOf(group: WaitingGroup): ListRow[] {
  return [
    { row: "group", key: group.kind, group },
    ...group.items.map((item): ListRow => ({ row: "item", key: keyOfItem(item), item })),
  ];
}

/** `j` and `k` can go beyond what is in sight. */
function useShownInSight(
  rows: readonly ListRow[],
  key: string | undefined,
  scrollTo: (at: number) => void,
): void {
  const before = useRef(key);
  useEffect(() => {
    if (before.current === key) return;
    before.current = key;
    const at = rows.findIndex((row) => row.key === key);
    if (at !== -1) scrollTo(at);
  });
}
