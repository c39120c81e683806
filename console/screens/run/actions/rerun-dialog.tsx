import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import { twinText } from "../../../api/twin.ts";
import { Button } from "../../../parts/button.tsx";
import { CodeEditor } from "../../../parts/code-editor.tsx";
import { CommandTwin } from "../../../parts/command-twin.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { ErrorText } from "../../../parts/error-state.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { titleOf, type RunHead } from "../run-view.ts";
import { againOf } from "./copy-as.ts";
import { parseInputs } from "./inputs-text.ts";
import { useLaunch } from "./launch.ts";

/** The same source once more, with inputs that can be changed. Nothing is taken from the journal. */
export function RerunDialog({
  head,
  onClose,
}: {
  readonly head: RunHead;
  readonly onClose: () => void;
}): ReactNode {
  const again = againOf(head);
  const [text, setText] = useState(() => JSON.stringify(again?.inputs ?? {}, null, 2));
  const { launch, isPending, error } = useLaunch("startRun");
  const parsed = parseInputs(text);
  const body = { ...again, inputs: parsed.ok ? parsed.inputs : {} };
  const run = () => {
    if (!parsed.ok || isPending) return;
    launch({ body });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rerun with inputs"
      description={
        <>
          “<Visible text={titleOf(head)} max={80} />” runs from the beginning: every call is made again.
        </>
      }
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" disabled={!parsed.ok} busy={isPending} onClick={run}>
            Run
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <CodeEditor
          value={text}
          onChange={setText}
          language="json"
          label="Inputs, as a JSON object"
          problems={parsed.ok ? [] : [{ line: 1, column: 1, severity: "error", message: parsed.message }]}
          minLines={6}
          maxLines={20}
          onRun={run}
        />
        {!parsed.ok && <p className="text-xs text-fail">{parsed.message}</p>}
        {error !== null && <ErrorText error={toolErrorOf(error)} />}
        <CommandTwin command={twinText("startRun", { body }) ?? ""} />
      </div>
    </Dialog>
  );
}
