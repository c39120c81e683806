import { CircleStop, Play } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import type { RunControl } from "./use-code-run.ts";

/** Runs, or stops what runs. */
export function RunButton({
  control,
  isEmpty,
}: {
  readonly control: RunControl;
  readonly isEmpty: boolean;
}): ReactNode {
  const { isBusy, isCancelling, isStopping, runId, start, cancel, mayRun } = control;
  return (
    <>
      {isBusy && (
        <Button
          look="danger"
          icon={CircleStop}
          busy={isCancelling}
          disabled={runId === undefined || isStopping}
          onClick={cancel}
        >
          Cancel
        </Button>
      )}
      <Button
        look="primary"
        icon={Play}
        shortcut="mod+Enter"
        busy={isBusy}
        disabled={isEmpty || !mayRun}
        title={mayRun ? undefined : "Needs a session with the scope call"}
        onClick={start}
      >
        Run
      </Button>
    </>
  );
}
