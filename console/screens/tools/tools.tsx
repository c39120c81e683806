import type { ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { FilterBar, type Filter } from "../../parts/filter-bar.tsx";
import { countOf } from "../../parts/format.ts";
import { Page } from "../../parts/page.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { PendingServers } from "./pending-servers.tsx";
import type { Search } from "./search.ts";
import { ToolHits } from "./tool-hits.tsx";
import { ToolList } from "./tool-list.tsx";

const EFFECTS = [
  { value: "read", label: "Reads" },
  { value: "write", label: "Writes" },
  { value: "destroy", label: "May destroy" },
];
const LISTED = [
  { value: "yes", label: "In the list of clients" },
  { value: "no", label: "Found by search" },
];

/** Every tool that is known, by server; with a query, the search that agents use and why each hit ranks. */
export function Tools(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const known = useAsk("listTools", {});
  const servers = [...new Set(known.data?.tools.flatMap(({ server }) => server ?? []))].toSorted();
  return (
    <Page
      title="Tools"
      aside={known.data !== undefined && countText(known.data.tools.length, servers.length)}
    >
      <FilterBar
        value={search}
        onChange={change}
        filters={filtersOf(servers)}
        search={{ key: "query", label: "Search tools as an agent does", placeholder: "What should it do?" }}
      >
        <div className="w-80 max-w-full max-md:hidden">
          <CommandTwin command={twinOfSearch(search)} />
        </div>
      </FilterBar>
      <PendingServers pending={known.data?.pending ?? []} />
      {search.query === undefined ? (
        <ToolList known={known} search={search} onChange={change} />
      ) : (
        <ToolHits query={search.query} search={search} onChange={change} />
      )}
    </Page>
  );
}

function countText(tools: number, servers: number): string {
  return `${countOf(tools, "tool")} of ${countOf(servers, "server")}`;
}

function twinOfSearch({ query, server }: Search): string {
  const only = server?.includes(",") === true ? undefined : server;
  const text =
    query === undefined
      ? twinText("listTools", { query: only === undefined ? {} : { server: only } })
      : twinText("searchTools", { query: { query } });
  return text ?? "";
}

function filtersOf(servers: readonly string[]): readonly Filter[] {
  return [
    {
      key: "server",
      label: "Server",
      kind: "many",
      options: servers.map((id) => ({ value: id, label: id })),
    },
    { key: "effect", label: "Effect", kind: "many", options: EFFECTS },
    { key: "listed", label: "Listed", kind: "one", options: LISTED },
  ];
}
