import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAsk } from "../../../api/queries.ts";
import { countOf, formatDuration } from "../../../parts/format.ts";
import { Facts } from "../../../parts/page.tsx";
import { SkeletonRows } from "../../../parts/skeleton.tsx";
import { StatusBadge } from "../../../parts/status.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { shownStatus } from "../waterfall/bar.ts";
import type { Chosen } from "../waterfall/chosen.ts";
import { PanelFrame } from "./panel-frame.tsx";

export interface GroupPanelProps {
  readonly chosen: Chosen;
  readonly isLive: boolean;
  readonly onClose: () => void;
}

/** Many equal calls after each other. */
export function GroupPanel({ chosen, isLive, onClose }: GroupPanelProps): ReactNode {
  const { run, step } = chosen;
  const asked = useAsk(
    "listSteps",
    { params: { run }, query: { after: step - 1, limit: 1 } },
    { keep: true, keepMs: 0 },
  );
  const row = asked.data?.rows[0];
  if (row?.row !== "group") {
    return (
      <PanelFrame title={`Steps from ${step}`} onClose={onClose}>
        {asked.isPending ? (
          <SkeletonRows rows={4} />
        ) : (
          <p className="px-4 py-6 text-muted">These steps are single rows now.</p>
        )}
      </PanelFrame>
    );
  }
  const { tool, count, elapsed_ms: ms, from_step: from, to_step: to, status } = row;
  return (
    <PanelFrame
      title={
        <span className="font-mono text-xs">
          <Visible text={tool} max={120} />
        </span>
      }
      aside={<StatusBadge state={shownStatus(status, !isLive)} />}
      onClose={onClose}
    >
      <div className="space-y-3 px-4 py-3">
        <Facts
          facts={[
            { term: "Calls", value: `${countOf(count, "call")}, steps ${from} to ${to}` },
            {
              term: "Tool",
              value: (
                <Link
                  to="/tools/$tool"
                  params={{ tool }}
                  className="font-mono text-xs text-accent hover:underline"
                >
                  <Visible text={tool} max={200} />
                </Link>
              ),
            },
            { term: "From the journal", value: row.from_journal ? "all of them" : undefined },
            { term: "Together", value: row.from_journal ? undefined : formatDuration(ms) },
            { term: "Each, about", value: row.from_journal ? undefined : formatDuration(ms / count) },
          ]}
        />
        <p className="text-muted">Open the row with → or Enter to see each call.</p>
      </div>
    </PanelFrame>
  );
}
