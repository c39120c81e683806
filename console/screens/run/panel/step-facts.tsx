import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Answer } from "../../../api/client.ts";
import { formatBytes, formatDuration } from "../../../parts/format.ts";
import { Facts } from "../../../parts/page.tsx";
import { Duration } from "../../../parts/time.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { shortId } from "../run-view.ts";

export interface StepFactsProps {
  readonly step: Answer<"getStep">;
  readonly onLine: ((line: number) => void) | undefined;
}

const LINK = "text-accent underline decoration-line-strong underline-offset-2 hover:decoration-current";
/** Of a line of source. */
const LINE_MAX = 160;

export function StepFacts({ step, onLine }: StepFactsProps): ReactNode {
  const {
    tool,
    from_journal: journal,
    skipped_by: by,
    attempt,
    waited_ms: waited,
    run,
    result_bytes: bytes,
  } = step;
  return (
    <div className="space-y-2 px-4 py-3">
      <Facts
        facts={[
          { term: "Step", value: step.step },
          { term: "Tool", value: <ToolName tool={tool} /> },
          {
            term: "Began",
            value:
              journal === undefined
                ? `${formatDuration(Math.max(0, step.started_ms))} after the run`
                : undefined,
          },
          { term: "Took", value: step.elapsed_ms === null ? undefined : <Duration ms={step.elapsed_ms} /> },
          { term: "Waited", value: waited === undefined ? undefined : formatDuration(waited) },
          { term: "Attempt", value: attempt },
          { term: "Result", value: bytes === null ? undefined : formatBytes(bytes) },
          {
            term: "From the journal",
            value: journal && (
              <>
                answered by{" "}
                <Link to="/runs/$run" params={{ run: journal }} className={LINK}>
                  {shortId(journal)}
                </Link>
                , not called again
              </>
            ),
          },
          { term: "Skipped by", value: by && <Visible text={by} max={200} /> },
          {
            term: "Started",
            value: run && (
              <Link to="/runs/$run" params={{ run }} className={LINK}>
                the run {shortId(run)}
              </Link>
            ),
          },
        ]}
      />
      <SourceLines step={step} onLine={onLine} />
    </div>
  );
}

/** Nodes of workflows have types that are no tools. */
function ToolName({ tool }: { readonly tool: string }): ReactNode {
  const name = <Visible text={tool} max={200} />;
  if (!tool.includes("__")) return <span className="font-mono text-xs">{name}</span>;
  return (
    <Link to="/tools/$tool" params={{ tool }} className={`${LINK} font-mono text-xs`}>
      {name}
    </Link>
  );
}

function SourceLines({ step, onLine }: StepFactsProps): ReactNode {
  const { lines = [], source_line: text } = step;
  const [first, ...others] = lines;
  if (first === undefined) return null;
  const line = (
    <>
      <span className="w-8 shrink-0 text-right text-faint">{first}</span>
      <code className="min-w-0 truncate whitespace-pre">
        <Visible text={(text ?? "").trim()} max={LINE_MAX} />
      </code>
    </>
  );
  const look =
    "flex w-full min-w-0 gap-3 rounded-md bg-code-bg px-2 py-1 text-left font-mono text-xs inset-ring inset-ring-line";
  return (
    <div>
      {onLine === undefined ? (
        <div className={look}>{line}</div>
      ) : (
        <button
          type="button"
          title="Show the line in the source"
          onClick={() => onLine(first)}
          className={`${look} hover:bg-hover`}
        >
          {line}
        </button>
      )}
      {others.length > 0 && (
        <p className="mt-1 text-xs text-muted">
          Also called on {others.length === 1 ? "line" : "lines"} {others.join(", ")}
        </p>
      )}
    </div>
  );
}
