import { Save, X } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Page } from "../../parts/page.tsx";
import { SplitPane } from "../../parts/split-pane.tsx";
import { problemsOfRun } from "./code-run.ts";
import { readDeclarations } from "./declared-tools.ts";
import { EditorPane } from "./editor-pane.tsx";
import { ExamplesMenu } from "./examples-menu.tsx";
import { RunButton } from "./run-button.tsx";
import { RunPane } from "./run-pane.tsx";
import { SaveDialog } from "./save-dialog.tsx";
import { useCheck } from "./use-check.ts";
import { useCodeRun } from "./use-code-run.ts";
import { useEditorText } from "./use-editor-text.ts";

/** Half and half is too little for code, and enough for what it answers. */
const RESULT_PERCENT = 42;

/** An editor for code that calls tools: checked as it is typed, run here, saved to the library. */
export function CodeScreen(): ReactNode {
  const [size, setSize] = useState(RESULT_PERCENT);
  const [isSaving, setSaving] = useState(false);
  const declarations = useAsk("declareTools", {});
  const declared = useMemo(
    () => readDeclarations(declarations.data?.declarations ?? ""),
    [declarations.data],
  );
  const { code, setCode, place } = useEditorText(declared, declarations.isSuccess);
  const check = useCheck(code, declarations.data?.declarations);
  const control = useCodeRun(code);
  const runProblems = useMemo(() => problemsOfRun(control.run, code), [control.run, code]);
  useKeys({
    "mod+Enter": { label: "Run the code", group: "This screen", inFields: true, run: control.start },
    "mod+s": {
      label: "Save to the library",
      group: "This screen",
      inFields: true,
      run: () => setSaving(control.draft !== undefined),
    },
  });
  return (
    <Page
      title="Code"
      actions={
        <>
          {code !== "" && (
            <Button look="quiet" icon={X} onClick={() => place("", "An empty text")}>
              Clear
            </Button>
          )}
          <ExamplesMenu declared={declared} onChoose={place} />
          <SaveButton control={control} onSave={() => setSaving(true)} />
          <RunButton control={control} isEmpty={code.trim() === ""} />
        </>
      }
    >
      <SplitPane
        label="Inputs and result"
        size={size}
        onSize={setSize}
        start={
          <EditorPane
            code={code}
            onCode={setCode}
            onPlace={place}
            onRun={control.start}
            declarations={declarations}
            declared={declared}
            check={check}
            runProblems={runProblems}
          />
        }
        end={<RunPane control={control} code={code} />}
      />
      <SaveDialog open={isSaving} onClose={() => setSaving(false)} draft={control.draft} />
    </Page>
  );
}

function SaveButton({
  control,
  onSave,
}: {
  readonly control: ReturnType<typeof useCodeRun>;
  readonly onSave: () => void;
}): ReactNode {
  const { draft, maySave } = control;
  const reason = maySave ? "Run it first: what is saved is what ran" : "Needs a session with the scope write";
  return (
    <Button
      icon={Save}
      onClick={onSave}
      disabled={draft === undefined || !maySave}
      title={draft === undefined || !maySave ? reason : undefined}
    >
      Save as…
    </Button>
  );
}
