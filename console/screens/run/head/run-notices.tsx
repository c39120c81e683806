import { CircleCheck, CircleX, Hourglass, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { twinText } from "../../../api/twin.ts";
import { CommandTwin } from "../../../parts/command-twin.tsx";
import { countOf } from "../../../parts/format.ts";
import { useLaunch } from "../actions/launch.ts";
import { Time } from "../../../parts/time.tsx";
import { Visible } from "../../../parts/visible.tsx";
import {
  completedCount,
  resumeProblem,
  statusOf,
  uncertainOf,
  waitsUntil,
  type RunHead,
} from "../run-view.ts";
import { Notice } from "./notice.tsx";
import { QuestionNotice } from "./question-notice.tsx";
import { UncertainNotice } from "./uncertain-notice.tsx";

/** What a run needs or failed with, above everything else. */
export function RunNotices({ head }: { readonly head: RunHead }): ReactNode {
  const { run_id: run, questions, resumed_by: by } = head;
  const status = statusOf(head);
  const until = waitsUntil(head);
  const resume = useLaunch("resumeRun");
  const isUncertain = by === undefined && status !== "running" && uncertainOf(head).length > 0;
  return (
    <div className="max-h-[45dvh] shrink-0 overflow-auto">
      {questions.map((asked) => (
        <QuestionNotice key={asked.question} run={run} asked={asked} />
      ))}
      {isUncertain && <UncertainNotice head={head} resume={resume} />}
      {!isUncertain && status === "interrupted" && by === undefined && <InterruptedNotice head={head} />}
      {status === "paused" && until === undefined && resumeProblem(head) === undefined && (
        <AnsweredNotice head={head} />
      )}
      {until !== undefined && by === undefined && (
        <Notice
          tone="wait"
          icon={Hourglass}
          title={
            <>
              It waits until <Time at={until} />, then it can be resumed.
            </>
          }
        />
      )}
      {(status === "failed" || status === "cancelled") && <ErrorNotice head={head} />}
    </div>
  );
}

function InterruptedNotice({ head }: { readonly head: RunHead }): ReactNode {
  const done = completedCount(head);
  const journal =
    done === 0
      ? "No step had ended."
      : `${countOf(done, "step is", "steps are")} in the journal and will not be made again.`;
  return (
    <Notice tone="wait" icon={Unplug} title={`The process that ran it is gone. ${journal}`}>
      <ResumeCommand head={head} />
    </Notice>
  );
}

/** It was answered: a client that waits goes on by itself; otherwise a person resumes the run here. */
function AnsweredNotice({ head }: { readonly head: RunHead }): ReactNode {
  return (
    <Notice tone="ok" icon={CircleCheck} title="Its question is answered. It goes on when it is resumed.">
      <ResumeCommand head={head} />
    </Notice>
  );
}

/** What the button does, on the command line. */
function ResumeCommand({ head }: { readonly head: RunHead }): ReactNode {
  const command = twinText("resumeRun", { params: { run: head.run_id } });
  if (command === undefined || resumeProblem(head) !== undefined) return null;
  return (
    <div className="max-w-xl max-sm:hidden">
      <CommandTwin command={command} />
    </div>
  );
}

function ErrorNotice({ head }: { readonly head: RunHead }): ReactNode {
  const { error, status } = head;
  if (error === undefined) return null;
  const hint = typeof error["hint"] === "string" ? error["hint"] : undefined;
  return (
    <Notice
      tone={status === "failed" ? "fail" : "idle"}
      icon={CircleX}
      title={<Visible text={error.message} max={1_200} />}
    >
      <p className="foreign text-xs text-muted">
        <Visible
          text={[error.code, error.reason].filter((word) => word !== undefined).join(" · ")}
          max={200}
        />
        {hint !== undefined && (
          <>
            {". "}
            <Visible text={hint} max={600} />
          </>
        )}
      </p>
      <ResumeCommand head={head} />
    </Notice>
  );
}
