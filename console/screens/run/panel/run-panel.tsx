import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { twinText } from "../../../api/twin.ts";
import { CommandTwin } from "../../../parts/command-twin.tsx";
import { StatusDot } from "../../../parts/status.tsx";
import { Duration } from "../../../parts/time.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { shortId, titleOf, type RunHead } from "../run-view.ts";
import { PanelFrame } from "./panel-frame.tsx";
import { ValueSection } from "./value-section.tsx";

/** Of the runs that it started: the rest is in the waterfall. */
const STARTED_MAX = 20;

/** The run as a whole, while no step is chosen: what it was given and what it gave. */
export function RunPanel({
  head,
  onClose,
}: {
  readonly head: RunHead;
  readonly onClose?: (() => void) | undefined;
}): ReactNode {
  const { run_id: run, inputs, outputs, started } = head;
  return (
    <PanelFrame title="The run" onClose={onClose}>
      <div className="-mt-px">
        <ValueSection title="Inputs" run={run} step="outputs" of="inputs" value={inputs} />
        {outputs !== undefined && (
          <ValueSection title="Result" run={run} step="outputs" of="result" value={outputs} />
        )}
      </div>
      {started.length > 0 && (
        <section className="border-t border-line px-4 py-2">
          <h3 className="flex h-6 items-center text-xs font-medium text-muted">Runs that it started</h3>
          <ul>
            {started.slice(0, STARTED_MAX).map((child) => (
              <li key={child.run_id}>
                <Link
                  to="/runs/$run"
                  params={{ run: child.run_id }}
                  className="row-focus -mx-2 flex h-7 items-center gap-2 rounded-md px-2 hover:bg-hover"
                >
                  <StatusDot state={child.status} iconOnly />
                  <span className="min-w-0 flex-1 truncate">
                    <Visible text={titleOf(child)} max={100} />
                  </span>
                  <span className="text-xs text-muted">
                    <Duration ms={child.elapsed_ms} />
                  </span>
                  <code className="font-mono text-2xs text-faint">{shortId(child.run_id)}</code>
                </Link>
              </li>
            ))}
            {started.length > STARTED_MAX && (
              <li className="text-xs text-muted">{started.length - STARTED_MAX} more</li>
            )}
          </ul>
        </section>
      )}
      <div className="border-t border-line px-4 py-3">
        <CommandTwin command={twinText("getRun", { params: { run } }) ?? ""} />
      </div>
    </PanelFrame>
  );
}
