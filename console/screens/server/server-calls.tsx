import { Link, useNavigate } from "@tanstack/react-router";
import { PhoneOff } from "lucide-react";
import type { ReactNode } from "react";
import { twinText } from "../../api/twin.ts";
import { outcomeOf } from "../../parts/call-outcome.ts";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { StatusDot } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Duration, Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { ServerDetails } from "./server-details.ts";

type Call = ServerDetails["calls"][number];

const COLUMNS: readonly Column<Call>[] = [
  { id: "at", title: "When", width: "5.5rem", cell: ({ at }) => <Time at={at} /> },
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
  { id: "outcome", title: "Outcome", width: "minmax(7rem, 1fr)", cell: (call) => <Outcome call={call} /> },
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

function Outcome({ call }: { readonly call: Call }): ReactNode {
  const { state, word } = outcomeOf(call);
  return (
    <StatusDot state={state} title={call.outcome}>
      {word}
    </StatusDot>
  );
}
