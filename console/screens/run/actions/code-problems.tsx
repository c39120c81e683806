import { CircleX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import { ErrorText } from "../../../parts/error-state.tsx";
import { Visible } from "../../../parts/visible.tsx";
import type { Checked } from "./use-checked.ts";

/** A screen of mistakes is enough to begin with. */
const SHOWN_MAX = 12;

/** What is wrong or doubtful, line by line. Doubts do not keep code from running. */
export function CodeProblems({ checked }: { readonly checked: Checked }): ReactNode {
  if (checked.error !== undefined)
    return <ErrorText error={toolErrorOf(checked.error)} title="It could not be checked" />;
  const problems = checked.answer?.problems ?? [];
  if (problems.length === 0) return null;
  return (
    <ul aria-label="Problems" className="max-h-40 space-y-1 overflow-auto text-xs">
      {problems.slice(0, SHOWN_MAX).map(({ severity, message, line, hint }, at) => {
        const Icon = severity === "error" ? CircleX : TriangleAlert;
        return (
          <li key={at} className="flex gap-1.5">
            <Icon
              aria-hidden
              size={13}
              className={severity === "error" ? "mt-0.5 shrink-0 text-fail" : "mt-0.5 shrink-0 text-wait"}
            />
            <span className="foreign min-w-0">
              <span className="sr-only">{severity}: </span>
              {line !== undefined && <span className="text-muted">line {line}: </span>}
              <Visible text={message} max={600} />
              {hint !== undefined && (
                <span className="text-muted">
                  {" "}
                  <Visible text={hint} max={400} />
                </span>
              )}
            </span>
          </li>
        );
      })}
      {problems.length > SHOWN_MAX && <li className="text-muted">{problems.length - SHOWN_MAX} more</li>}
    </ul>
  );
}
