import { Ban, Columns2, X } from "lucide-react";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { useMay } from "../../api/session.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { countOf } from "../../parts/format.ts";
import { useKeys } from "../../parts/keys.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { canCancel, type RunRow } from "./run-rows.ts";

const CompareDialog = lazy(async () => ({ default: (await import("./compare-dialog.tsx")).CompareDialog }));

export interface SelectionBarProps {
  readonly runs: readonly RunRow[];
  readonly onClear: () => void;
}

/** What can be done with the chosen runs. */
export function SelectionBar({ runs, onClear }: SelectionBarProps): ReactNode {
  const [asked, setAsked] = useState<"cancel" | "compare">();
  const close = () => setAsked(undefined);
  const open = runs.filter(canCancel);
  const mayCancel = useMay("cancelRun");
  useKeys({ Escape: { label: "Choose none", group: "Lists", run: onClear } });
  // The ids begin with their time: the older one comes first.
  const [before, after] = runs.map(({ run_id: id }) => id).toSorted();
  return (
    <div
      role="toolbar"
      aria-label="Chosen runs"
      className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line bg-raised px-4 py-2 max-sm:px-3"
    >
      <span className="mr-1 font-medium">{countOf(runs.length, "run")} chosen</span>
      <CopyButton
        labelled
        size="md"
        label="Copy ids"
        text={() => runs.map(({ run_id: id }) => id).join("\n")}
      />
      {mayCancel && (
        <Button
          icon={Ban}
          look="danger"
          disabled={open.length === 0}
          title={open.length === 0 ? "All of them have ended" : "Those that have not ended"}
          onClick={() => setAsked("cancel")}
        >
          {open.length === 0 ? "Cancel" : `Cancel ${open.length}`}
        </Button>
      )}
      <Button
        icon={Columns2}
        disabled={runs.length !== 2}
        title={runs.length === 2 ? undefined : "Choose two runs"}
        onClick={() => setAsked("compare")}
      >
        Compare
      </Button>
      <IconButton icon={X} label="Choose none" shortcut="Escape" className="ml-auto" onClick={onClear} />
      {asked === "cancel" && <CancelDialog runs={open} onClose={close} onDone={onClear} />}
      {asked === "compare" && before !== undefined && after !== undefined && (
        <Suspense>
          <CompareDialog before={before} after={after} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}
