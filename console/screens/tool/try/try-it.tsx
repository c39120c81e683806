import { useReducer, useState, useSyncExternalStore, type ReactNode } from "react";
import { useAct } from "../../../api/queries.ts";
import { useMay } from "../../../api/session.ts";
import { useKeys } from "../../../parts/keys.ts";
import { problemsOf } from "../../../parts/schema-form/problems.ts";
import { useUrlSearch } from "../../../parts/url-search.ts";
import type { Search } from "../search.ts";
import { effectOf, type ToolDetails } from "../tool-details.ts";
import {
  changeTrial,
  firstArguments,
  needsConfirmation,
  startTrial,
  type Trial,
  type TrialChange,
  type TrialMode,
} from "../trial.ts";
import { targetOfSignature, type JsonObject } from "../written-call.ts";
import { ConfirmCall } from "./confirm-call.tsx";
import { TrialBar } from "./trial-bar.tsx";
import { TrialEditor } from "./trial-editor.tsx";
import { TrialProblems } from "./trial-problems.tsx";
import { TryAnswers } from "./try-answers.tsx";
import { sendTry, triesOf, watchTries } from "./try-store.ts";

/** A call of the tool by hand: as a form, as JSON or as code, which are always the same arguments. */
export function TryIt({ tool }: { readonly tool: ToolDetails }): ReactNode {
  const { trial, change, target } = useTrial(tool);
  const [isConfirming, setConfirming] = useState(false);
  const [isTold, setTold] = useState(false);
  const { tries, send, isBusy } = useTries(tool.tool);
  const reason = useReason(tool);
  const problems = problemsOf(tool.input_schema, trial.args);
  const isReadable = trial.problem === undefined;

  const sendNow = () => {
    setConfirming(false);
    setTold(false);
    send(trial.args);
  };
  const ask = (isAnyway: boolean = false) => {
    if (reason !== undefined || isBusy || !isReadable) return;
    if (problems.length > 0 && !isAnyway) setTold(true);
    else if (needsConfirmation(effectOf(tool))) setConfirming(true);
    else sendNow();
  };
  useKeys({
    "mod+Enter": { label: "Make the call", group: "This screen", inFields: true, run: () => ask() },
  });

  return (
    <div className="max-w-4xl space-y-4">
      <TrialBar
        tool={tool}
        trial={trial}
        onChange={change}
        onSend={() => ask()}
        isBusy={isBusy}
        reason={reason}
      />
      <TrialProblems trial={trial} problems={isTold ? problems : []} onSendAnyway={() => ask(true)} />
      <TrialEditor tool={tool} trial={trial} onChange={change} onRun={() => ask()} showAll={isTold} />
      <TryAnswers tries={tries} onUse={(args) => change({ change: "args", args })} target={target} />
      <ConfirmCall
        tool={tool}
        args={trial.args}
        open={isConfirming}
        onClose={() => setConfirming(false)}
        onConfirm={sendNow}
      />
    </div>
  );
}

/** The arguments as they are being written; how is in the URL. */
function useTrial(tool: ToolDetails) {
  const [search, changeSearch] = useUrlSearch<Search>();
  const target = targetOfSignature(tool.signature);
  const mode = modeOf(search.as);
  const [trial, dispatch] = useReducer(
    (before: Trial, change: TrialChange) => changeTrial(before, change, target),
    undefined,
    () => startTrial(mode, triesOf(tool.tool)[0]?.args ?? firstArguments(tool.input_schema), target),
  );
  const change = (next: TrialChange) => {
    if (next.change === "mode") changeSearch({ as: next.mode === "form" ? undefined : next.mode });
    dispatch(next);
  };
  return { trial, change, target };
}

function modeOf(as: string | undefined): TrialMode {
  return as === "json" || as === "code" ? as : "form";
}

function useTries(tool: string) {
  const tries = useSyncExternalStore(watchTries, () => triesOf(tool));
  const call = useAct("callTool", { quiet: true });
  const send = (args: JsonObject) =>
    void sendTry(tool, args, (given, requestId) =>
      call.mutateAsync({ params: { tool }, body: { args: given, request_id: requestId } }),
    );
  return { tries, send, isBusy: tries[0]?.state === "under_way" };
}

/** Why it cannot be called from here; undefined where it can. */
function useReason({ kind, held }: ToolDetails): string | undefined {
  const mayCall = useMay("callTool");
  if (kind === "node") return "A built-in node is a step of a workflow, and is not called by itself";
  if (held) return "It is held until a person approves it";
  return mayCall ? undefined : "Needs a session with the scope call";
}
