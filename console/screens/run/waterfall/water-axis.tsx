import type { ReactNode, RefObject } from "react";
import { cx } from "../../../parts/class-names.ts";
import { formatDuration } from "../../../parts/format.ts";
import type { Tick } from "./span.ts";

/** From here on a time is written before its line: behind it, there is no room. */
const LAST_SHARE = 0.88;

/** The head of the grid: names of the columns, and the time above the bars. It stays while rows scroll. */
export function WaterAxis({
  ticks,
  isWide,
}: {
  readonly ticks: readonly Tick[];
  readonly isWide: boolean;
}): ReactNode {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className="water-head sticky top-0 z-10 grid h-7 items-center border-b border-l-2 border-b-line border-l-transparent bg-bg text-xs text-muted"
    >
      <div role="columnheader" className={isWide ? "pl-3" : "sr-only"}>
        Step
      </div>
      <div role="columnheader" className="relative col-start-2 row-start-1 h-full overflow-hidden">
        <span className="sr-only">Time</span>
        {ticks.map(({ atMs, share }) => (
          <span
            key={atMs}
            aria-hidden
            style={{ left: `${share * 100}%` }}
            className={cx(
              "absolute top-1.5 text-2xs whitespace-nowrap text-faint",
              share > LAST_SHARE ? "-translate-x-full pr-1" : "pl-1",
            )}
          >
            {formatDuration(atMs)}
          </span>
        ))}
      </div>
      <div role="columnheader" className={isWide ? "pr-3 text-right" : "sr-only"}>
        Took
      </div>
    </div>
  );
}

/** Behind the rows: a line for each tick. */
export function WaterLines({ ticks }: { readonly ticks: readonly Tick[] }): ReactNode {
  return (
    <div aria-hidden className="water-lines">
      {ticks.map(({ atMs, share }) => (
        <span key={atMs} className="water-line" style={{ left: `${share * 100}%` }} />
      ))}
    </div>
  );
}

interface WaterCursorProps {
  readonly lines: RefObject<HTMLDivElement | null>;
  readonly label: RefObject<HTMLSpanElement | null>;
}

/** Over the rows: a line under the pointer, with its time. */
export function WaterCursor({ lines, label }: WaterCursorProps): ReactNode {
  return (
    <div ref={lines} aria-hidden className="water-lines z-10">
      <span className="water-cursor">
        <span
          ref={label}
          className="absolute top-1 left-1 rounded-sm bg-raised px-1 text-2xs whitespace-nowrap text-text shadow-pop"
        />
      </span>
    </div>
  );
}
