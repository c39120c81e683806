import type { ToastText } from "./toast-store.ts";

interface Executed {
  readonly success: boolean;
  readonly run_id: string | null;
  readonly status?: string | undefined;
  readonly error?: { readonly message: string; readonly hint?: unknown } | undefined;
}

/** What became of a run that was started or resumed here, with a way to it. */
export function executedToast(executed: Executed, open: (runId: string) => void): ToastText {
  const { success, run_id: runId, status, error } = executed;
  const isWaiting = status === "paused";
  return {
    tone: success ? "ok" : isWaiting ? "wait" : "fail",
    title: success ? "The run succeeded" : isWaiting ? "The run waits again" : "The run failed",
    detail: success ? undefined : error?.message,
    ...(runId !== null && { action: { label: "Open the run", run: () => open(runId) } }),
  };
}
