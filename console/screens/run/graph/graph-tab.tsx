import { lazy, Suspense, type ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import { useAsk } from "../../../api/queries.ts";
import { ErrorState } from "../../../parts/error-state.tsx";
import { formatDuration } from "../../../parts/format.ts";
import { Skeleton, SkeletonRows } from "../../../parts/skeleton.tsx";
import { StatusDot, wordOf } from "../../../parts/status.tsx";
import { Visible } from "../../../parts/visible.tsx";
import type { Chosen } from "../waterfall/chosen.ts";
import type { WorkflowGraph } from "./graph-layout.ts";

const GraphPicture = lazy(async () => ({ default: (await import("./graph-picture.tsx")).GraphPicture }));

export interface GraphTabProps {
  readonly run: string;
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

/** The nodes of a workflow, and how far each is: as a picture, and as a list. */
export function GraphTab({ run, chosen, onChoose }: GraphTabProps): ReactNode {
  const asked = useAsk("getGraph", { params: { run } });
  if (asked.isError && asked.data === undefined) {
    return <ErrorState error={toolErrorOf(asked.error)} onRetry={() => void asked.refetch()} />;
  }
  if (asked.data === undefined) return <SkeletonRows rows={10} />;
  const chosenStep = chosen?.run === run ? chosen.step : undefined;
  const choose = (step: number) => onChoose({ run, step, isGroup: false });
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div role="group" aria-label="Picture of the workflow" className="min-h-48 flex-1 bg-sunken">
        <Suspense fallback={<Skeleton className="m-6 h-10 w-44" />}>
          <GraphPicture graph={asked.data} chosenStep={chosenStep} onStep={choose} />
        </Suspense>
      </div>
      <NodeList graph={asked.data} chosenStep={chosenStep} onStep={choose} />
    </div>
  );
}

interface NodeListProps {
  readonly graph: WorkflowGraph;
  readonly chosenStep: number | undefined;
  readonly onStep: (step: number) => void;
}

function NodeList({ graph, chosenStep, onStep }: NodeListProps): ReactNode {
  return (
    <nav
      aria-label="Nodes of the workflow"
      className="max-h-[35%] shrink-0 overflow-auto border-t border-line px-3 py-2"
    >
      <ol className="flex flex-wrap gap-1">
        {graph.nodes.map(({ id, status, step, elapsed_ms: ms, item_count: items }) => (
          <li key={id} className="max-w-full min-w-0">
            <button
              type="button"
              disabled={step === undefined}
              aria-pressed={step !== undefined && step === chosenStep}
              title={`${wordOf(status)}${step === undefined ? "" : `, step ${step}`}`}
              onClick={() => step !== undefined && onStep(step)}
              className="flex h-6 max-w-full items-center gap-1.5 rounded-md border border-line px-2 text-xs hover:bg-hover disabled:text-faint aria-pressed:border-accent aria-pressed:bg-selected"
            >
              <StatusDot state={status} iconOnly />
              <span className="min-w-0 truncate">
                <Visible text={id} max={60} />
              </span>
              {items !== undefined && <span className="text-muted">×{items}</span>}
              {ms !== null && <span className="text-muted">{formatDuration(ms)}</span>}
              <span className="sr-only">{successorsOf(graph, id)}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The arrows of the picture, in words. */
function successorsOf({ edges }: WorkflowGraph, id: string): string {
  const next = edges
    .filter(({ from }) => from === id)
    .map(({ to, action }) => (action === undefined ? to : `${to} (${action})`));
  return next.length === 0 ? ", the end" : `, then ${next.join(", ")}`;
}
