import { Braces } from "lucide-react";
import type { ReactNode } from "react";
import { useAsk } from "../../api/queries.ts";
import { twinText } from "../../api/twin.ts";
import { CodeEditor } from "../../parts/code-editor.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useUrlSearch } from "../../parts/url-search.ts";
import { readInputs } from "./run-inputs.ts";
import { RunHead } from "./run-head.tsx";
import { RunLogs } from "./run-logs.tsx";
import { RunResult } from "./run-result.tsx";
import { RunSteps } from "./run-steps.tsx";
import type { Search } from "./search.ts";
import type { RunControl } from "./use-code-run.ts";

type TabId = "result" | "console" | "calls";

/** What the code is given, and what comes of it. */
export function RunPane({
  control,
  code,
}: {
  readonly control: RunControl;
  readonly code: string;
}): ReactNode {
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto">
      <RunInputs control={control} code={code} />
      {control.run === undefined ? (
        <EmptyState icon={Braces} title="Nothing ran yet">
          What the code returns, prints and calls is shown here, live while it runs.
        </EmptyState>
      ) : (
        <RunTabs control={control} />
      )}
    </div>
  );
}

function RunInputs({ control, code }: { readonly control: RunControl; readonly code: string }): ReactNode {
  const { inputsText, setInputsText, intent, setIntent, start } = control;
  const inputs = readInputs(inputsText);
  const body = {
    code,
    inputs: inputs.ok ? inputs.value : {},
    ...(intent.trim() !== "" && { intent: intent.trim() }),
  };
  return (
    <div className="shrink-0 space-y-2.5 border-b border-line px-4 py-3 max-sm:px-3">
      <div>
        <h2 className="mb-1 text-sm font-medium">
          Inputs <span className="font-normal text-muted">as JSON; in code they are args</span>
        </h2>
        <CodeEditor
          value={inputsText}
          onChange={setInputsText}
          language="json"
          label="Inputs as JSON"
          minLines={2}
          maxLines={8}
          onRun={start}
        />
        {!inputs.ok && (
          <p role="alert" className="foreign mt-1 text-xs text-fail">
            {inputs.message}
          </p>
        )}
      </div>
      <Field label="Intent">
        {(field) => (
          <Input
            {...field}
            value={intent}
            maxLength={1_000}
            placeholder="What the run is for, in a few words"
            onChange={(event) => setIntent(event.target.value)}
          />
        )}
      </Field>
      <CommandTwin command={twinText("startRun", { body }) ?? ""} />
    </div>
  );
}

/** While it runs, and after that: the run as the gateway has it. */
function RunTabs({ control }: { readonly control: RunControl }): ReactNode {
  const [search, change] = useUrlSearch<Search>();
  const { run, runId } = control;
  const head = useAsk("getRun", { params: { run: runId ?? "" } }, { enabled: runId !== undefined });
  const value = tabOf(search.tab);
  const logs = run?.executed?.logs ?? head.data?.logs ?? [];
  return (
    <div className="flex min-h-64 flex-1 flex-col">
      <RunHead run={run!} runId={runId} head={head.data} isStopping={control.isStopping} />
      <Tabs
        label="The run"
        value={value}
        onChange={(tab: TabId) => change({ tab: tab === "result" ? undefined : tab })}
        tabs={[
          { id: "result", label: "Result" },
          { id: "console", label: "Console", count: logs.length },
          { id: "calls", label: "Calls", count: head.data?.step_count ?? run?.executed?.calls?.length ?? 0 },
        ]}
        panelClassName="min-h-0 flex-1 overflow-auto px-4 py-3 max-sm:px-3"
      >
        {value === "result" && <RunResult run={run!} runId={runId} />}
        {value === "console" && <RunLogs logs={logs} isBusy={control.isBusy} />}
        {value === "calls" && <RunSteps runId={runId} isBusy={control.isBusy} />}
      </Tabs>
    </div>
  );
}

function tabOf(tab: string | undefined): TabId {
  return tab === "console" || tab === "calls" ? tab : "result";
}
