import { useNavigate } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FilterBar } from "../../parts/filter-bar.tsx";
import { Table } from "../../parts/table.tsx";
import type { Column } from "../../parts/table-types.ts";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Visible } from "../../parts/visible.tsx";
import type { Search } from "./search.ts";
import type { ServerDetails } from "./server-details.ts";

type Tool = ServerDetails["tools"][number];

const SHOWN_LENGTH = 300;

const COLUMNS: readonly Column<Tool>[] = [
  {
    id: "tool",
    title: "Tool",
    width: "minmax(10rem, 1fr)",
    cell: ({ name, signature }) => (
      <div className="min-w-0 font-mono text-xs">
        <div className="truncate font-medium">
          <Visible text={name} max={SHOWN_LENGTH} />
        </div>
        <div className="truncate text-2xs text-muted" title={signature}>
          <Visible text={signature} max={SHOWN_LENGTH} />
        </div>
      </div>
    ),
  },
  {
    id: "description",
    title: "Description",
    width: "minmax(0, 1.4fr)",
    from: "sm",
    cell: ({ description }) => (
      <span className="line-clamp-2 whitespace-normal text-muted">
        <Visible text={description} max={SHOWN_LENGTH} />
      </span>
    ),
  },
];

/** What a server offers, each with a way to its own page. */
export function ServerTools({ server }: { readonly server: ServerDetails }): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const wanted = search.text?.toLowerCase() ?? "";
  const rows = server.tools.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  const navigate = useNavigate();
  return (
    <>
      <FilterBar
        value={search}
        onChange={change}
        filters={[]}
        search={{ key: "text", label: "Search its tools" }}
      />
      <Table
        label="Tools of the server"
        rows={rows}
        columns={COLUMNS}
        rowKey={({ tool }) => tool}
        rowHeight={48}
        onOpen={({ tool }) => void navigate({ to: "/tools/$tool", params: { tool } })}
        empty={<NoTools isFiltered={server.tools.length > 0} id={server.id} />}
      />
    </>
  );
}

function NoTools({ isFiltered, id }: { readonly isFiltered: boolean; readonly id: string }): ReactNode {
  if (isFiltered) return <EmptyState icon={Wrench} title="No tool fits" />;
  return (
    <EmptyState icon={Wrench} title="No tools are known yet" command={`repertoire tools ${id}`}>
      A server is asked for its tools when somebody needs them. Restart it to ask now.
    </EmptyState>
  );
}
