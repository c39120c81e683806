/**
 * A list of any length: only the rows that can be seen are in the page. One row has the focus at a time (`j` and `k`, arrows);
 * Enter or a click opens it, `x` or Space selects it where several can be chosen, and shift
 * with a click every row from the one before.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type CSSProperties, type ReactNode } from "react";
import { cx } from "./class-names.ts";
import { SkeletonRows } from "./skeleton.tsx";
import { TableHead } from "./table-head.tsx";
import { TableRow } from "./table-row.tsx";
import type { Column, TableProps } from "./table-types.ts";
import { useRowSelection } from "./row-selection.ts";
import { useRowFocus } from "./row-focus.ts";
import { useIsWide } from "./viewport.ts";

const ROW_HEIGHT_PX = 34;
/** Rows beyond the edge, so that scrolling does not show their absence. */
const OVERSCAN = 12;
/** So many rows before the end, more are asked for. */
const END_ROWS = 20;

export function Table<Row>(props: TableProps<Row>): ReactNode {
  const {
    label,
    rows,
    rowKey,
    isLoading = false,
    empty,
    onEndReached,
    rowHeight = ROW_HEIGHT_PX,
    totalCount,
  } = props;
  const columns = useShownColumns(props.columns);
  const ownScroller = useRef<HTMLDivElement>(null);
  const scroller = props.scroller ?? ownScroller;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    getItemKey: (at) => rowKey(rows[at]!),
  });
  const select = useRowSelection(props);
  const focus = useRowFocus(props, scroller, select, (at) => virtual.scrollToIndex(at, { align: "auto" }));
  const items = virtual.getVirtualItems();
  useEndReached(items.at(-1)?.index, rows.length, onEndReached);

  const tracks = [props.selected === undefined ? "" : "2rem", ...columns.map(({ width }) => width)]
    .join(" ")
    .trim();
  const style = { "--tracks": tracks } as CSSProperties;
  return (
    <div ref={scroller} className={cx("relative min-h-0 flex-1 overflow-auto", props.className)}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={(totalCount ?? rows.length) + 1}
        aria-multiselectable={props.selected !== undefined || undefined}
        style={style}
        className="min-w-full"
      >
        <TableHead {...props} columns={columns} />
        {rows.length > 0 && (
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, key, start, size }) => (
              <TableRow
                key={key}
                {...props}
                columns={columns}
                row={rows[index]!}
                index={index}
                isTabStop={index === focus.at}
                onFocus={() => focus.set(index)}
                onSelect={select}
                style={{ height: size, transform: `translateY(${start}px)` }}
              />
            ))}
          </div>
        )}
      </div>
      {rows.length === 0 && (isLoading ? <SkeletonRows rows={10} /> : empty)}
    </div>
  );
}

function useShownColumns<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const wide = { sm: useIsWide("sm"), md: useIsWide("md"), lg: useIsWide("lg") };
  return columns.filter(({ from }) => from === undefined || wide[from]);
}

function useEndReached(
  last: number | undefined,
  count: number,
  onEndReached: (() => void) | undefined,
): void {
  const isNear = last !== undefined && last >= count - END_ROWS;
  useEffect(() => {
    if (isNear) onEndReached?.();
  }, [isNear, count, onEndReached]);
}
