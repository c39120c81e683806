import { useNavigate } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { countOf, formatNumber } from "../../parts/format.ts";
import { Table } from "../../parts/table.tsx";
import { useIsWide } from "../../parts/viewport.ts";
import { Visible } from "../../parts/visible.tsx";
import { NARROW, WIDE, type RankedHit } from "./hit-columns.tsx";
import type { Hit } from "./reasons.ts";
import type { Search } from "./search.ts";
import { passes } from "./tool-groups.ts";
import { NO_FILTER } from "./tool-list.tsx";

/** What the route gives at most. */
const HITS_MAX = 100;
const ROW_PX = { wide: 60, narrow: 104 } as const;

export interface ToolHitsProps {
  readonly query: string;
  readonly search: Search;
  readonly onChange: (patch: Search) => void;
}

/** The hits of the real search in their real order. */
export function ToolHits({ query, search, onChange }: ToolHitsProps): ReactNode {
  const isWide = useIsWide("sm");
  const navigate = useNavigate();
  const found = useAsk("searchTools", { query: { query, limit: HITS_MAX } }, { keep: true });
  const rows = useMemo(() => rankedHits(found.data?.hits ?? [], search), [found.data, search]);
  if (found.isError)
    return <ErrorState error={toolErrorOf(found.error)} onRetry={() => void found.refetch()} />;
  return (
    <>
      <p
        role="status"
        className="flex shrink-0 flex-wrap gap-x-3 border-b border-line px-4 py-1 text-xs text-muted max-sm:px-3"
      >
        {found.data !== undefined && <FoundText total={foundCount(found.data)} shown={rows.length} />}
      </p>
      <Table
        label="Tools that were found"
        rows={rows}
        columns={isWide ? WIDE : NARROW}
        rowKey={({ hit }) => hit.name}
        rowHeight={isWide ? ROW_PX.wide : ROW_PX.narrow}
        onOpen={({ hit }) => void navigate({ to: "/tools/$tool", params: { tool: hit.name } })}
        isLoading={found.isPending}
        empty={<NoHits query={query} onClear={() => onChange(NO_FILTER)} />}
      />
    </>
  );
}

function rankedHits(hits: readonly Hit[], search: Search): RankedHit[] {
  return hits.map((hit, at) => ({ hit, rank: at + 1 })).filter(({ hit }) => passes(hit, search));
}

/** The total also counts what is no tool, so it says more only where hits are left out. */
function foundCount({ hits, total }: { readonly hits: readonly Hit[]; readonly total: number }): number {
  return hits.length < HITS_MAX ? hits.length : total;
}

interface FoundTextProps {
  readonly total: number;
  readonly shown: number;
}

function FoundText({ total, shown }: FoundTextProps): ReactNode {
  return (
    <span>
      {shown < total ? `${formatNumber(shown)} of ${countOf(total, "tool")} shown` : countOf(total, "tool")},
      best first
    </span>
  );
}

function NoHits({ query, onClear }: { readonly query: string; readonly onClear: () => void }): ReactNode {
  return (
    <EmptyState
      icon={SearchX}
      title="Nothing matches"
      actions={<Button onClick={onClear}>Show all tools</Button>}
    >
      No tool shares a word with “<Visible text={query} max={100} />
      ”. Say what it should do in other words: an agent that asks this finds nothing either.
    </EmptyState>
  );
}
