import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useAskPages } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FilterBar, type Filter } from "../../parts/filter-bar.tsx";
import { StatusDot, wordOf } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Duration, Time } from "../../parts/time.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Visible } from "../../parts/visible.tsx";
import type { ItemDetails } from "./item-details.ts";
import type { Search } from "./search.ts";

type Run = Answer<"listRuns">["runs"][number];

const PAGE = 100;
const STATUSES = ["queued", "running", "paused", "succeeded", "failed", "cancelled", "interrupted"];
const FILTERS: readonly Filter[] = [
  {
    key: "status",
    label: "Status",
    kind: "many",
    options: STATUSES.map((value) => ({ value, label: wordOf(value) })),
  },
];

const COLUMNS: readonly Column<Run>[] = [
  { id: "status", title: "Status", width: "7rem", cell: ({ status }) => <StatusDot state={status} /> },
  {
    id: "intent",
    title: "Run",
    width: "minmax(8rem, 2fr)",
    cell: ({ intent, name, run_id }) => <Visible text={intent ?? name ?? run_id} max={200} />,
  },
  {
    id: "kind",
    title: "Kind",
    width: "6rem",
    from: "md",
    cell: ({ kind }) => <span className="text-muted">{kind}</span>,
  },
  {
    id: "who",
    title: "Who",
    width: "minmax(5rem, 1fr)",
    from: "sm",
    cell: ({ who }) => <Visible text={who} max={80} />,
  },
  {
    id: "began",
    title: "Began",
    width: "5.5rem",
    align: "end",
    cell: ({ started_at }) => <Time at={started_at} />,
  },
  {
    id: "took",
    title: "Took",
    width: "5rem",
    align: "end",
    cell: ({ elapsed_ms, started_at }) => <Duration ms={elapsed_ms} since={started_at} />,
  },
];

/** The runs of an item, and those of code that names it. */
export function ItemRuns({ item: { name } }: { readonly item: ItemDetails }): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const query = { text: name, ...(search.status !== undefined && { status: search.status }) };
  const asked = useAskPages("listRuns", { query: { ...query, limit: PAGE } }, { keep: true });
  const navigate = useNavigate();
  return (
    <>
      <FilterBar value={search} onChange={change} filters={FILTERS}>
        <div className="w-72 max-w-full max-md:hidden">
          <CommandTwin command={twinText("listRuns", { query }) ?? ""} />
        </div>
      </FilterBar>
      {asked.isError ? (
        <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />
      ) : (
        <Table
          label="Runs of the item"
          rows={asked.data?.pages.flatMap(({ runs }) => runs) ?? []}
          columns={COLUMNS}
          rowKey={({ run_id }) => run_id}
          onOpen={({ run_id }) => void navigate({ to: "/runs/$run", params: { run: run_id } })}
          onEndReached={() => {
            if (asked.hasNextPage && !asked.isFetchingNextPage) void asked.fetchNextPage();
          }}
          isLoading={asked.isPending}
          empty={
            <EmptyState
              icon={Play}
              title="No runs of it yet"
              command={twinText("startRun", { body: { name } }) ?? ""}
            >
              Run it here under “Run it”, or let a client call it. Each run appears here at once.
            </EmptyState>
          }
        />
      )}
    </>
  );
}
