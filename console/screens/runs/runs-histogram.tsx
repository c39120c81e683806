import type { ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { RunBars, RunLegend, sumOfRuns } from "../../parts/run-bars.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { rangeOf, USUAL_SINCE } from "./bucket-range.ts";
import { queryOf } from "./run-filters.ts";
import type { Search } from "./search.ts";

export interface RunsHistogramProps {
  readonly search: Search;
  readonly onSelect: (range: { readonly since: string; readonly until: string }) => void;
}

const BUCKETS = 60;

/** When runs began, under the filters of the list; a bar, or a drag over some, is a filter too. */
export function RunsHistogram({ search, onSelect }: RunsHistogramProps): ReactNode {
  const query = queryOf(search);
  const counted = useAsk(
    "countRuns",
    { query: { ...query, since: query.since ?? USUAL_SINCE, buckets: BUCKETS } },
    { keep: true },
  );
  const { data } = counted;
  if (counted.isError && data === undefined) return null;
  const select = (first: number, last: number) => {
    const range = data && rangeOf(data, first, last);
    if (range !== undefined) onSelect(range);
  };
  return (
    <div className="shrink-0 border-b border-line px-4 pt-3 pb-2 max-sm:px-3">
      {data === undefined ? (
        <Skeleton className="h-[5.75rem] w-full" />
      ) : (
        <>
          <RunBars
            label={query.since === undefined ? "Runs of 24 hours" : "Runs"}
            histogram={data}
            onSelect={select}
            height={48}
          />
          <div className="mt-1 flex flex-wrap items-center justify-between gap-x-4">
            <RunLegend counts={sumOfRuns(data)} />
            <span className="text-2xs text-faint max-sm:hidden">
              Click or drag over bars to choose a time
            </span>
          </div>
        </>
      )}
    </div>
  );
}
