import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Wrench } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { toolErrorOf, type ApiError } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { EmptyState, NothingFits } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Table } from "../../parts/table.tsx";
import type { Search } from "./search.ts";
import { columnsOf } from "./tool-columns.tsx";
import { foldedWith, groupTools, rowKeyOf, rowsOf, type ListRow } from "./tool-groups.ts";

export interface ToolListProps {
  readonly known: UseQueryResult<Answer<"listTools">, ApiError>;
  readonly search: Search;
  readonly onChange: (patch: Search) => void;
}

/** All tools by server; a group folds with Enter or a click. */
export function ToolList({ known, search, onChange }: ToolListProps): ReactNode {
  const navigate = useNavigate();
  const groups = useMemo(() => (known.data === undefined ? [] : groupTools(known.data)), [known.data]);
  const rows = useMemo(() => rowsOf(groups, search), [groups, search]);
  const fold = (key: string) => onChange({ closed: foldedWith(search.closed, key) });
  const open = (row: ListRow) => {
    if (row.row === "group") fold(row.group.key);
    else void navigate({ to: "/tools/$tool", params: { tool: row.tool.name } });
  };
  if (known.isError)
    return <ErrorState error={toolErrorOf(known.error)} onRetry={() => void known.refetch()} />;
  return (
    <Table
      label="Tools"
      rows={rows}
      columns={columnsOf(fold)}
      rowKey={rowKeyOf}
      rowClass={(row) => (row.row === "group" ? "bg-sunken" : undefined)}
      onOpen={open}
      isLoading={known.isPending}
      empty={<NoTools isFiltered={groups.length > 0} onClear={() => onChange(NO_FILTER)} />}
    />
  );
}

export const NO_FILTER = { server: undefined, effect: undefined, listed: undefined, query: undefined };

function NoTools({
  isFiltered,
  onClear,
}: {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}): ReactNode {
  if (isFiltered) return <NothingFits icon={Wrench} title="No tool passes these filters" onClear={onClear} />;
  return (
    <EmptyState
      icon={Wrench}
      title="No tools yet"
      command="repertoire add everything -- npx -y @modelcontextprotocol/server-everything"
    >
      Tools come from MCP servers. Add one, and its tools are here as soon as it has listed them.
    </EmptyState>
  );
}
