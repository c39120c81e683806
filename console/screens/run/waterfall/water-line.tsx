import { ChevronRight } from "lucide-react";
import { memo, type CSSProperties, type ReactNode } from "react";
import { cx } from "../../../parts/class-names.ts";
import { formatNumber } from "../../../parts/format.ts";
import { StatusDot } from "../../../parts/status.tsx";
import { Duration } from "../../../parts/time.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { segmentsOfGroup, segmentsOfStep, shownStatus, type RunPlace, type Segment } from "./bar.ts";
import { describeBar } from "./bar-words.ts";
import type { GroupRow, StepRow } from "./row-types.ts";

/** Plain values, so that a row that did not change is not drawn again. */
export interface WaterLineProps {
  readonly domId: string;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly level: number;
  readonly isOpen: boolean | undefined;
  readonly isChosen: boolean;
  readonly row: StepRow | GroupRow;
  readonly offsetMs: number;
  readonly endMs: number | undefined;
  readonly isPast: boolean;
  /** The instant at which the run began by this browser's clock. */
  readonly beganAt: number;
}

/** Enough for a row; the panel has the rest. */
const NAME_MAX = 120;
const ARGS_MAX = 90;

export const WaterLine = memo(function WaterLine(props: WaterLineProps): ReactNode {
  const { domId, index, top, height, level, isOpen, isChosen, row, offsetMs, endMs, isPast, beganAt } = props;
  const place: RunPlace = { offsetMs, endMs, isPast };
  const segments = row.row === "step" ? segmentsOfStep(row, place) : segmentsOfGroup(row, place);
  return (
    // The grid hears the keys and the clicks of all rows.
    <div
      role="row"
      id={domId}
      data-index={index}
      aria-rowindex={index + 2}
      aria-level={level}
      aria-expanded={isOpen}
      aria-selected={isChosen}
      style={{ height, transform: `translateY(${top}px)` }}
      className={cx(
        "water-row absolute inset-x-0 top-0 border-l-2",
        isChosen ? "border-accent bg-selected/70" : "border-transparent hover:bg-hover/60",
      )}
    >
      <div
        role="gridcell"
        style={{ paddingLeft: 8 + (level - 1) * 14 }}
        className="flex min-w-0 items-center gap-1.5 pr-2"
      >
        <span data-toggle className="-my-1 -ml-1 flex size-5 shrink-0 items-center justify-center text-faint">
          {isOpen !== undefined && (
            <ChevronRight aria-hidden size={13} className={cx(isOpen && "rotate-90")} />
          )}
        </span>
        <span className="flex shrink-0">
          <StatusDot state={shownStatus(row.status, endMs !== undefined)} iconOnly />
        </span>
        {row.row === "step" ? <StepName step={row} /> : <GroupName group={row} />}
      </div>
      <div role="gridcell" className="water-track">
        {segments.map((segment, at) => (
          <Bar key={at} segment={segment} isGroup={row.row === "group"} />
        ))}
        <span className="sr-only">{describeBar(row, segments)}</span>
      </div>
      <div role="gridcell" className="flex items-center justify-end pr-3 pl-2 text-xs text-muted">
        <Took segments={segments} elapsedMs={row.elapsed_ms} beganAt={beganAt} />
      </div>
    </div>
  );
});

function StepName({ step }: { readonly step: StepRow }): ReactNode {
  const { name, tool, args_text: args } = step;
  return (
    <span className="min-w-0 truncate font-mono text-xs">
      <Visible text={name} max={NAME_MAX} />
      {!name.startsWith(tool) && (
        <span className="text-muted">
          {" "}
          <Visible text={tool} max={NAME_MAX} />
        </span>
      )}
      {args !== "" && args !== "{}" && (
        <span className="text-faint">
          {" "}
          <Visible text={args} max={ARGS_MAX} />
        </span>
      )}
    </span>
  );
}

function GroupName({ group }: { readonly group: GroupRow }): ReactNode {
  return (
    <span className="min-w-0 truncate font-mono text-xs">
      <Visible text={group.tool} max={NAME_MAX} />
      <span className="text-muted"> × {formatNumber(group.count)}</span>
    </span>
  );
}

function Bar({ segment, isGroup }: { readonly segment: Segment; readonly isGroup: boolean }): ReactNode {
  const { kind, pattern, startMs, ms } = segment;
  return (
    <span
      aria-hidden
      className="water-bar"
      data-kind={kind}
      data-pattern={pattern}
      data-group={isGroup || undefined}
      data-live={ms === undefined || undefined}
      style={{ "--s": startMs, "--d": ms } as CSSProperties}
    />
  );
}

interface TookProps {
  readonly segments: readonly Segment[];
  readonly elapsedMs: number | null;
  readonly beganAt: number;
}

function Took({ segments, elapsedMs, beganAt }: TookProps): ReactNode {
  const last = segments.at(-1)!;
  if (last.pattern === "journal") return <span className="text-faint">journal</span>;
  if (last.ms !== undefined) return <Duration ms={elapsedMs} />;
  return <Duration since={new Date(beganAt + segments[0]!.startMs).toISOString()} className="text-run" />;
}
