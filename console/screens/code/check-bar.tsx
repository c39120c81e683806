import { CircleCheck, CircleX, LoaderCircle, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { CodeProblem } from "../../parts/code-editor.tsx";
import { countOf } from "../../parts/format.ts";
import { Visible } from "../../parts/visible.tsx";
import type { Check } from "./use-check.ts";

/** More are in the editor, each at its place. */
const SHOWN_MAX = 20;

export interface CheckBarProps {
  readonly check: Check;
  /** Where the last run failed. */
  readonly runProblems: readonly CodeProblem[];
  readonly missing: readonly { readonly server: string; readonly reason: string }[];
  readonly toolCount: number | undefined;
}

/** What the check says, in words: the marks of the editor are for the eye. */
export function CheckBar({ check, runProblems, missing, toolCount }: CheckBarProps): ReactNode {
  const problems = [...(check.state === "checked" ? check.checked.problems : []), ...runProblems];
  return (
    <div className="shrink-0 border-t border-line">
      {problems.length > 0 && (
        <ul aria-label="Problems" className="max-h-32 divide-y divide-line overflow-auto">
          {problems.slice(0, SHOWN_MAX).map((problem, at) => (
            <ProblemRow key={`${problem.line} ${problem.column} ${at}`} problem={problem} />
          ))}
        </ul>
      )}
      <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-0.5 border-t border-line px-3 py-1 text-xs text-muted first:border-t-0">
        <span role="status" className="inline-flex items-center gap-1.5">
          <CheckState check={check} count={problems.length} />
        </span>
        {toolCount !== undefined && <span>{countOf(toolCount, "tool")} can be called</span>}
        {missing.length > 0 && (
          <span
            className="text-wait"
            title={missing.map(({ server, reason }) => `${server}: ${reason}`).join("\n")}
          >
            Without <Visible text={missing.map(({ server }) => server).join(", ")} max={100} />
          </span>
        )}
      </div>
    </div>
  );
}

function ProblemRow({ problem }: { readonly problem: CodeProblem }): ReactNode {
  const { severity, message, hint, line, column } = problem;
  const isError = severity === "error";
  const Icon = isError ? CircleX : TriangleAlert;
  return (
    <li className="foreign flex gap-2 px-3 py-1 text-xs">
      <Icon
        aria-hidden
        size={14}
        className={isError ? "mt-0.5 shrink-0 text-fail" : "mt-0.5 shrink-0 text-wait"}
      />
      <span className="sr-only">{isError ? "Error" : "Warning"}</span>
      {line !== undefined && (
        <span className="shrink-0 font-mono text-muted">
          {line}:{column ?? 1}
        </span>
      )}
      <span className="min-w-0">
        <Visible text={message} max={600} />
        {hint !== undefined && (
          <span className="block text-muted">
            <Visible text={hint} max={400} />
          </span>
        )}
      </span>
    </li>
  );
}

function CheckState({ check, count }: { readonly check: Check; readonly count: number }): ReactNode {
  if (check.state === "empty") return "Checked as you type";
  if (check.state === "failed") {
    return (
      <>
        <TriangleAlert aria-hidden size={14} className="text-wait" />
        Not checked: <Visible text={check.message} max={200} />
      </>
    );
  }
  if (check.state === "checking") {
    return (
      <>
        <LoaderCircle aria-hidden size={14} className="animate-spin" />
        Checking
      </>
    );
  }
  if (count > 0) {
    return (
      <>
        <CircleX aria-hidden size={14} className={check.checked.ok ? "text-wait" : "text-fail"} />
        {countOf(count, "problem")}
      </>
    );
  }
  return (
    <>
      <CircleCheck aria-hidden size={14} className="text-ok" />
      No problems, {countOf(check.checked.tools.length, "tool")} used
    </>
  );
}
