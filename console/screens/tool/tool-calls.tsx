import { Link, useNavigate } from "@tanstack/react-router";
import { PhoneOff } from "lucide-react";
import type { ReactNode } from "react";
import { twinText } from "../../api/twin.ts";
import { outcomeOf } from "../../parts/call-outcome.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { StatusDot } from "../../parts/status.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Table } from "../../parts/table.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ToolDetails } from "./tool-details.ts";

type Call = ToolDetails["calls"][number];

const COLUMNS: readonly Column<Call>[] = [
  { id: "at", title: "When", width: "5.5rem", cell: ({ at }) => <Time at={at} /> },
  { id: "outcome", title: "Outcome", width: "minmax(6rem, 1fr)", cell: (call) => <Outcome call={call} /> },
  {
    id: "who",
    title: "Who",
    width: "minmax(5rem, 1fr)",
    cell: ({ who, client }) => <Visible text={client ?? who} max={100} />,
  },
  {
    id: "rule",
    title: "Rule",
    width: "minmax(6rem, 1fr)",
    from: "md",
    cell: ({ rule }) => <Visible text={rule} max={100} />,
  },
  {
    id: "took",
    title: "Took",
    width: "4.5rem",
    align: "end",
    cell: ({ elapsed_ms }) => <Duration ms={elapsed_ms} />,
  },
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

function Outcome({ call }: { readonly call: Call }): ReactNode {
  const { state, word } = outcomeOf(call);
  return (
    <StatusDot state={state} title={call.outcome}>
      {word}
    </StatusDot>
  );
}
