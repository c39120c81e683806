import { useRef, useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { SplitPane } from "../../parts/split-pane.tsx";
import { Table } from "../../parts/table.tsx";
import { callColumns } from "./call-columns.tsx";
import { CallDetail } from "./call-detail.tsx";
import { filterOf } from "./call-filters.ts";
import { NewCalls, NoCalls, NotListed } from "./call-notes.tsx";
import type { CallRow } from "./call-tail.ts";
import { useLiveCalls } from "./live-calls.ts";
import type { Search } from "./search.ts";
import { useShownCalls } from "./shown-calls.ts";

const NO_FILTER: Search = {
  tool: undefined,
  who: undefined,
  outcome: undefined,
  run: undefined,
  since: undefined,
};

export interface CallListProps {
  readonly search: Search;
  readonly change: (patch: Partial<Search>) => void;
  readonly isPaused: boolean;
}

/** Of the open call, in percent. */
const DETAIL_PERCENT = 38;

/** The tail, and the open call beside it. */
export function CallList({ search, change, isPaused }: CallListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const live = useLiveCalls(filterOf(search));
  const shown = useShownCalls(live.rows, isPaused, scroller);
  const [size, setSize] = useState(DETAIL_PERCENT);
  const open = live.rows.find(({ id }) => id === search.call);
  const isMissing = open === undefined && search.call !== undefined && !live.isLoading;
  const close = () => change({ call: undefined });
  if (live.error !== null && live.rows.length === 0) {
    return <ErrorState error={toolErrorOf(live.error)} onRetry={live.retry} />;
  }
  return (
    <SplitPane
      label="Call"
      size={size}
      onSize={setSize}
      start={
        <div className="relative flex min-h-0 flex-1 flex-col">
          <NewCalls count={shown.newCount} onShow={shown.showNew} />
          <Table
            label="Calls"
            rows={shown.rows}
            columns={callColumns(open !== undefined)}
            rowKey={keyOfCall}
            isLoading={live.isLoading}
            current={search.call}
            scroller={scroller}
            onOpen={({ id }) => change({ call: id === search.call ? undefined : id })}
            onEndReached={live.loadOlder}
            empty={
              <NoCalls
                isFiltered={Object.keys(filterOf(search)).length > 0}
                onClear={() => change(NO_FILTER)}
              />
            }
          />
        </div>
      }
      end={
        open === undefined ? (
          isMissing ? (
            <NotListed onClose={close} />
          ) : undefined
        ) : (
          <CallDetail key={open.id} call={open} onClose={close} />
        )
      }
    />
  );
}

function keyOfCall({ id }: CallRow): string {
  return id;
}
