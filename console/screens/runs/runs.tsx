import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAskPages } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FilterBar } from "../../parts/filter-bar.tsx";
import { Page } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { useIsWide } from "../../parts/viewport.ts";
import { EmptyRuns } from "./empty-runs.tsx";
import { ResumeDialog } from "./resume-dialog.tsx";
import { runColumns } from "./run-columns.tsx";
import { queryOf, runFilters, withSpan } from "./run-filters.ts";
import { canResume, type RunRow } from "./run-rows.ts";
import { RunsHistogram } from "./runs-histogram.tsx";
import type { Search } from "./search.ts";
import { SelectionBar } from "./selection-bar.tsx";

const PAGE = 100;
const NO_FILTER: Search = {
  status: undefined,
  kind: undefined,
  tool: undefined,
  text: undefined,
  since: undefined,
  until: undefined,
};

export function Runs(): ReactNode {
  const [search, setSearch] = useUrlSearch<Search>();
  const query = queryOf(search);
  const change = (patch: Partial<Search>) => setSearch(withSpan(patch));
  return (
    <Page title="Runs">
      <FilterBar
        value={search}
        onChange={change}
        filters={runFilters(search)}
        search={{ key: "text", label: "Search runs", placeholder: "Intent, name or source" }}
      >
        <div className="w-56 max-w-full max-md:hidden">
          <CommandTwin command={twinText("listRuns", { query }) ?? ""} />
        </div>
      </FilterBar>
      <RunsHistogram search={search} onSelect={setSearch} />
      <RunList search={search} onClear={() => setSearch(NO_FILTER)} />
    </Page>
  );
}

/** The list, with what was chosen in it. */
function RunList({ search, onClear }: { readonly search: Search; readonly onClear: () => void }): ReactNode {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [resumed, setResumed] = useState<RunRow>();
  const mayResume = useMay("resumeRun");
  const isWide = useIsWide("sm");
  const pages = useAskPages("listRuns", { query: { ...queryOf(search), limit: PAGE } }, { keep: true });
  const rows = useMemo(() => pages.data?.pages.flatMap(({ runs }) => runs) ?? [], [pages.data]);
  // What the filters hide is no longer chosen: an action must not reach what is not on screen.
  const chosenRuns = rows.filter(({ run_id: id }) => chosen.has(id));
  if (pages.isError && pages.data === undefined) {
    return <ErrorState error={toolErrorOf(pages.error)} onRetry={() => void pages.refetch()} />;
  }
  return (
    <>
      <Table
        label="Runs"
        rows={rows}
        columns={runColumns(isWide)}
        rowKey={keyOfRun}
        isLoading={pages.isPending}
        selected={chosen}
        onSelectedChange={setChosen}
        onOpen={(run) => void navigate({ to: "/runs/$run", params: { run: run.run_id } })}
        onEndReached={() => {
          if (pages.hasNextPage && !pages.isFetching) void pages.fetchNextPage();
        }}
        {...(mayResume && {
          rowKeys: {
            r: { label: "Resume the run", run: (run: RunRow) => canResume(run) && setResumed(run) },
          },
        })}
        empty={
          <EmptyRuns
            isFiltered={Object.values(search).some((value) => value !== undefined)}
            onClear={onClear}
          />
        }
      />
      {chosenRuns.length > 0 && <SelectionBar runs={chosenRuns} onClear={() => setChosen(new Set())} />}
      {resumed !== undefined && <ResumeDialog run={resumed} onClose={() => setResumed(undefined)} />}
    </>
  );
}

function keyOfRun({ run_id: id }: RunRow): string {
  return id;
}
