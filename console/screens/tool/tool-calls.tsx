import { Link, useNavigate } from "@tanstack/react-router";
import { PhoneOff } from "lucide-react";
import type { ReactNode } from "react";
import { twinText } from "../../api/twin.ts";
import { CALL_COLUMNS } from "../../parts/call-columns.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Table } from "../../parts/table.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ToolDetails } from "./tool-details.ts";

type Call = ToolDetails["calls"][number];

const COLUMNS: readonly Column<Call>[] = [
  CALL_COLUMNS.at,
  CALL_COLUMNS.outcome,
  {
    id: "who",
    title: "Who",
    width: "minmax(5rem, 1fr)",
    cell: ({ who, client }) => <Visible text={client ?? who} max={100} />,
  },
  CALL_COLUMNS.rule,
  CALL_COLUMNS.took,
];

/** The last calls of the tool, made or refused. */
export function ToolCalls({ tool: { tool, name, calls } }: { readonly tool: ToolDetails }): ReactNode {
  const navigate = useNavigate();
  const open = ({ id, run_id }: Call) =>
    void (run_id === null
      ? navigate({ to: "/calls", search: { call: id } })
      : navigate({ to: "/runs/$run", params: { run: run_id } }));
  return (
    <>
      <Table
        label="Last calls"
        rows={calls}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        onOpen={open}
        empty={
          <EmptyState
            icon={PhoneOff}
            title="Not called yet"
            command={twinText("callTool", { params: { tool: name } }) ?? ""}
          >
            Calls appear here at once, made or refused, of every client.
          </EmptyState>
        }
      />
      {calls.length > 0 && (
        <p className="border-t border-line px-4 py-2 text-muted">
          <Link to="/calls" search={{ tool }} className="text-accent underline underline-offset-2">
            All calls of this tool
          </Link>
        </p>
      )}
    </>
  );
}
