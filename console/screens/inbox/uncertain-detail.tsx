import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { urlOf } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { newRequestId } from "../../api/request-id.ts";
import { useMay } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { executedToast } from "../../parts/executed-toast.ts";
import { countOf } from "../../parts/format.ts";
import { useKeys } from "../../parts/keys.ts";
import { Section } from "../../parts/page.tsx";
import { SentRequest } from "../../parts/sent-request.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast-store.ts";
import { DetailFrame } from "./detail-frame.tsx";
import type { DetailProps } from "./inbox-detail.tsx";
import { uncertainCallsOf } from "./item-details.ts";
import { NotAllowed } from "./not-allowed.tsx";
import { RunFacts } from "./run-facts.tsx";
import { answersToSend, NO_ANSWER } from "./uncertain-answers.ts";
import { UncertainCallFields } from "./uncertain-call-fields.tsx";

/** Calls that were sent and have no answer on record: a person says of each what the run goes on with. */
export function UncertainDetail({ item }: DetailProps): ReactNode {
  const calls = uncertainCallsOf(item.details);
  const [answers, setAnswers] = useState(() => calls.map(() => NO_ANSWER));
  const [isAsked, setAsked] = useState(false);
  const [requestId] = useState(newRequestId);
  const navigate = useNavigate();
  const sent = answersToSend(answers);
  const mayResume = useMay("resumeRun");
  const resume = useAct("resumeRun", {
    onSuccess: (executed) =>
      toast(executedToast(executed, (run) => void navigate({ to: "/runs/$run", params: { run } }))),
  });
  const isReady = sent.kind === "ready" && mayResume && !resume.isPending;
  useKeys({ r: { label: "Resume with this answer", group: "Inbox", run: () => setAsked(true) } }, isReady);
  const input = {
    params: { run: item.subject },
    body: { ...(sent.kind === "ready" && { uncertain: sent.uncertain }), request_id: requestId },
  };
  const go = () => {
    setAsked(false);
    resume.mutate(input);
  };
  return (
    <DetailFrame
      item={item}
      title={
        calls.length === 1
          ? calls[0]!.tool
          : countOf(calls.length, "call without an answer", "calls without an answer")
      }
      aside={
        item.since !== undefined && (
          <span>
            the run began <Time at={item.since} />
          </span>
        )
      }
      actions={
        mayResume ? (
          <>
            <Button
              look="primary"
              shortcut="r"
              disabled={!isReady}
              busy={resume.isPending}
              onClick={() => setAsked(true)}
            >
              Resume with {calls.length === 1 ? "this answer" : "these answers"}
            </Button>
            {sent.kind !== "ready" && <span className="text-muted">Say first what happened.</span>}
          </>
        ) : (
          <NotAllowed scope="call" command={item.command} />
        )
      }
    >
      <p className="max-w-prose text-base text-pretty">
        {calls.length === 1 ? "This call was" : "These calls were"} sent, and the gateway ended or lost the
        connection before an answer came. Look in the system that{" "}
        {calls.length === 1 ? "it reaches" : "they reach"} whether it took effect.
      </p>
      {calls.map((call, at) => (
        <UncertainCallFields
          key={`${call.name}-${at}`}
          call={call}
          answer={answers[at] ?? NO_ANSWER}
          onChange={(answer) => setAnswers(answers.with(at, answer))}
          error={sent.kind === "invalid" && sent.at === at ? sent.message : undefined}
        />
      ))}
      <Section title="The run">
        <RunFacts run={item.subject} />
      </Section>
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
    </DetailFrame>
  );
}
