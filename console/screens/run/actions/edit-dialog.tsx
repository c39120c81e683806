import { CircleCheck, LoaderCircle } from "lucide-react";
import { useState, type ReactNode } from "react";
import { toolErrorOf } from "../../../api/api-error.ts";
import { useAsk } from "../../../api/queries.ts";
import { twinText } from "../../../api/twin.ts";
import { Button } from "../../../parts/button.tsx";
import { CodeEditor } from "../../../parts/code-editor.tsx";
import { CommandTwin } from "../../../parts/command-twin.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { ErrorText } from "../../../parts/error-state.tsx";
import { countOf } from "../../../parts/format.ts";
import type { RunHead } from "../run-view.ts";
import { CodeProblems } from "./code-problems.tsx";
import { keptCode } from "./kept-code.ts";
import { journalCount } from "./journal-count.ts";
import { useLaunch } from "./launch.ts";
import { useChecked, type Checked } from "./use-checked.ts";

/** The code of a run that stopped, to be mended. Steps that it makes again with the same arguments come from the journal. */
export function EditDialog({
  head,
  onClose,
}: {
  readonly head: RunHead;
  readonly onClose: () => void;
}): ReactNode {
  const { run_id: run, source } = head;
  const [code, setCode] = useState(() => keptCode.read(run) ?? source ?? "");
  const checked = useChecked(code);
  const { launch, isPending, error } = useLaunch("resumeRun");
  const change = (text: string) => {
    setCode(text);
    keptCode.write(run, text);
  };
  const canRun = checked.answer?.ok === true && !isPending;
  const resume = () => {
    if (!canRun) return;
    launch({ params: { run }, body: { code } });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title="Edit and resume"
      description={<Journal run={run} checked={checked} />}
      footer={
        <>
          <CheckState checked={checked} />
          <Button look="quiet" disabled={code === source} onClick={() => change(source ?? "")}>
            Undo changes
          </Button>
          <Button look="primary" disabled={!canRun} busy={isPending} shortcut="mod+Enter" onClick={resume}>
            Resume with this code
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <CodeEditor
          value={code}
          onChange={change}
          language="typescript"
          label="Code of the run"
          problems={problemsOf(checked)}
          minLines={14}
          maxLines={26}
          onRun={resume}
        />
        <CodeProblems checked={checked} />
        {error !== null && <ErrorText error={toolErrorOf(error)} title="It was not resumed" />}
        <CommandTwin command={twinText("resumeRun", { params: { run }, body: { code } }) ?? ""} />
      </div>
    </Dialog>
  );
}

/** The first page says enough, and the waterfall has it already. */
function Journal({ run, checked }: { readonly run: string; readonly checked: Checked }): ReactNode {
  const steps = useAsk("listSteps", { params: { run }, query: { after: 0, limit: 500 } });
  const { kept, all, isMore } = journalCount(
    steps.data,
    checked.answer?.ok === true ? checked.answer.tools : undefined,
  );
  if (steps.data === undefined) return "Looking at the journal…";
  if (all === 0) return "No step has ended: nothing is in the journal.";
  return (
    <>
      {kept === all ? countOf(all, "step") : `${kept} of ${countOf(all, "step")}`}
      {isMore && " and more"} will be answered from the journal, where the code calls the same tool with the
      same arguments.
    </>
  );
}

function CheckState({ checked }: { readonly checked: Checked }): ReactNode {
  const { answer, error } = checked;
  const errors = answer?.problems.filter(({ severity }) => severity === "error").length ?? 0;
  return (
    <span role="status" className="mr-auto inline-flex items-center gap-1.5 text-muted">
      {answer === undefined && error === undefined && (
        <>
          <LoaderCircle aria-hidden size={14} className="animate-spin" /> Checking
        </>
      )}
      {answer?.ok === true && (
        <>
          <CircleCheck aria-hidden size={14} className="text-ok" /> Types are right
        </>
      )}
      {errors > 0 && <span className="text-fail">{countOf(errors, "mistake")} to mend first</span>}
    </span>
  );
}

const NO_PROBLEMS: readonly never[] = [];

function problemsOf({ answer }: Checked) {
  if (answer === undefined) return NO_PROBLEMS;
  return answer.problems.map(({ line = 1, column = 1, message, severity }) => ({
    line,
    column,
    message,
    severity,
  }));
}
