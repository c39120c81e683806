import { useMemo, type ReactNode } from "react";
import { cx } from "../../../parts/class-names.ts";
import { formatDuration } from "../../../parts/format.ts";
import { isWhole } from "./brush.ts";
import { overviewOf, type Overview } from "./overview.ts";
import type { WaterRow } from "./row-types.ts";
import { shareOf, type Span } from "./span.ts";
import { useBrush, type Brush } from "./use-brush.ts";

/** About as many as there are pixels in two. */
const BIN_COUNT = 240;

export interface OverviewStripProps {
  readonly rows: readonly WaterRow[];
  readonly whole: Span;
  readonly span: Span;
  /** How far the run has come. */
  readonly nowMs: number;
  /** While it is dragged. */
  readonly onPreview: (span: Span | undefined) => void;
  readonly onChange: (span: Span) => void;
}

/** The whole run in a strip. Drag over it to look closer, double click for everything; the two ends move with arrow keys too. */
export function OverviewStrip({
  rows,
  whole,
  span,
  nowMs,
  onPreview,
  onChange,
}: OverviewStripProps): ReactNode {
  const { fromMs, toMs } = whole;
  const overview = useMemo(
    () => overviewOf(rows, { fromMs, toMs }, BIN_COUNT, nowMs),
    [rows, fromMs, toMs, nowMs],
  );
  const brush = useBrush({ whole, span, onPreview, onChange });
  const [left, right] = [shareOf(whole, span.fromMs) * 100, 100 - shareOf(whole, span.toMs) * 100];
  const isZoomed = !isWhole(whole, span);
  return (
    <div
      ref={brush.strip}
      role="group"
      aria-label="Part of the time that is shown"
      onPointerDown={brush.onPointerDown}
      onPointerMove={brush.onPointerMove}
      onPointerUp={brush.onPointerUp}
      onPointerCancel={brush.onPointerUp}
      onDoubleClick={() => onChange(whole)}
      // A drag leaves the focus where it is: in the rows.
      onMouseDown={(event) => event.preventDefault()}
      className={cx(
        "relative h-9 touch-none overflow-hidden rounded-sm bg-sunken inset-ring inset-ring-line",
        isZoomed ? "cursor-grab" : "cursor-crosshair",
      )}
    >
      <OverviewPicture overview={overview} />
      <span aria-hidden style={{ width: `${left}%` }} className="absolute inset-y-0 left-0 bg-bg/75" />
      <span aria-hidden style={{ width: `${right}%` }} className="absolute inset-y-0 right-0 bg-bg/75" />
      <Handle edge="from" at={`${left}%`} valueMs={span.fromMs} whole={whole} brush={brush} />
      <Handle edge="to" at={`${100 - right}%`} valueMs={span.toMs} whole={whole} brush={brush} />
    </div>
  );
}

/** One path for how busy it was: hundreds of parts are one element. */
function OverviewPicture({ overview }: { readonly overview: Overview }): ReactNode {
  const { busy, troubled, waiting } = overview;
  const top = busy.map((value, at) => `V${(36 - value * 26).toFixed(1)}H${at + 1}`).join("");
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${busy.length} 36`}
      preserveAspectRatio="none"
      className="absolute inset-0 size-full"
    >
      <path d={`M0,36${top}V36Z`} className="fill-run-fill/45" />
      <path d={ticksPath(waiting, 33, 3)} className="fill-wait-fill" />
      <path d={ticksPath(troubled, 0, 7)} className="fill-fail-fill" />
    </svg>
  );
}

function ticksPath(bins: ReadonlySet<number>, top: number, height: number): string {
  return [...bins].map((bin) => `M${bin},${top}h1v${height}h-1z`).join("");
}

interface HandleProps {
  readonly edge: "from" | "to";
  readonly at: string;
  readonly valueMs: number;
  readonly whole: Span;
  readonly brush: Brush;
}

function Handle({ edge, at, valueMs, whole, brush }: HandleProps): ReactNode {
  return (
    <span
      role="slider"
      tabIndex={0}
      data-edge={edge}
      aria-label={edge === "from" ? "Shown from" : "Shown until"}
      aria-valuemin={whole.fromMs}
      aria-valuemax={Math.round(whole.toMs)}
      aria-valuenow={Math.round(valueMs)}
      aria-valuetext={formatDuration(valueMs)}
      onKeyDown={(event) => brush.onEdgeKey(event, edge)}
      style={{ left: at }}
      className={cx(
        "row-focus absolute inset-y-0 w-2 cursor-ew-resize before:absolute before:inset-y-1 before:w-0.5 before:rounded-sm before:bg-muted",
        edge === "from" ? "before:left-0" : "-translate-x-full before:right-0",
      )}
    />
  );
}
