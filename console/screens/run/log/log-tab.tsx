import { useVirtualizer } from "@tanstack/react-virtual";
import { ScrollText } from "lucide-react";
import { useMemo, useRef, type ReactNode } from "react";
import { cx } from "../../../parts/class-names.ts";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { FilterBar, type Filter } from "../../../parts/filter-bar.tsx";
import { countOf, formatDuration } from "../../../parts/format.ts";
import { StatusDot } from "../../../parts/status.tsx";
import { Visible } from "../../../parts/visible.tsx";
import type { RunHead } from "../run-view.ts";
import type { Search } from "../search.ts";
import { idOfChosen, type Chosen } from "../waterfall/chosen.ts";
import { useWaterRows } from "../waterfall/use-water-rows.ts";
import { filterLines, logLines, type LogLine } from "./log-lines.ts";

export interface LogTabProps {
  readonly head: RunHead;
  readonly search: Search;
  readonly onSearch: (patch: Partial<Search>) => void;
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

const LEVELS = ["step", "debug", "info", "warn", "error"].map((value) => ({ value, label: value }));
const FILTERS: readonly Filter[] = [{ key: "level", label: "Level", kind: "many", options: LEVELS }];
const NOTHING_OPEN: ReadonlyMap<string, boolean> = new Map();
/** As many as the waterfall fetches by itself. */
const PAGES_MAX = 40;
const LINE_PX = 24;
/** Of one message: the rest is copied, not read. */
const TEXT_MAX = 4_000;

/** What the run printed, between the beginnings and ends of its steps. */
export function LogTab({ head, search, onSearch, chosen, onChoose }: LogTabProps): ReactNode {
  const { rows } = useWaterRows({
    head,
    opened: NOTHING_OPEN,
    depth: 1,
    pagesMax: PAGES_MAX,
    reveal: undefined,
  });
  const all = useMemo(() => logLines(rows, head.logs), [rows, head.logs]);
  const lines = useMemo(() => filterLines(all, search.level, search.text), [all, search.level, search.text]);
  return (
    <>
      <FilterBar
        value={search}
        onChange={onSearch}
        filters={FILTERS}
        search={{ key: "text", label: "Search the log" }}
      >
        <span className="text-xs text-muted">{countOf(lines.length, "line")}</span>
      </FilterBar>
      {lines.length === 0 ? (
        <NoLines isFiltered={all.length > 0} head={head} />
      ) : (
        <Lines lines={lines} chosen={chosen} onChoose={onChoose} />
      )}
    </>
  );
}

function NoLines({ isFiltered, head }: { readonly isFiltered: boolean; readonly head: RunHead }): ReactNode {
  if (isFiltered) return <EmptyState icon={ScrollText} title="No line is like that" />;
  return (
    <EmptyState icon={ScrollText} title="Nothing was printed">
      {head.status === "running"
        ? "What the code prints is here when the run has ended."
        : "console.log in code writes here."}
    </EmptyState>
  );
}

interface LinesProps {
  readonly lines: readonly LogLine[];
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

function Lines({ lines, chosen, onChoose }: LinesProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
    getItemKey: (at) => lines[at]!.id,
  });
  const chosenId = chosen && idOfChosen(chosen);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <div
      ref={scroller}
      role="region"
      aria-label="Log"
      tabIndex={0}
      className="row-focus min-h-0 flex-1 overflow-auto font-mono text-xs"
    >
      <ol className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index]!;
          return (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              style={{ transform: `translateY(${start}px)` }}
              className={cx(
                "absolute inset-x-0 top-0",
                line.chosen !== undefined && idOfChosen(line.chosen) === chosenId && "bg-selected",
              )}
            >
              <Line line={line} onChoose={onChoose} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

const TONES: Readonly<Record<LogLine["level"], string>> = {
  step: "text-muted",
  debug: "text-faint",
  info: "text-text",
  warn: "text-wait",
  error: "text-fail",
};

function Line({
  line,
  onChoose,
}: {
  readonly line: LogLine;
  readonly onChoose: (chosen: Chosen) => void;
}): ReactNode {
  const { atMs, level, text, state, chosen } = line;
  const content = (
    <>
      <span className="w-16 shrink-0 text-right text-faint">
        {atMs === undefined ? "–" : formatDuration(atMs)}
      </span>
      <span className={cx("w-12 shrink-0", TONES[level])}>
        {state === undefined ? level : <StatusDot state={state} iconOnly />}
      </span>
      <span className={cx("foreign min-w-0 flex-1", TONES[level])}>
        <Visible text={text} max={TEXT_MAX} />
      </span>
    </>
  );
  const look = "flex min-h-6 w-full gap-3 px-4 py-[3px] text-left max-sm:gap-2 max-sm:px-3";
  if (chosen === undefined) return <div className={look}>{content}</div>;
  return (
    <button type="button" onClick={() => onChoose(chosen)} className={cx(look, "row-focus hover:bg-hover")}>
      {content}
    </button>
  );
}
