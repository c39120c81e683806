import { useNavigate } from "@tanstack/react-router";
import { CircleCheck, CircleX, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useAct, useAsk } from "../../api/queries.ts";
import { newRequestId } from "../../api/request-id.ts";
import { useMay } from "../../api/session.ts";
import { Button, IconButton, once } from "../../parts/button.tsx";
import { executedToast } from "../../parts/executed-toast.ts";
import { useKeys } from "../../parts/keys.ts";
import { StatusDot } from "../../parts/status.tsx";
import { toast } from "../../parts/toast-store.ts";
import { Visible } from "../../parts/visible.tsx";
import { RunLink } from "./run-facts.tsx";

/** A question that was answered here. */
export interface Settled {
  readonly run: string;
  readonly question: string;
  readonly isApproved: boolean;
  readonly what: string;
}

/** After an answer: what the run does now, and resuming it where nothing else does. */
export function SettledRun({
  settled,
  onClose,
}: {
  readonly settled: Settled;
  readonly onClose: () => void;
}): ReactNode {
  const { run, isApproved, what } = settled;
  const { data } = useAsk("getRun", { params: { run } });
  const [requestId] = useState(newRequestId);
  const navigate = useNavigate();
  const resume = useAct("resumeRun", {
    onSuccess: (executed) => {
      toast(executedToast(executed, (to) => void navigate({ to: "/runs/$run", params: { run: to } })));
      onClose();
    },
  });
  const isWaiting = data?.status === "paused" && data.resumed_by === undefined && data.questions.length === 0;
  const canResume = useMay("resumeRun") && isWaiting;
  const go = () => {
    if (!resume.isPending) resume.mutate({ params: { run }, body: { request_id: requestId } });
  };
  useKeys({ r: { label: "Resume the run", group: "Inbox", run: go } }, canResume);
  const Icon = isApproved ? CircleCheck : CircleX;
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-sunken px-4 py-1.5 max-sm:px-3"
    >
      <Icon aria-hidden size={16} className={isApproved ? "text-ok" : "text-fail"} />
      <span className="foreign min-w-0">
        {isApproved ? "Approved " : "Refused "}
        <code className="font-mono text-xs">
          <Visible text={what} max={200} />
        </code>
      </span>
      <span className="flex min-w-0 items-center gap-2 text-muted">
        <RunLink run={data?.resumed_by ?? run} />
        {data !== undefined && (
          <StatusDot state={data.resumed_by === undefined ? data.status : "succeeded"}>
            {data.resumed_by === undefined ? undefined : "Resumed"}
          </StatusDot>
        )}
      </span>
      <span className="ml-auto flex items-center gap-2">
        {canResume && (
          <Button look="primary" size="sm" shortcut="r" busy={resume.isPending} onClick={once(go)}>
            Resume now
          </Button>
        )}
        <IconButton size="sm" icon={X} label="Dismiss" onClick={onClose} />
      </span>
    </div>
  );
}
