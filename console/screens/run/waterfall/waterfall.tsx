import { Hourglass } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type CSSProperties, type ReactNode } from "react";
import type { Answer } from "../../../api/client.ts";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { useIsWide } from "../../../parts/viewport.ts";
import type { Search } from "../search.ts";
import { isWhole, readSpan, writeSpan, zoomSpan } from "./brush.ts";
import { chosenOfRow, idOfChosen, writeChosen, type Chosen } from "./chosen.ts";
import { OverviewStrip } from "./overview-strip.tsx";
import type { WaterRow } from "./row-types.ts";
import { lengthOf, ticksOf, type Span } from "./span.ts";
import { useCursor } from "./use-cursor.ts";
import { useWholeSpan } from "./use-ticker.ts";
import { useWaterKeys } from "./use-water-keys.ts";
import { useWaterRows } from "./use-water-rows.ts";
import { useWidths } from "./use-width.ts";
import { WaterCursor, WaterLines } from "./water-axis.tsx";
import { WaterBar } from "./water-bar.tsx";
import { WaterGrid } from "./water-grid.tsx";
import "./waterfall.css";

export interface WaterfallProps {
  readonly head: Answer<"getRun">;
  readonly chosen: Chosen | undefined;
  readonly search: Search;
  readonly onSearch: (patch: Partial<Search>) => void;
  /** Whether its keys count: not while a sheet lies over it. */
  readonly hasKeys: boolean;
}

/** 20,000 rows: more are fetched when somebody asks for them. */
const PAGES_MAX = 40;
/** Between two ticks, so that their times do not touch. */
const TICK_PX = 84;
/** The columns beside the bars, about. */
const TRACK_SHARE = 0.56;

/** A run in time: one row for each call, what is equal in groups, what runs below inside of it. */
export function Waterfall({ head, chosen, search, onSearch, hasKeys }: WaterfallProps): ReactNode {
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [pagesMax, setPagesMax] = useState(PAGES_MAX);
  const [preview, setPreview] = useState<Span>();
  const depth = Math.min(9, Math.max(1, Number(search.depth ?? 1) || 1));
  const reveal = chosen?.isGroup === false ? chosen : undefined;
  const { rows, clock, endMs, stepCount, retry } = useWaterRows({ head, opened, depth, pagesMax, reveal });

  const frame = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const isWide = useIsWide("sm");
  const { width, gutter } = useWidths(scroller);
  const whole = useWholeSpan(frame, clock, endMs);
  const span = preview ?? readSpan(whole, search.from, search.to);
  const cursor = useCursor(span);
  const trackPx = isWide ? width * TRACK_SHARE : width;
  const ticks = ticksOf(span, Math.max(2, Math.floor(trackPx / TICK_PX)));

  const beganAt = useBeganAt(clock.heardAt - clock.elapsedMs);
  const chosenId = chosen && idOfChosen(chosen);
  const chosenAt = useMemo(() => indexOf(rows, chosenId), [rows, chosenId]);
  useKeepRevealed(rows, reveal, opened, setOpened);

  const isLive = endMs === undefined;
  const isFollowing = isLive && search.follow === "1";
  const showSpan = (next: Span) => onSearch(writeSpan(whole, next));
  const setFollowing = (isOn: boolean) => onSearch({ follow: isOn ? "1" : undefined });
  const setDepth = (next: number) => {
    setOpened(new Map());
    onSearch({ depth: next <= 1 ? undefined : String(next) });
  };
  const toggle = (at: number) => {
    const row = rows[at];
    if (row?.isOpen !== undefined) setOpened(new Map(opened).set(row.id, !row.isOpen));
  };
  const pick = (at: number) => {
    const row = rows[at]!;
    if (row.kind === "more") return setPagesMax(pagesMax + PAGES_MAX);
    if (row.kind === "failed") return retry();
    const next = chosenOfRow(row);
    if (next !== undefined) onSearch(writeChosen(head.run_id, next));
  };
  const onKeyDown = useWaterKeys(
    {
      rows,
      chosenAt,
      onPick: pick,
      onToggle: toggle,
      onDepth: setDepth,
      onZoom: (factor) =>
        showSpan(factor === Infinity ? whole : zoomSpan(whole, span, factor, (span.fromMs + span.toMs) / 2)),
      onFollow: () => setFollowing(!isFollowing),
      onLeave: () => onSearch(writeChosen(head.run_id, undefined)),
    },
    hasKeys,
  );

  if (rows.length === 0) return <NoSteps head={head} />;
  const scale = {
    "--from": span.fromMs,
    "--span": lengthOf(span),
    "--gutter": `${gutter}px`,
  } as CSSProperties;
  return (
    <div
      ref={frame}
      style={scale}
      onPointerMove={cursor.onPointerMove}
      onPointerLeave={cursor.onPointerLeave}
      className="water flex h-full min-h-0 flex-col"
    >
      <div className="water-top grid shrink-0 items-center border-b border-line py-1.5">
        <WaterBar
          stepCount={stepCount}
          depth={depth}
          onDepth={setDepth}
          isZoomed={!isWhole(whole, span)}
          onWhole={() => showSpan(whole)}
          isLive={isLive}
          isFollowing={isFollowing}
          onFollow={() => setFollowing(!isFollowing)}
        />
        <OverviewStrip
          rows={rows}
          whole={whole}
          span={span}
          nowMs={endMs ?? clock.elapsedMs}
          onPreview={setPreview}
          onChange={showSpan}
        />
      </div>
      <div className="relative min-h-0 flex-1">
        <WaterLines ticks={ticks} />
        <WaterGrid
          scroller={scroller}
          label="Steps of the run"
          rows={rows}
          rowCount={rows.length}
          chosenAt={chosenAt}
          chosenId={chosenId}
          ticks={ticks}
          isWide={isWide}
          isFollowing={isFollowing}
          beganAt={beganAt}
          onPick={pick}
          onToggle={toggle}
          onKeyDown={onKeyDown}
          onLeaveEnd={() => isFollowing && setFollowing(false)}
        />
        <WaterCursor lines={cursor.lines} label={cursor.label} />
      </div>
    </div>
  );
}

function indexOf(rows: readonly WaterRow[], id: string | undefined): number | undefined {
  const at = id === undefined ? -1 : rows.findIndex((row) => row.id === id);
  return at === -1 ? undefined : at;
}

/** Each answer takes its time on the way: a difference that small is none, and would draw every row again. */
const JITTER_MS = 1_500;

function useBeganAt(beganAt: number): number {
  const [kept, setKept] = useState(beganAt);
  const isOff = Math.abs(kept - beganAt) > JITTER_MS;
  useEffect(() => {
    if (isOff) setKept(beganAt);
  }, [isOff, beganAt]);
  return isOff ? beganAt : kept;
}

/** A group that was opened for the chosen step stays open when another one is chosen: rows do not jump away. */
function useKeepRevealed(
  rows: readonly WaterRow[],
  reveal: Chosen | undefined,
  opened: ReadonlyMap<string, boolean>,
  setOpened: (opened: ReadonlyMap<string, boolean>) => void,
): void {
  useEffect(() => {
    const group = rows.find(
      (row) =>
        row.kind === "group" &&
        row.isOpen === true &&
        row.run === reveal?.run &&
        row.group.from_step <= reveal.step &&
        row.group.to_step >= reveal.step,
    );
    if (group !== undefined && !opened.has(group.id)) setOpened(new Map(opened).set(group.id, true));
  }, [rows, reveal, opened, setOpened]);
}

function NoSteps({ head }: { readonly head: Answer<"getRun"> }): ReactNode {
  return (
    <EmptyState icon={Hourglass} title={head.status === "running" ? "No call yet" : "It made no calls"}>
      {head.status === "running"
        ? "Each call appears here when it begins."
        : "The code ended without calling a tool. The Log has what it printed, the Source what ran."}
    </EmptyState>
  );
}
