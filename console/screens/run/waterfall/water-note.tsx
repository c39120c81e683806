import type { ReactNode } from "react";
import { Skeleton } from "../../../parts/skeleton.tsx";

interface WaterNoteProps {
  readonly kind: "loading" | "failed" | "more";
  readonly domId: string;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly level: number;
  readonly isChosen: boolean;
}

const WORDS = {
  loading: "Loading steps",
  failed: "These steps could not be read. Try again",
  more: "Show more steps",
} as const;

/** In place of rows that are not there. */
export function WaterNote({ kind, domId, index, top, height, level, isChosen }: WaterNoteProps): ReactNode {
  return (
    <div
      role="row"
      id={domId}
      data-index={index}
      aria-rowindex={index + 2}
      aria-level={level}
      aria-selected={isChosen}
      style={{ height, transform: `translateY(${top}px)` }}
      className="absolute inset-x-0 top-0 flex items-center"
    >
      <div role="gridcell" style={{ paddingLeft: 38 + (level - 1) * 14 }} className="text-xs">
        {kind === "loading" ? (
          <>
            <Skeleton className="h-3 w-40" />
            <span className="sr-only">{WORDS.loading}</span>
          </>
        ) : (
          <span className={kind === "failed" ? "text-fail" : "text-accent"}>{WORDS[kind]}</span>
        )}
      </div>
    </div>
  );
}
