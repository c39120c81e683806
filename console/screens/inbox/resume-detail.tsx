import { Link, useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useAct } from "../../api/queries.ts";
import { newRequestId } from "../../api/request-id.ts";
import { useMay } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { Button, buttonClass, once } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { executedToast } from "../../parts/executed-toast.ts";
import { useKeys } from "../../parts/keys.ts";
import { Section } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast-store.ts";
import { DetailFrame } from "./detail-frame.tsx";
import type { DetailProps } from "./inbox-detail.tsx";
import { intentOf } from "./item-details.ts";
import { NotAllowed } from "./not-allowed.tsx";
import { RunFacts } from "./run-facts.tsx";

/** A run whose questions are all answered: it goes on when somebody resumes it. */
export function ResumeDetail({ item }: DetailProps): ReactNode {
  const run = item.subject;
  const [requestId] = useState(newRequestId);
  const navigate = useNavigate();
  const mayResume = useMay("resumeRun");
  const resume = useAct("resumeRun", {
    onSuccess: (executed) =>
      toast(executedToast(executed, (to) => void navigate({ to: "/runs/$run", params: { run: to } }))),
  });
  const input = { params: { run }, body: { request_id: requestId } };
  const go = () => {
    if (!resume.isPending) resume.mutate(input);
  };
  useKeys({ r: { label: "Resume the run", group: "Inbox", run: go } }, mayResume);
  return (
    <DetailFrame
      item={item}
      title={intentOf(item.details) ?? run}
      aside={
        item.since !== undefined && (
          <span>
            began <Time at={item.since} />
          </span>
        )
      }
      actions={
        mayResume ? (
          <>
            <Button look="primary" shortcut="r" busy={resume.isPending} onClick={once(go)}>
              Resume
            </Button>
            <Link to="/runs/$run" params={{ run }} className={buttonClass()}>
              Open the run
            </Link>
          </>
        ) : (
          <NotAllowed scope="call" command={item.command} />
        )
      }
    >
      <p className="max-w-prose text-base text-pretty">
        Every question of this run is answered. Steps that have an answer on record are not made again when it
        is resumed.
      </p>
      <Section title="The run">
        <RunFacts run={run} />
      </Section>
      <CommandTwin command={twinText("resumeRun", input) ?? ""} />
    </DetailFrame>
  );
}
