import { useNavigate } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FilterBar, type Filter } from "../../parts/filter-bar.tsx";
import { StatusDot } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import type { Column } from "../../parts/table-types.ts";
import { useUrlSearch } from "../../parts/url-search.ts";
import { Visible } from "../../parts/visible.tsx";
import { countDecisions, filterReach, reachRows, type ReachRow } from "./reach.ts";
import type { Search } from "./search.ts";

const COLUMNS: readonly Column<ReachRow>[] = [
  { id: "do", title: "Decision", width: "6rem", cell: (row) => <StatusDot state={row.do} /> },
  {
    id: "tool",
    title: "Tool",
    width: "minmax(0, 1.4fr)",
    cell: ({ name }) => (
      <span className="font-mono text-xs">
        <Visible text={name} max={200} />
      </span>
    ),
  },
  {
    id: "effect",
    title: "Effect",
    width: "7rem",
    from: "sm",
    cell: ({ effect }) => <EffectMark effect={effect} />,
  },
  {
    id: "server",
    title: "Server",
    width: "minmax(5rem, 0.7fr)",
    from: "md",
    cell: ({ server }) => <Visible text={server} max={80} />,
  },
  {
    id: "profile",
    title: "Through",
    width: "minmax(5rem, 0.7fr)",
    from: "md",
    cell: ({ profile }) => profile ?? <span className="text-faint">Whole gateway</span>,
  },
  { id: "rule", title: "Rule that decides", width: "minmax(0, 1.2fr)", cell: (row) => <Rule row={row} /> },
];

/** Every tool that a token reaches. */
export function ReachTable({ token }: { readonly token: Answer<"getToken"> }): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const all = reachRows(token.reach);
  const rows = filterReach(all, search);
  const { allow, ask, refuse } = countDecisions(rows);
  const pending = [...new Set(token.reach.flatMap((reach) => reach.pending))];
  const navigate = useNavigate();
  return (
    <>
      <FilterBar
        value={search}
        onChange={change}
        filters={filtersOf(token)}
        search={{ key: "text", label: "Search tools and rules" }}
      >
        <span className="text-muted">
          {allow} allowed, {ask} asked, {refuse} refused
        </span>
      </FilterBar>
      {pending.length > 0 && (
        <p className="foreign border-b border-line px-4 py-1.5 text-muted max-sm:px-3">
          Not listed yet: <Visible text={pending.join(", ")} />. What these servers offer is known once they
          were asked.
        </p>
      )}
      <Table
        label={`What ${token.name} can do`}
        rows={rows}
        columns={COLUMNS}
        rowKey={({ name, profile }) => `${profile ?? ""} ${name}`}
        onOpen={({ name }) => void navigate({ to: "/tools/$tool", params: { tool: name } })}
        empty={
          <EmptyState icon={SearchX} title={all.length === 0 ? "It reaches no tool" : "No tool fits"}>
            {all.length === 0
              ? "Its profiles, effects and tools leave nothing, or no server has listed its tools yet."
              : "Change the filters."}
          </EmptyState>
        }
      />
    </>
  );
}

function Rule({ row: { rule } }: { readonly row: ReachRow }): ReactNode {
  return (
    <span title={rule.why}>
      <Visible text={rule.name} max={100} />
      {rule.why !== undefined && (
        <span className="text-muted">
          {" "}
          <Visible text={rule.why} max={160} />
        </span>
      )}
    </span>
  );
}

function filtersOf({ reach }: Answer<"getToken">): readonly Filter[] {
  const option = (value: string, label: string = value) => ({ value, label });
  const profiles = reach.flatMap(({ profile }) => (profile === null ? [] : [option(profile)]));
  return [
    {
      key: "decision",
      label: "Decision",
      kind: "many",
      options: [option("allow", "Allow"), option("ask", "Ask"), option("refuse", "Refuse")],
    },
    {
      key: "effect",
      label: "Effect",
      kind: "many",
      options: [option("read"), option("write"), option("destroy")],
    },
    ...(profiles.length > 1
      ? [{ key: "profile", label: "Profile", kind: "many", options: profiles } as const]
      : []),
  ];
}
