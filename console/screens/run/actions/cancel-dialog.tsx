import type { ReactNode } from "react";
import { urlOf } from "../../../api/client.ts";
import { useAct } from "../../../api/queries.ts";
import { twinText } from "../../../api/twin.ts";
import { ConfirmDialog } from "../../../parts/confirm-dialog.tsx";
import { SentRequest } from "../../../parts/sent-request.tsx";
import { toast } from "../../../parts/toast-store.ts";
import type { RunHead } from "../run-view.ts";

/** Ends a run where it is. */
export function CancelDialog({
  head,
  onClose,
}: {
  readonly head: RunHead;
  readonly onClose: () => void;
}): ReactNode {
  const input = { params: { run: head.run_id } };
  const cancel = useAct("cancelRun", {
    onSuccess({ status }) {
      onClose();
      toast({
        tone: "ok",
        title: status === "cancelled" ? "The run is cancelled" : "The run was asked to stop",
      });
    },
  });
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      onConfirm={() => cancel.mutate(input)}
      busy={cancel.isPending}
      title="Cancel the run?"
      confirm="Cancel the run"
      command={twinText("cancelRun", input)}
    >
      <p className="text-muted">
        Calls that are under way end and are recorded, nothing new begins. What has been done is not undone;
        the run can be resumed later.
      </p>
      <SentRequest method="POST" url={urlOf("cancelRun", input)} />
    </ConfirmDialog>
  );
}
