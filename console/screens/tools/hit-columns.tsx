import type { ReactNode } from "react";
import { EffectMark } from "../../parts/effect-mark.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Visible } from "../../parts/visible.tsx";
import { HitReasons } from "./hit-reasons.tsx";
import type { Hit } from "./reasons.ts";
import { Description, ListedMark } from "./tool-columns.tsx";

export interface RankedHit {
  readonly hit: Hit;
  readonly rank: number;
}

const REASONS: Column<RankedHit> = {
  id: "why",
  title: "Why it ranks here",
  width: "minmax(16rem, 26rem)",
  cell: ({ hit }) => <HitReasons hit={hit} />,
};
const EFFECT: Column<RankedHit> = {
  id: "effect",
  title: "Effect",
  width: "7rem",
  from: "md",
  cell: ({ hit }) => (
    <span className="flex flex-col">
      <EffectMark effect={hit.effect} />
      <ListedMark listed={hit.listed} />
    </span>
  ),
};

/** In a window with room: a column for each. */
export const WIDE: readonly Column<RankedHit>[] = [
  {
    id: "rank",
    title: "#",
    width: "1.5rem",
    align: "end",
    cell: ({ rank }) => <span className="text-faint">{rank}</span>,
  },
  { id: "tool", title: "Tool", width: "minmax(12rem, 1fr)", cell: ({ hit }) => <HitName hit={hit} /> },
  REASONS,
  EFFECT,
  {
    id: "score",
    title: "Score",
    width: "4rem",
    align: "end",
    cell: ({ hit }) => <Score hit={hit} />,
  },
];
/** Elsewhere: one below the other. */
export const NARROW: readonly Column<RankedHit>[] = [
  {
    id: "tool",
    title: "Tool and why it ranks here",
    width: "minmax(0, 1fr)",
    cell: ({ hit }) => (
      <div className="flex flex-col gap-1.5">
        <HitName hit={hit} />
        <HitReasons hit={hit} />
      </div>
    ),
  },
];

function HitName({ hit }: { readonly hit: Hit }): ReactNode {
  return (
    <span className="block min-w-0">
      <span className="block truncate font-mono text-xs font-medium">
        <Visible text={hit.written} max={160} />
      </span>
      <span className="block truncate">
        <Description tool={hit} />
      </span>
    </span>
  );
}

/** Library items are searched among themselves and come first, so their scores do not compare with those of servers. */
function Score({ hit: { score, kind } }: { readonly hit: Hit }): ReactNode {
  if (score === null) return <span className="text-faint">–</span>;
  return (
    <>
      {score.toFixed(2)}
      {kind === "kept" && (
        <span
          className="block text-xs text-muted"
          title="Library items are searched among themselves and come before tools of servers"
        >
          library
        </span>
      )}
    </>
  );
}
