import { Link } from "@tanstack/react-router";
import { Equal } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import type { Answer } from "../../../api/client.ts";
import { useAsk } from "../../../api/queries.ts";
import { DiffView } from "../../../parts/diff-view.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { ErrorState } from "../../../parts/error-state.tsx";
import { countOf, formatNumber } from "../../../parts/format.ts";
import { Section } from "../../../parts/page.tsx";
import { SkeletonRows } from "../../../parts/skeleton.tsx";
import { StatusDot } from "../../../parts/status.tsx";
import { Table } from "../../../parts/table.tsx";
import type { Column } from "../../../parts/table-types.ts";
import { Visible } from "../../../parts/visible.tsx";
import { shortId } from "../run-view.ts";

type Difference = Answer<"compareRun">;
type Pair = Difference["steps"][number] & { readonly at: number };

const ROW_PX = 30;
/** Of the table, so that the page around it scrolls. */
const TABLE_ROWS_MAX = 14;

/** This attempt beside the one before it. */
export function DifferenceTab({ run }: { readonly run: string }): ReactNode {
  const asked = useAsk("compareRun", { params: { run } });
  if (asked.isError && asked.data === undefined) {
    return <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />;
  }
  if (asked.data === undefined) return <SkeletonRows rows={10} />;
  const { before, source, inputs } = asked.data;
  if (before === null) return <EmptyState icon={Equal} title="There is no attempt before it" />;
  return (
    <div className="min-h-0 flex-1 space-y-5 overflow-auto px-4 py-3">
      <p className="text-muted">
        Beside{" "}
        <Link
          to="/runs/$run"
          params={{ run: before }}
          className="text-accent underline decoration-line-strong underline-offset-2 hover:decoration-current"
        >
          {shortId(before)}
        </Link>
        , which it goes on from.
      </p>
      <TextDifference title="Source" text={source} />
      <TextDifference title="Inputs" text={inputs} />
      <StepDifference difference={asked.data} />
    </div>
  );
}

function TextDifference({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <Section title={title} aside={text === "" ? "the same" : undefined}>
      {text !== "" && (
        <div className="max-h-96 overflow-auto rounded-md border border-line">
          <DiffView text={text} label={`Difference of the ${title.toLowerCase()}`} />
        </div>
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Pair>[] = [
  {
    id: "step",
    title: "Step",
    width: "minmax(8rem, 1fr)",
    cell: ({ name }) => (
      <span className="font-mono text-xs">
        <Visible text={name} max={160} />
      </span>
    ),
  },
  {
    id: "before",
    title: "Before",
    width: "minmax(6rem, 9rem)",
    cell: ({ before }) => <Outcome status={before} />,
  },
  {
    id: "after",
    title: "Now",
    width: "minmax(6rem, 12rem)",
    cell: ({ after, from_journal: isFromJournal }) =>
      isFromJournal ? <span className="text-muted">from the journal</span> : <Outcome status={after} />,
  },
];

function Outcome({ status }: { readonly status: string | null }): ReactNode {
  return status === null ? <span className="text-faint">not there</span> : <StatusDot state={status} />;
}

function StepDifference({ difference }: { readonly difference: Difference }): ReactNode {
  const { steps, steps_left_out: leftOut } = difference;
  const journal = steps.filter(({ from_journal: isFromJournal }) => isFromJournal).length;
  const rows = steps.map((step, at) => ({ ...step, at }));
  return (
    <Section
      title="Steps"
      aside={`${formatNumber(journal)} of ${countOf(steps.length, "step")} from the journal`}
    >
      <div
        style={{ height: (Math.min(rows.length, TABLE_ROWS_MAX) + 1.3) * ROW_PX }}
        className="flex flex-col rounded-md border border-line"
      >
        <Table
          label="Steps before and now"
          rows={rows}
          columns={COLUMNS}
          rowKey={({ at }) => String(at)}
          rowHeight={ROW_PX}
          empty={<p className="px-4 py-3 text-muted">Neither attempt made a call.</p>}
        />
      </div>
      {leftOut > 0 && <p className="mt-1 text-xs text-muted">{countOf(leftOut, "step")} more</p>}
    </Section>
  );
}
