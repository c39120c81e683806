import { useState, type ReactNode } from "react";
import { urlOf } from "../../api/client.ts";
import { useAct } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { countOf } from "../../parts/format.ts";
import { SentRequest } from "../../parts/sent-request.tsx";
import { toast } from "../../parts/toast-store.ts";
import { Visible } from "../../parts/visible.tsx";
import { titleOf, type RunRow } from "./run-rows.ts";

export interface CancelDialogProps {
  readonly runs: readonly RunRow[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Stops runs, one after another. Each failure is said by itself; the others are stopped all the same. */
export function CancelDialog({ runs, onClose, onDone }: CancelDialogProps): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const cancel = useAct("cancelRun");
  const [only] = runs;
  const cancelAll = async () => {
    setBusy(true);
    let count = 0;
    for (const { run_id: run } of runs) {
      const isDone = await cancel.mutateAsync({ params: { run } }).then(
        () => true,
        () => false,
      );
      if (isDone) count += 1;
    }
    if (count > 0) toast({ tone: "ok", title: `${countOf(count, "run")} cancelled, or asked to stop` });
    onClose();
    onDone();
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => void cancelAll()}
      danger
      busy={isBusy}
      title={`Cancel ${countOf(runs.length, "run")}?`}
      confirm="Cancel the runs"
      command={
        only && runs.length === 1 ? twinText("cancelRun", { params: { run: only.run_id } }) : undefined
      }
    >
      <p className="text-muted">
        Calls under way end and are recorded; nothing new begins. A cancelled run can be resumed.
      </p>
      <ul className="max-h-48 divide-y divide-line overflow-auto border-y border-line">
        {runs.map((run) => (
          <li key={run.run_id} className="py-1">
            <span className="block truncate">
              <Visible text={titleOf(run)} max={200} />
            </span>
            <code className="block truncate font-mono text-2xs text-faint">{run.run_id}</code>
          </li>
        ))}
      </ul>
      {only !== undefined && runs.length === 1 && (
        <SentRequest method="POST" url={urlOf("cancelRun", { params: { run: only.run_id } })} body={{}} />
      )}
    </ConfirmDialog>
  );
}
