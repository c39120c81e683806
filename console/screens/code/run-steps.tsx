import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { useAsk } from "../../api/queries.ts";
import { formatNumber } from "../../parts/format.ts";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { StatusDot } from "../../parts/status.tsx";
import { Duration } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";

type Row = Answer<"listSteps">["rows"][number];

/** The first; the waterfall of the run has all. */
const ROWS_MAX = 80;

/** The calls that the code makes, as they are made. */
export function RunSteps({
  runId,
  isBusy,
}: {
  readonly runId: string | undefined;
  readonly isBusy: boolean;
}): ReactNode {
  const steps = useAsk(
    "listSteps",
    { params: { run: runId ?? "" }, query: { limit: ROWS_MAX } },
    { enabled: runId !== undefined },
  );
  const rows = steps.data?.rows ?? [];
  if (runId !== undefined && steps.isPending) return <SkeletonRows rows={3} />;
  if (rows.length === 0)
    return <p className="text-muted">{isBusy ? "No call yet." : "It called no tool."}</p>;
  return (
    <>
      <ol className="divide-y divide-line border-y border-line">
        {rows.map((row) => (
          <li key={row.row === "step" ? row.step : `${row.from_step} on`}>
            <StepLine row={row} runId={runId!} />
          </li>
        ))}
      </ol>
      {steps.data?.next !== undefined && (
        <p className="mt-2 text-muted">
          <Link to="/runs/$run" params={{ run: runId! }} className="text-accent underline underline-offset-2">
            All {formatNumber(steps.data.step_count)} steps
          </Link>
        </p>
      )}
    </>
  );
}

function StepLine({ row, runId }: { readonly row: Row; readonly runId: string }): ReactNode {
  const isGroup = row.row === "group";
  const step = isGroup ? row.from_step : row.step;
  return (
    <Link
      to="/runs/$run"
      params={{ run: runId }}
      search={{ step: String(step) }}
      className="row-focus grid grid-cols-[1.25rem_minmax(0,1fr)_4.5rem] items-center gap-x-2 py-1.5 hover:bg-hover"
    >
      <StatusDot state={row.status} iconOnly />
      <span className="flex min-w-0 gap-2">
        <span className="shrink-0 truncate font-mono text-xs">
          <Visible text={row.tool} max={80} />
        </span>
        <span className="min-w-0 truncate text-muted">
          {isGroup ? `${formatNumber(row.count)} times` : <Visible text={row.args_text} max={160} />}
        </span>
      </span>
      <Duration ms={row.elapsed_ms} className="text-right text-muted" />
    </Link>
  );
}
