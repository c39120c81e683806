import { Link, useNavigate } from "@tanstack/react-router";
import { PhoneOff } from "lucide-react";
import type { ReactNode } from "react";
import { twinText } from "../../api/twin.ts";
import { CALL_COLUMNS } from "../../parts/call-columns.tsx";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Table } from "../../parts/table.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Visible } from "../../parts/visible.tsx";
import type { ServerDetails } from "./server-details.ts";

type Call = ServerDetails["calls"][number];

const COLUMNS: readonly Column<Call>[] = [
  CALL_COLUMNS.at,
  {
    id: "tool",
    title: "Tool",
    width: "minmax(8rem, 1.5fr)",
    cell: ({ tool }) => (
      <span className="font-mono text-xs">
        <Visible text={tool} max={200} />
      </span>
    ),
  },
  CALL_COLUMNS.outcome,
  {
    id: "who",
    title: "Who",
    width: "minmax(6rem, 1fr)",
    from: "sm",
    cell: ({ who }) => <Visible text={who} max={100} />,
  },
  {
    id: "effect",
    title: "Effect",
    width: "6.5rem",
    from: "md",
    cell: ({ effect }) => <EffectMark effect={effect} />,
  },
  CALL_COLUMNS.rule,
  CALL_COLUMNS.took,
];

/** The last calls of a server's tools, made or refused. */
export function ServerCalls({ server: { id, calls } }: { readonly server: ServerDetails }): ReactNode {
  const navigate = useNavigate();
  const open = ({ run_id, tool }: Call) =>
    void (run_id === null
      ? navigate({ to: "/tools/$tool", params: { tool } })
      : navigate({ to: "/runs/$run", params: { run: run_id } }));
  return (
    <>
      <Table
        label="Last calls"
        rows={calls}
        columns={COLUMNS}
        rowKey={(call) => call.id}
        onOpen={open}
        empty={
          <EmptyState
            icon={PhoneOff}
            title="Nothing of it was called yet"
            command={twinText("listCalls", { query: { tool: `${id}__*` } }) ?? ""}
          >
            Calls of its tools appear here at once, made or refused.
          </EmptyState>
        }
      />
      {calls.length > 0 && (
        <p className="border-t border-line px-4 py-2 text-muted">
          <Link
            to="/calls"
            search={{ tool: `${id}__*` }}
            className="text-accent underline underline-offset-2"
          >
            All calls of this server
          </Link>
        </p>
      )}
    </>
  );
}
