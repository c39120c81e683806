import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Count } from "../../parts/quantity.tsx";
import { StatusDot } from "../../parts/status.tsx";
import type { Column } from "../../parts/table-types.ts";
import { Duration, Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import { shortId, titleOf, type RunRow } from "./run-rows.ts";

/** Of one cell; the run itself has the whole. */
const CELL_CHARS = 240;

/** In a narrow window the status is its icon. */
export function runColumns(isWide: boolean): readonly Column<RunRow>[] {
  return [isWide ? STATUS : STATUS_ICON, ...COLUMNS];
}

const STATUS: Column<RunRow> = {
  id: "status",
  title: "Status",
  width: "7rem",
  cell: (run) => <RunStatus run={run} />,
};
const STATUS_ICON: Column<RunRow> = {
  id: "status",
  title: "Status",
  hideTitle: true,
  width: "1rem",
  cell: (run) => (
    <span className="flex">
      <RunStatus run={run} iconOnly />
    </span>
  ),
};
const COLUMNS: readonly Column<RunRow>[] = [
  { id: "run", title: "Run", width: "minmax(8rem, 4fr)", cell: (run) => <RunTitle run={run} /> },
  {
    id: "kind",
    title: "Kind",
    width: "5.5rem",
    from: "md",
    cell: ({ kind, mode }) => (
      <span className="text-muted" title={mode === undefined ? undefined : "It goes on by itself"}>
        {KIND_WORDS[kind]}
        {mode !== undefined && `, ${mode}`}
      </span>
    ),
  },
  {
    id: "who",
    title: "Who",
    width: "minmax(5rem, 1fr)",
    from: "md",
    cell: ({ who, client }) => (
      <span className="text-muted" title={client === null ? undefined : `${who}, ${client}`}>
        <Visible text={client ?? who} max={80} />
      </span>
    ),
  },
  {
    id: "calls",
    title: "Calls",
    width: "3.5rem",
    align: "end",
    from: "sm",
    cell: ({ step_count: stepCount }) => <Count value={stepCount} compact />,
  },
  {
    id: "duration",
    title: "Duration",
    width: "5rem",
    align: "end",
    from: "sm",
    cell: (run) => (
      <Duration
        ms={run.elapsed_ms}
        since={run.status === "running" ? run.started_at : null}
        className="text-muted"
      />
    ),
  },
  {
    id: "began",
    title: "Began",
    width: "4.5rem",
    align: "end",
    cell: ({ started_at: startedAt }) => <Time at={startedAt} className="text-muted" />,
  },
  {
    id: "resumed",
    title: "Resumed from",
    width: "6.5rem",
    from: "lg",
    cell: ({ resumed_from: before }) => before !== undefined && <ResumedFrom run={before} />,
  },
];

const KIND_WORDS: Readonly<Record<RunRow["kind"], string>> = {
  code: "Code",
  workflow: "Workflow",
  capability: "Item",
  call: "Call",
};

/** A run that waited and was resumed waits no longer: it went on as another one. */
function RunStatus({
  run,
  iconOnly = false,
}: {
  readonly run: RunRow;
  readonly iconOnly?: boolean;
}): ReactNode {
  if (run.status !== "paused" || run.resumed_by === undefined)
    return <StatusDot state={run.status} iconOnly={iconOnly} />;
  return (
    <StatusDot state="skipped" iconOnly={iconOnly} title={`Resumed as ${run.resumed_by}`}>
      Resumed
    </StatusDot>
  );
}

function RunTitle({ run }: { readonly run: RunRow }): ReactNode {
  const { error, status } = run;
  return (
    <>
      <Visible text={titleOf(run)} max={CELL_CHARS} />
      {error !== undefined && status !== "paused" && (
        <span className="ml-2 text-faint">
          <Visible text={error.message} max={CELL_CHARS} />
        </span>
      )}
    </>
  );
}

function ResumedFrom({ run }: { readonly run: string }): ReactNode {
  return (
    <Link
      to="/runs/$run"
      params={{ run }}
      tabIndex={-1}
      title={run}
      className="font-mono text-xs text-accent hover:underline"
    >
      …<Visible text={shortId(run)} />
    </Link>
  );
}
