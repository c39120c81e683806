import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { StatusBadge } from "../../parts/status.tsx";
import { Duration } from "../../parts/time.tsx";
import type { CodeRun } from "./code-run.ts";

export interface RunHeadProps {
  readonly run: CodeRun;
  readonly runId: string | undefined;
  readonly head: Answer<"getRun"> | undefined;
  readonly isStopping: boolean;
}

/** How the run is, and the ways to it. */
export function RunHead({ run, runId, head, isStopping }: RunHeadProps): ReactNode {
  const state = stateOf(run, head);
  const isOpen = run.state === "under_way";
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-3 pb-1 max-sm:px-3"
    >
      <StatusBadge state={state} />
      {isOpen && <Duration since={run.startedAt} className="text-muted" />}
      {!isOpen && typeof head?.elapsed_ms === "number" && (
        <Duration ms={head.elapsed_ms} className="text-muted" />
      )}
      {isStopping && <span className="text-muted">It stops when the call under way has ended</span>}
      <span className="ml-auto flex gap-3">
        {head?.resumed_by !== undefined && (
          <Link
            to="/runs/$run"
            params={{ run: head.resumed_by }}
            className="text-accent underline underline-offset-2"
          >
            It went on
          </Link>
        )}
        {runId !== undefined && (
          <Link to="/runs/$run" params={{ run: runId }} className="text-accent underline underline-offset-2">
            Open the run
          </Link>
        )}
      </span>
    </div>
  );
}

function stateOf({ state, executed, isLost }: CodeRun, head: RunHeadProps["head"]): string {
  if (executed?.error?.code === "CANCELLED") return "cancelled";
  if (executed !== undefined) return executed.status ?? (executed.success ? "succeeded" : "failed");
  if (head !== undefined) return head.status;
  if (isLost === true) return "uncertain";
  return state === "under_way" ? "running" : "failed";
}
