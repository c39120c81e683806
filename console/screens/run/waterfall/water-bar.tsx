import { ArrowDownToLine, ChevronsDownUp, ChevronsUpDown, Maximize2 } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../../parts/button.tsx";
import { countOf } from "../../../parts/format.ts";

export interface WaterBarProps {
  readonly stepCount: number;
  readonly depth: number;
  readonly onDepth: (depth: number) => void;
  readonly isZoomed: boolean;
  readonly onWhole: () => void;
  readonly isLive: boolean;
  readonly isFollowing: boolean;
  readonly onFollow: () => void;
}

/** Deeper than runs usually start runs. */
const DEPTH_MAX = 9;

/** What the waterfall shows, beside its overview. */
export function WaterBar(props: WaterBarProps): ReactNode {
  const { stepCount, depth, onDepth, isZoomed, onWhole, isLive, isFollowing, onFollow } = props;
  return (
    <div className="flex min-w-0 items-center gap-0.5 pr-2 pl-3 max-sm:px-0">
      <span className="min-w-0 flex-1 truncate text-xs text-muted">{countOf(stepCount, "step")}</span>
      {isLive && (
        <IconButton
          size="sm"
          icon={ArrowDownToLine}
          label="Follow the end"
          shortcut="f"
          aria-pressed={isFollowing}
          onClick={onFollow}
          className={isFollowing ? "bg-selected text-accent!" : ""}
        />
      )}
      {isZoomed && (
        <IconButton size="sm" icon={Maximize2} label="Show the whole time" shortcut="0" onClick={onWhole} />
      )}
      <IconButton
        size="sm"
        icon={ChevronsDownUp}
        label="Close one level"
        disabled={depth <= 1}
        onClick={() => onDepth(depth - 1)}
      />
      <span
        aria-live="polite"
        className="w-4 text-center text-xs text-muted"
        title={`Open ${depth} deep: keys 1 to 9`}
      >
        <span className="sr-only">Open </span>
        {depth}
        <span className="sr-only"> deep</span>
      </span>
      <IconButton
        size="sm"
        icon={ChevronsUpDown}
        label="Open one level"
        disabled={depth >= DEPTH_MAX}
        onClick={() => onDepth(depth + 1)}
      />
    </div>
  );
}
