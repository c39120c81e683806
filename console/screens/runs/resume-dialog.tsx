import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { urlOf } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { newRequestId } from "../../api/request-id.ts";
import { twinText } from "../../api/twin.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { executedToast } from "../../parts/executed-toast.ts";
import { SentRequest } from "../../parts/sent-request.tsx";
import { toast } from "../../parts/toast-store.ts";
import { Visible } from "../../parts/visible.tsx";
import { titleOf, type RunRow } from "./run-rows.ts";

/** Resumes a run that stopped. The answer comes when it has ended or waits; the list shows it running before that. */
export function ResumeDialog({
  run,
  onClose,
}: {
  readonly run: RunRow;
  readonly onClose: () => void;
}): ReactNode {
  const [requestId] = useState(newRequestId);
  const navigate = useNavigate();
  const resume = useAct("resumeRun", {
    onSuccess: (executed) =>
      toast(executedToast(executed, (to) => void navigate({ to: "/runs/$run", params: { run: to } }))),
  });
  const input = { params: { run: run.run_id }, body: { request_id: requestId } };
  const go = () => {
    resume.mutate(input);
    onClose();
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={go}
      title="Resume this run?"
      confirm="Resume"
      command={twinText("resumeRun", input)}
    >
      <p className="foreign font-medium">
        <Visible text={titleOf(run)} max={400} />
      </p>
      <p className="text-muted">
        It goes on where it stopped. Steps that have an answer on record are not made again.
      </p>
      <SentRequest method="POST" url={urlOf("resumeRun", input)} body={input.body} />
    </ConfirmDialog>
  );
}
