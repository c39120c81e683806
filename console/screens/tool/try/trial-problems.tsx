import { CircleX } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import type { FormProblem } from "../../../parts/schema-form/problems.ts";
import { Visible } from "../../../parts/visible.tsx";
import type { Trial } from "../trial.ts";

/** More are read one after the other. */
const SHOWN_MAX = 8;

export interface TrialProblemsProps {
  readonly trial: Trial;
  readonly problems: readonly FormProblem[];
  readonly onSendAnyway: () => void;
}

/** Why nothing was sent: the text cannot be read, or the arguments do not fit the schema. */
export function TrialProblems({ trial, problems, onSendAnyway }: TrialProblemsProps): ReactNode {
  if (trial.problem !== undefined) {
    return (
      <p role="alert" className="foreign flex gap-2 text-fail">
        <CircleX aria-hidden size={16} className="mt-0.5 shrink-0" />
        <Visible text={trial.problem} max={400} />
      </p>
    );
  }
  if (problems.length === 0) return null;
  return (
    <div role="alert" className="rounded-md bg-fail-bg px-3 py-2">
      <p className="font-medium">Nothing was sent: the arguments do not fit the schema.</p>
      <ul className="mt-1 space-y-0.5">
        {problems.slice(0, SHOWN_MAX).map(({ path, message }, at) => (
          <li key={`${path} ${at}`} className="foreign">
            <code className="font-mono text-xs">
              <Visible text={path === "" ? "/" : path} max={200} />
            </code>{" "}
            <Visible text={message} max={300} />
          </li>
        ))}
      </ul>
      <Button size="sm" className="mt-2" onClick={onSendAnyway}>
        Send it as it is
      </Button>
    </div>
  );
}
