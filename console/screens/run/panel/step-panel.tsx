import type { ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import type { Answer } from "../../../api/client.ts";
import { useAsk } from "../../../api/queries.ts";
import { twinText } from "../../../api/twin.ts";
import { CommandTwin } from "../../../parts/command-twin.tsx";
import { ErrorState, ErrorText } from "../../../parts/error-state.tsx";
import { SkeletonRows } from "../../../parts/skeleton.tsx";
import { StatusBadge } from "../../../parts/status.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { shownStatus } from "../waterfall/bar.ts";
import type { Chosen } from "../waterfall/chosen.ts";
import { PanelFrame } from "./panel-frame.tsx";
import { StepFacts } from "./step-facts.tsx";
import { ValueSection } from "./value-section.tsx";

export interface StepPanelProps {
  readonly chosen: Chosen;
  readonly isLive: boolean;
  /** Of the source of the run that is shown; a run below has its own. */
  readonly onLine: ((line: number) => void) | undefined;
  readonly onClose: () => void;
}

/** One step: what it was given, what it answered, what went wrong, and where it comes from. */
export function StepPanel({ chosen, isLive, onLine, onClose }: StepPanelProps): ReactNode {
  const { run, step } = chosen;
  const params = { run, step: String(step) };
  const asked = useAsk("getStep", { params }, { keep: true, keepMs: 0 });
  const data = asked.isPlaceholderData && asked.isError ? undefined : asked.data;
  if (data === undefined) {
    return (
      <PanelFrame title={`Step ${step}`} onClose={onClose}>
        {asked.isError ? (
          <NotRead error={asked.error} isLive={isLive} onRetry={() => void asked.refetch()} />
        ) : (
          <SkeletonRows rows={8} />
        )}
      </PanelFrame>
    );
  }
  return (
    <PanelFrame
      title={
        <span className="font-mono text-xs">
          <Visible text={data.name} max={120} />
        </span>
      }
      aside={<StatusBadge state={shownStatus(data.status, !isLive)} />}
      onClose={onClose}
    >
      <div className={asked.isPlaceholderData ? "opacity-60" : ""}>
        <StepContent data={data} onLine={onLine} />
        <div className="border-t border-line px-4 py-3">
          <CommandTwin command={twinText("getStep", { params }) ?? ""} />
        </div>
      </div>
    </PanelFrame>
  );
}

function StepContent({
  data,
  onLine,
}: {
  readonly data: Answer<"getStep">;
  readonly onLine: StepPanelProps["onLine"];
}): ReactNode {
  const { run_id: run, step, error, args, result } = data;
  return (
    <>
      <StepFacts step={data} onLine={onLine} />
      {error !== undefined && (
        <section className="border-t border-line px-4 py-3">
          <ErrorText error={error} />
        </section>
      )}
      <ValueSection title="Arguments" run={run} step={String(step)} of="args" value={args} depth={4} />
      {result !== undefined && (
        <ValueSection title="Result" run={run} step={String(step)} of="result" value={result} />
      )}
    </>
  );
}

interface NotReadProps {
  readonly error: unknown;
  readonly isLive: boolean;
  readonly onRetry: () => void;
}

function NotRead({ error, isLive, onRetry }: NotReadProps): ReactNode {
  const told = toolErrorOf(error);
  if (isLive && told.code === "TOOL_NOT_FOUND") {
    return (
      <p className="px-4 py-6 text-muted">
        The call is under way. Its arguments and its result are here when it has returned.
      </p>
    );
  }
  return <ErrorState error={told} onRetry={onRetry} />;
}
