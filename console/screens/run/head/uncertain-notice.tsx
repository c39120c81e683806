import { CircleHelp } from "lucide-react";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import { urlOf } from "../../../api/client.ts";
import { useMay } from "../../../api/session.ts";
import { twinText } from "../../../api/twin.ts";
import { Button } from "../../../parts/button.tsx";
import { ConfirmDialog } from "../../../parts/confirm-dialog.tsx";
import { ErrorText } from "../../../parts/error-state.tsx";
import { countOf } from "../../../parts/format.ts";
import { SentRequest } from "../../../parts/sent-request.tsx";
import { answersToSend, NO_ANSWER } from "../../inbox/uncertain-answers.ts";
import { UncertainCallFields } from "../../inbox/uncertain-call-fields.tsx";
import type { Launch } from "../actions/launch.ts";
import { uncertainOf, type RunHead } from "../run-view.ts";
import { Notice } from "./notice.tsx";

export interface UncertainNoticeProps {
  readonly head: RunHead;
  /** Of what is on screen longer than this: it goes as soon as the run is resumed. */
  readonly resume: Launch<"resumeRun">;
}

/** Calls that were sent and have no answer on record: somebody says of each what the run goes on with. */
export function UncertainNotice({ head, resume }: UncertainNoticeProps): ReactNode {
  const calls = uncertainOf(head);
  const [answers, setAnswers] = useState(() => calls.map(() => NO_ANSWER));
  const [isAsked, setAsked] = useState(false);
  const mayResume = useMay("resumeRun");
  const { launch, isPending, error } = resume;
  const sent = answersToSend(answers);
  const input = {
    params: { run: head.run_id },
    body: sent.kind === "ready" ? { uncertain: sent.uncertain } : {},
  };
  const go = () => {
    setAsked(false);
    launch(input);
  };
  return (
    <Notice
      tone="wait"
      icon={CircleHelp}
      title={`${countOf(calls.length, "call was", "calls were")} sent, and no answer is on record. Find out whether it took effect, then say how the run goes on.`}
      actions={
        <Button
          look="primary"
          disabled={!mayResume || sent.kind !== "ready"}
          title={mayResume ? undefined : "This session has no scope call."}
          busy={isPending}
          onClick={() => setAsked(true)}
        >
          Resume with {calls.length === 1 ? "this answer" : "these answers"}
        </Button>
      }
    >
      <div className="max-h-[40dvh] space-y-4 overflow-auto">
        {calls.map((call, at) => (
          <UncertainCallFields
            key={`${call.name}-${at}`}
            call={call}
            answer={answers[at] ?? NO_ANSWER}
            onChange={(answer) => setAnswers(answers.with(at, answer))}
            error={sent.kind === "invalid" && sent.at === at ? sent.message : undefined}
          />
        ))}
      </div>
      {error !== null && <ErrorText error={toolErrorOf(error)} />}
      <ConfirmDialog
        open={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={go}
        title="Resume the run?"
        confirm="Resume"
        command={twinText("resumeRun", input)}
      >
        <p className="text-muted">Steps that have an answer on record are not made again.</p>
        <SentRequest method="POST" url={urlOf("resumeRun", input)} body={input.body} />
      </ConfirmDialog>
    </Notice>
  );
}
