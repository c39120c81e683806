import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { useAsk } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FilterBar, type Filter } from "../../parts/filter-bar.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Page } from "../../parts/page.tsx";
import { wordOf } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { AddServersDialog } from "./add-servers-dialog.tsx";
import type { Search } from "./search.ts";
import { countStates, filterServers, type ServerRow } from "./server-reason.ts";
import { SERVER_COLUMNS } from "./servers-columns.tsx";
import { ServersEmpty } from "./servers-empty.tsx";

/** The configured servers as they are; looking starts nothing. */
export function Servers(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const asked = useAsk("listServers", {});
  const servers = asked.data?.servers ?? [];
  const rows = filterServers(servers, search);
  const mayAdd = useMay("addServers");
  const add = () => change({ add: "1" });
  useKeys({ a: { label: "Add servers", group: "This screen", run: add } }, mayAdd);
  const navigate = useNavigate();
  const open = ({ id }: ServerRow) => void navigate({ to: "/servers/$server", params: { server: id } });
  return (
    <Page
      title="Servers"
      aside={<States servers={servers} />}
      actions={
        <Button
          look="primary"
          icon={Plus}
          shortcut="a"
          onClick={add}
          disabled={!mayAdd}
          title={mayAdd ? undefined : "Needs a session with the scope admin"}
        >
          Add
        </Button>
      }
    >
      <FilterBar
        value={search}
        onChange={change}
        filters={filtersOf(servers)}
        search={{ key: "text", label: "Search servers" }}
      >
        <div className="w-56 max-w-full max-md:hidden">
          <CommandTwin command={twinText("listServers") ?? ""} />
        </div>
      </FilterBar>
      {asked.isError ? (
        <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />
      ) : (
        <Table
          label="Servers"
          rows={rows}
          columns={SERVER_COLUMNS}
          rowKey={({ id }) => id}
          onOpen={open}
          rowHeight={52}
          isLoading={asked.isPending}
          empty={
            <ServersEmpty
              isFiltered={servers.length > 0}
              onClear={() => change({ text: undefined, state: undefined })}
              onAdd={mayAdd ? add : undefined}
            />
          }
        />
      )}
      {search.add !== undefined && mayAdd && <AddServersDialog onClose={() => change({ add: undefined })} />}
    </Page>
  );
}

function States({ servers }: { readonly servers: readonly ServerRow[] }): ReactNode {
  const counts = [...countStates(servers)].map(([state, count]) => `${count} ${wordOf(state).toLowerCase()}`);
  return <span className="truncate">{counts.join(", ")}</span>;
}

function filtersOf(servers: readonly ServerRow[]): readonly Filter[] {
  const options = [...countStates(servers).keys()].map((state) => ({ value: state, label: wordOf(state) }));
  return [{ key: "state", label: "State", kind: "many", options }];
}
