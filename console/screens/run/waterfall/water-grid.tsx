/**
 * The rows of the waterfall as a tree grid. Only rows that can be seen are in the page, each one a memoised line; the grid itself
 * has the focus and names the row that is chosen, so that scrolling never takes the focus away.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useId,
  useRef,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from "react";
import type { Tick } from "./span.ts";
import type { WaterRow } from "./row-types.ts";
import { WaterAxis } from "./water-axis.tsx";
import { WaterLine } from "./water-line.tsx";
import { WaterNote } from "./water-note.tsx";

const ROW_PX = 28;
/** Names are above the bars. */
const NARROW_ROW_PX = 44;
const HEAD_PX = 28;
/** Beyond the edges, so that scrolling shows no gap. */
const OVERSCAN = 8;

export interface WaterGridProps {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly label: string;
  readonly rows: readonly WaterRow[];
  readonly rowCount: number;
  readonly chosenAt: number | undefined;
  readonly chosenId: string | undefined;
  readonly ticks: readonly Tick[];
  readonly isWide: boolean;
  readonly isFollowing: boolean;
  readonly beganAt: number;
  readonly onPick: (at: number) => void;
  readonly onToggle: (at: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Somebody scrolled up: the end is not what they look at. */
  readonly onLeaveEnd: () => void;
}

export function WaterGrid(props: WaterGridProps): ReactNode {
  const { scroller, label, rows, rowCount, chosenAt, ticks, isWide, beganAt, onKeyDown, onLeaveEnd } = props;
  const base = useId();
  const height = isWide ? ROW_PX : NARROW_ROW_PX;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    getItemKey: (at) => rows[at]!.id,
    scrollPaddingStart: HEAD_PX,
    scrollMargin: HEAD_PX,
    useFlushSync: false,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  useKeepInView(props, (at, align) => virtual.scrollToIndex(at, { align }));
  const domIdOf = (row: WaterRow) => `${base}${row.id}`;
  const chosen = chosenAt === undefined ? undefined : rows[chosenAt];
  // A row that leaves at one edge becomes the one that comes at the other: nothing is made or thrown away while it scrolls.
  const lineCount = Math.ceil((virtual.scrollRect?.height ?? 0) / height) + 2 * OVERSCAN + 2;
  return (
    <div
      ref={scroller}
      role="treegrid"
      aria-label={label}
      aria-rowcount={rowCount + 1}
      aria-activedescendant={chosen && domIdOf(chosen)}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={(event) => clickedAt(event, props)}
      onWheel={(event) => {
        if (event.deltaY < 0) onLeaveEnd();
      }}
      className="row-focus absolute inset-0 overflow-x-hidden overflow-y-auto sm:overscroll-contain"
    >
      <WaterAxis ticks={ticks} isWide={isWide} />
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]!;
          const line = {
            domId: domIdOf(row),
            index,
            top: start - HEAD_PX,
            height,
            level: row.level,
            isChosen: index === chosenAt,
          };
          if (row.kind !== "step" && row.kind !== "group")
            return <WaterNote key={index % lineCount} kind={row.kind} {...line} />;
          const { offsetMs, endMs, isPast = false } = row.place;
          return (
            <WaterLine
              key={index % lineCount}
              {...line}
              isOpen={row.isOpen}
              row={row.kind === "step" ? row.step : row.group}
              offsetMs={offsetMs}
              endMs={endMs}
              isPast={isPast}
              beganAt={beganAt}
            />
          );
        })}
      </div>
    </div>
  );
}

/** One listener for all rows: the arrow of a row opens it, anything else of it chooses it. */
function clickedAt(event: MouseEvent, { onPick, onToggle }: WaterGridProps): void {
  const target = event.target as HTMLElement;
  const at = Number(target.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? Number.NaN);
  if (Number.isNaN(at)) return;
  if (target.closest("[data-toggle]") !== null) onToggle(at);
  else onPick(at);
}

/** Scrolls to what is chosen when it is chosen, or when it comes; and to the end while that is followed. */
function useKeepInView(
  { chosenId, chosenAt, rows, isFollowing }: WaterGridProps,
  scrollTo: (at: number, align: "auto" | "center" | "end") => void,
): void {
  const shown = useRef<string>(undefined);
  const isFirst = useRef(true);
  useEffect(() => {
    if (chosenId === undefined) shown.current = undefined;
    if (chosenAt === undefined || shown.current === chosenId) return;
    shown.current = chosenId;
    scrollTo(chosenAt, isFirst.current ? "center" : "auto");
    isFirst.current = false;
  });
  useEffect(() => {
    if (isFollowing && rows.length > 0) scrollTo(rows.length - 1, "end");
  }, [isFollowing, rows.length]); // eslint-disable-line react-hooks/exhaustive-deps -- only when there are more rows
}
