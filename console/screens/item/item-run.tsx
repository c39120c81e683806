import { Play } from "lucide-react";
import { useCallback, useRef, useState, type ReactNode } from "react";
import { toolErrorOf } from "../../api/api-error.ts";
import { requestOf, type Answer } from "../../api/client.ts";
import { useAct, useAsk } from "../../api/queries.ts";
import { newRequestId } from "../../api/request-id.ts";
import { useMay } from "../../api/session.ts";
import { twinText } from "../../api/twin.ts";
import { Button } from "../../parts/button.tsx";
import { CommandTwin } from "../../parts/command-twin.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { EffectMark } from "../../parts/effect-mark.tsx";
import { ErrorText } from "../../parts/error-state.tsx";
import { useKeys } from "../../parts/keys.ts";
import { SchemaForm, startValueOf, type FormProblem } from "../../parts/schema-form/schema-form.tsx";
import { SentRequest } from "../../parts/sent-request.tsx";
import { StatusDot } from "../../parts/status.tsx";
import { currentVersionOf, type ItemDetails } from "./item-details.ts";
import { referenceOf } from "./item-reference.ts";
import { RunOutcome } from "./run-outcome.tsx";

/** Runs the item that is shown, in the version that is shown, with inputs from a form. */
export function ItemRun({ item }: { readonly item: ItemDetails }): ReactNode {
  const [inputs, setInputs] = useState<unknown>(() => startValueOf(item.input_schema));
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const [showAll, setShowAll] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const start = useAct("startRun", { quiet: true });
  const may = useMay("startRun");
  const attempt = useRef<string>(undefined);
  const noteProblems = useCallback((found: readonly FormProblem[]) => setProblems(found), []);
  const name = item.version === currentVersionOf(item) ? item.name : referenceOf(item.name, item.version);
  const body = { name, inputs: asObject(inputs) };
  const tool = useAsk("getTool", { params: { tool: item.tool } }).data;
  const mayDestroy = (tool?.decision?.effect ?? "destroy") === "destroy";
  const run = () => {
    setShowAll(true);
    if (problems.length > 0 || start.isPending || !may) return;
    if (mayDestroy) setConfirming(true);
    else send();
  };
  const send = () => {
    setConfirming(false);
    // Both clicks of a double click name the same attempt, which the gateway starts once.
    attempt.current ??= newRequestId();
    start.mutate(
      { body: { ...body, request_id: attempt.current } },
      { onSettled: () => (attempt.current = undefined) },
    );
  };
  useKeys({ "mod+Enter": { label: "Run it", group: "This screen", inFields: true, run } });
  return (
    <div className="grid gap-x-8 gap-y-6 px-4 py-4 max-sm:px-3 lg:grid-cols-2">
      <div className="min-w-0 space-y-4">
        <SchemaForm
          schema={item.input_schema}
          value={inputs}
          onChange={setInputs}
          onProblems={noteProblems}
          label="Inputs"
          showAll={showAll}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            look="primary"
            icon={Play}
            shortcut="mod+Enter"
            busy={start.isPending}
            disabled={!may}
            title={may ? undefined : "Needs a session with the scope call"}
            onClick={run}
          >
            Run
          </Button>
          {tool?.decision && <Decision decision={tool.decision} />}
          {showAll && problems.length > 0 && (
            <span role="status" className="text-fail">
              Mend the inputs first.
            </span>
          )}
        </div>
        {isConfirming && (
          <ConfirmDialog
            open
            onClose={() => setConfirming(false)}
            onConfirm={send}
            title={`Run ${name}?`}
            confirm="Run"
            command={twinText("startRun", { body })}
          >
            <p>Tools that it calls may destroy something: they say so, or say nothing.</p>
            <SentRequest {...requestOf("startRun", { body })} />
          </ConfirmDialog>
        )}
        <SentRequest {...requestOf("startRun", { body })} />
        <CommandTwin command={twinText("startRun", { body }) ?? ""} />
      </div>
      <div aria-live="polite" className="min-w-0">
        {start.isError && <ErrorText error={toolErrorOf(start.error)} />}
        {start.isPending && (
          <p className="text-muted">It runs. You can leave this page: the run goes on, and is under Runs.</p>
        )}
        {start.data !== undefined && !start.isPending && <RunOutcome executed={start.data} />}
        {start.isIdle && <p className="text-muted">What it answers is shown here.</p>}
      </div>
    </div>
  );
}

/** What its calls may do, and what the rules say before they know the arguments. */
function Decision({
  decision,
}: {
  readonly decision: NonNullable<Answer<"getTool">["decision"]>;
}): ReactNode {
  return (
    <span className="flex items-center gap-3">
      <EffectMark effect={decision.effect} />
      <StatusDot state={decision.do} title={decision.rule.name} />
    </span>
  );
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
