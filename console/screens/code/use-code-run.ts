import { useState, useSyncExternalStore } from "react";
import { useAct, useAsk } from "../../api/queries.ts";
import { useMay } from "../../api/session.ts";
import { lastRun, sessionOf, startCodeRun, watchRun, type CodeRun } from "./code-run.ts";
import { readInputs } from "./run-inputs.ts";

/** Everything that is known of the last run, and what can be done. */
export interface RunControl {
  readonly run: CodeRun | undefined;
  /** Known as soon as the gateway has begun it. */
  readonly runId: string | undefined;
  readonly inputsText: string;
  readonly setInputsText: (text: string) => void;
  readonly intent: string;
  readonly setIntent: (text: string) => void;
  readonly start: () => void;
  readonly cancel: () => void;
  readonly isBusy: boolean;
  readonly isCancelling: boolean;
  /** It was told to stop, and a call is under way. */
  readonly isStopping: boolean;
  readonly mayRun: boolean;
  readonly maySave: boolean;
  /** What can be saved: the gateway's draft of what ran. */
  readonly draft: string | undefined;
}

export function useCodeRun(code: string): RunControl {
  const [inputsText, setInputsText] = useState("{}");
  const [intent, setIntent] = useState("");
  const run = useSyncExternalStore(watchRun, lastRun);
  const begin = useAct("startRun", { quiet: true });
  const stop = useAct("cancelRun");
  const mayRun = useMay("startRun");
  const maySave = useMay("saveDraft");
  const runId = useRunId(run);
  const isBusy = run?.state === "under_way";

  const start = () => {
    const inputs = readInputs(inputsText);
    if (!mayRun || isBusy || code.trim() === "" || !inputs.ok) return;
    const body = { code, inputs: inputs.value, ...(intent.trim() !== "" && { intent: intent.trim() }) };
    void startCodeRun(code, (request_id) => begin.mutateAsync({ body: { ...body, request_id } }));
  };
  return {
    run,
    runId,
    inputsText,
    setInputsText,
    intent,
    setIntent,
    start,
    cancel: () => {
      if (runId !== undefined && !stop.isPending) stop.mutate({ params: { run: runId } });
    },
    isBusy,
    isCancelling: stop.isPending,
    isStopping: isBusy && runId !== undefined && stop.variables?.params.run === runId && !stop.isError,
    mayRun,
    maySave,
    draft: run?.executed?.draft,
  };
}

/** A run under way, or one whose answer was lost, is found by the session that its request named. */
function useRunId(run: CodeRun | undefined): string | undefined {
  const isOpen = run !== undefined && (run.state === "under_way" || run.isLost === true);
  const session = run === undefined ? "" : sessionOf(run);
  const found = useAsk("listRuns", { query: { session, limit: 1 } }, { enabled: isOpen });
  if (run?.executed !== undefined) return run.executed.run_id ?? undefined;
  return isOpen ? found.data?.runs[0]?.run_id : undefined;
}
