import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Answer } from "../../api/client.ts";
import { buttonClass } from "../../parts/button.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Section } from "../../parts/page.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { Visible } from "../../parts/visible.tsx";

/** What became of a run that was started here, and the way to it. */
export function RunOutcome({ executed }: { readonly executed: Answer<"startRun"> }): ReactNode {
  const { success, status, run_id, outputs, error, logs = [], warnings = [] } = executed;
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center gap-3">
        <StatusBadge state={status ?? (success ? "succeeded" : "failed")} />
        {run_id !== null && (
          <Link to="/runs/$run" params={{ run: run_id }} className={buttonClass()}>
            Open the run
          </Link>
        )}
        {status === "paused" && (
          <Link to="/inbox" className={buttonClass("primary")}>
            Open the inbox
          </Link>
        )}
      </div>
      {error !== undefined && <ErrorText error={error} />}
      {warnings.map((warning) => (
        <p key={warning} className="foreign text-wait">
          <Visible text={warning} />
        </p>
      ))}
      {success && (
        <Section title="Outputs">
          <JsonView value={outputs} label="Outputs" depth={3} />
        </Section>
      )}
      {logs.length > 0 && (
        <Section title="Console output" aside={logs.length}>
          <div className="foreign max-h-64 overflow-auto rounded-md border border-line bg-code-bg px-3 py-2 font-mono text-xs">
            {logs.map(({ level, message }, at) => (
              <div
                key={at}
                className={level === "error" ? "text-fail" : level === "warn" ? "text-wait" : undefined}
              >
                <Visible text={message} max={2_000} />
              </div>
            ))}
          </div>
        </Section>
      )}
    </div>
  );
}
