import { Link } from "@tanstack/react-router";
import { ArrowUpRight } from "lucide-react";
import type { ReactNode } from "react";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { countOf, formatBytes, formatDuration } from "../../../parts/format.ts";
import { StatusBadge } from "../../../parts/status.tsx";
import { Duration, Time } from "../../../parts/time.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { shortId, statusOf, uncertainOf, waitsUntil, type RunHead } from "../run-view.ts";
import { Attempts } from "./attempts.tsx";

/** Who ran what, when, how long, and at what cost: one line that wraps. */
export function RunFacts({ head }: { readonly head: RunHead }): ReactNode {
  const {
    run_id: id,
    kind,
    mode,
    who,
    client,
    started_at: at,
    elapsed_ms: ms,
    status,
    capability,
    parent,
    attempts,
  } = head;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 text-muted max-sm:px-3">
      <RunStatus head={head} />
      <span className="flex items-center">
        <code className="font-mono text-xs" title={id}>
          {shortId(id)}
        </code>
        <CopyButton text={id} label="Copy the run's id" />
      </span>
      <span>{mode === undefined ? kind : `${kind}, ${mode}`}</span>
      {capability !== undefined && (
        <Link
          to="/library/$name"
          params={{ name: capability.name }}
          className="min-w-0 truncate text-accent hover:underline"
        >
          <Visible text={capability.name} max={60} />
          <span className="text-muted">@{capability.version}</span>
        </Link>
      )}
      <span className="max-w-64 min-w-0 truncate">
        by <Visible text={who} max={60} />
        {client !== null && (
          <>
            {" "}
            with <Visible text={client} max={60} />
          </>
        )}
      </span>
      <Time at={at} />
      {(ms !== null || status === "running") && (
        <span title="How long it took" className="text-text">
          <Duration ms={ms} since={at} />
        </span>
      )}
      <Cost head={head} />
      {parent !== undefined && (
        <Link
          to="/runs/$run"
          params={{ run: parent }}
          className="inline-flex items-center gap-0.5 text-accent hover:underline"
        >
          part of {shortId(parent)}
          <ArrowUpRight aria-hidden size={12} />
        </Link>
      )}
      {attempts.length > 1 && <Attempts current={id} attempts={attempts} />}
    </div>
  );
}

function Cost({ head }: { readonly head: RunHead }): ReactNode {
  const { call_count: calls, cost } = head;
  const title = `${countOf(calls, "call")} took ${formatDuration(cost.calls_ms)} together and answered ${formatBytes(cost.bytes)}`;
  return (
    <span title={title} className="max-sm:hidden">
      {countOf(calls, "call")}, {formatDuration(cost.calls_ms)}, {formatBytes(cost.bytes)}
    </span>
  );
}

/** The status, with the reason where it alone does not say what is needed. */
function RunStatus({ head }: { readonly head: RunHead }): ReactNode {
  const { questions, error } = head;
  const status = statusOf(head);
  if (questions.length > 0) return <StatusBadge state="approval">Needs approval</StatusBadge>;
  if (status !== "running" && status !== "succeeded" && uncertainOf(head).length > 0) {
    return (
      <StatusBadge state="uncertain">
        {status === "interrupted" ? "Interrupted, uncertain" : "Uncertain"}
      </StatusBadge>
    );
  }
  if (waitsUntil(head) !== undefined) return <StatusBadge state="waiting">Waits for a time</StatusBadge>;
  const reason = status === "failed" ? error?.reason : undefined;
  return (
    <StatusBadge state={status} {...(reason !== undefined && { title: reason })}>
      {reason === "denied" ? "Refused" : undefined}
    </StatusBadge>
  );
}
