import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { formatNumber } from "../../parts/format.ts";
import { StatusDot } from "../../parts/status.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import { shortId, titleOf } from "./run-rows.ts";

type RunHead = Answer<"getRun">;

const ROWS: readonly { readonly term: string; readonly cell: (run: RunHead) => ReactNode }[] = [
  { term: "Status", cell: ({ status }) => <StatusDot state={status} /> },
  { term: "For", cell: (run) => <Visible text={titleOf(run)} max={200} /> },
  { term: "Kind", cell: ({ kind }) => kind },
  {
    term: "Who",
    cell: ({ who, client }) => <Visible text={client === null ? who : `${who}, ${client}`} max={120} />,
  },
  { term: "Began", cell: ({ started_at: at }) => <Time at={at} /> },
  { term: "Duration", cell: ({ elapsed_ms: ms }) => <Duration ms={ms} /> },
  { term: "Calls", cell: ({ call_count: count }) => formatNumber(count) },
  { term: "Error", cell: ({ error }) => error && <Visible text={error.message} max={400} /> },
];

/** The heads of two runs, as a table. */
export function CompareFacts({
  before,
  after,
}: {
  readonly before: RunHead;
  readonly after: RunHead;
}): ReactNode {
  const runs = [before, after];
  return (
    <table className="w-full table-fixed text-left">
      <thead>
        <tr className="border-b border-line text-muted">
          <td className="w-24" />
          {runs.map(({ run_id: run }) => (
            <th key={run} scope="col" className="py-1 pr-3 font-medium">
              <Link
                to="/runs/$run"
                params={{ run }}
                title={run}
                className="font-mono text-xs text-accent hover:underline"
              >
                …{shortId(run)}
              </Link>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.filter(({ cell }) => runs.some((run) => cell(run) !== undefined)).map(({ term, cell }) => (
          <tr key={term} className="border-b border-line/60 align-top">
            <th scope="row" className="py-1 pr-3 font-normal text-muted">
              {term}
            </th>
            {runs.map((run) => (
              <td key={run.run_id} className="foreign py-1 pr-3">
                {cell(run)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
