import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FilterBar, type Filter } from "../../parts/filter-bar.tsx";
import { countOf } from "../../parts/format.ts";
import { Page } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Visible } from "../../parts/visible.tsx";
import { LIBRARY_COLUMNS } from "./library-columns.tsx";
import { LibraryEmpty } from "./library-empty.tsx";
import { filterItems, tagsOf, type LibraryItem } from "./library-filter.ts";
import type { Search } from "./search.ts";

const KINDS = [
  { value: "code", label: "Code" },
  { value: "workflow", label: "Workflow" },
];

/** What was saved. */
export function Library(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const query = search.pattern === undefined ? {} : { pattern: search.pattern };
  const asked = useAsk("listLibrary", { query }, { keep: true });
  const items = asked.data?.items ?? [];
  const rows = filterItems(items, search);
  const navigate = useNavigate();
  const open = ({ name }: LibraryItem) => void navigate({ to: "/library/$name", params: { name } });
  return (
    <Page title="Library" aside={asked.data !== undefined && countOf(rows.length, "item")}>
      <FilterBar
        value={search}
        onChange={change}
        filters={filtersOf(items)}
        search={{ key: "pattern", label: "Search the library", placeholder: "Name, word or math:*" }}
      >
        <div className="w-80 max-w-full max-md:hidden">
          <CommandTwin command={twinText("listLibrary", { query }) ?? ""} />
        </div>
      </FilterBar>
      {asked.data?.note !== undefined && (
        <p className="border-b border-line px-4 py-1.5 text-muted">
          <Visible text={asked.data.note} />
        </p>
      )}
      {asked.isError ? (
        <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />
      ) : (
        <Table
          label="Library"
          rows={rows}
          columns={LIBRARY_COLUMNS}
          rowKey={({ name }) => name}
          onOpen={open}
          rowHeight={48}
          isLoading={asked.isPending}
          empty={
            <LibraryEmpty isFiltered={Object.keys(search).length > 0} onClear={() => change(NO_FILTER)} />
          }
        />
      )}
    </Page>
  );
}

const NO_FILTER = { pattern: undefined, kind: undefined, tag: undefined, drift: undefined };

function filtersOf(items: readonly LibraryItem[]): readonly Filter[] {
  const tags = tagsOf(items).map((tag) => ({ value: tag, label: tag }));
  return [
    { key: "kind", label: "Kind", kind: "many", options: KINDS },
    { key: "tag", label: "Tag", kind: "many", options: tags },
    { key: "drift", label: "Tools", kind: "one", options: [{ value: "yes", label: "Changed" }] },
  ];
}
