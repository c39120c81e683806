import { Ellipsis, KeyRound, Plus, RefreshCw, Telescope, Trash } from "lucide-react";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FilterBar } from "../../parts/filter-bar.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Menu } from "../../parts/menu.tsx";
import { Table } from "../../parts/table.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { CreateTokenDialog } from "./create-token-dialog.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import type { Search } from "./search.ts";
import { TokenActionDialog } from "./token-action-dialog.tsx";
import { tokenColumns, type Token } from "./token-columns.tsx";

type NewToken = Answer<"createToken">;

/** The tokens with which clients come in. */
export function TokensTab(): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const asked = useAsk("listTokens", {});
  const [asking, setAsking] = useState<{ readonly action: "revoke" | "rotate"; readonly token: string }>();
  const [made, setMade] = useState<NewToken>();
  const wanted = search.text?.toLowerCase() ?? "";
  const rows = (asked.data?.tokens ?? []).filter(({ name }) => name.toLowerCase().includes(wanted));
  const create = () => change({ new: "1" });
  useKeys({ c: { label: "Create a token", group: "This screen", run: create } });
  const openReach = ({ name }: Token) => change({ tab: "can", token: name, text: undefined });
  const columns = tokenColumns((token) => (
    <Menu
      trigger={<IconButton icon={Ellipsis} size="sm" label={`Actions for ${token.name}`} />}
      items={[
        { label: "What can it do?", icon: Telescope, run: () => openReach(token) },
        { label: "Rotate", icon: RefreshCw, run: () => setAsking({ action: "rotate", token: token.name }) },
        "line",
        {
          label: "Revoke",
          icon: Trash,
          danger: true,
          run: () => setAsking({ action: "revoke", token: token.name }),
        },
      ]}
    />
  ));
  const finish = (token: NewToken | undefined) => {
    setAsking(undefined);
    change({ new: undefined });
    setMade(token);
  };
  return (
    <>
      <FilterBar
        value={search}
        onChange={change}
        filters={[]}
        search={{ key: "text", label: "Search tokens" }}
      >
        <div className="w-56 max-md:hidden">
          <CommandTwin command={twinText("listTokens") ?? ""} />
        </div>
        <Button look="primary" icon={Plus} shortcut="c" onClick={create}>
          Create
        </Button>
      </FilterBar>
      {asked.isError ? (
        <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />
      ) : (
        <Table
          label="Tokens"
          rows={rows}
          columns={columns}
          rowKey={({ name }) => name}
          onOpen={openReach}
          isLoading={asked.isPending}
          empty={<NoTokens isFiltered={wanted !== ""} />}
        />
      )}
      {search.new !== undefined && (
        <CreateTokenDialog onClose={() => change({ new: undefined })} onMade={finish} />
      )}
      {asking !== undefined && (
        <TokenActionDialog {...asking} onClose={() => setAsking(undefined)} onDone={finish} />
      )}
      {made !== undefined && <NewTokenDialog made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function NoTokens({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered) return <EmptyState icon={KeyRound} title="No token fits" />;
  return (
    <EmptyState
      icon={KeyRound}
      title="No tokens yet"
      command="repertoire token create laptop --scope read,call"
    >
      Each client or person over HTTP gets a token of its own: it can have fewer scopes, limits and an end,
      and is revoked alone.
    </EmptyState>
  );
}
