/**
 * A run that stops and waits, for a person or for a time. It is no failure, but it is told as one: there is no result
 * yet.
 */
import type { ToolError } from "../../core/errors.ts";
import { fail, type ToolResult } from "../../core/result.ts";

export const APPROVAL_REQUIRED = "approval_required";
const WAITING = "waiting_until";

/** In a hint, the place of the id of the run that a client would resume; `nameRun` puts it in. */
export const THIS_RUN = "{run_id}";

/** An error with the id of the run that it is about, wherever it speaks of it. */
export function nameRun(error: ToolError, runId: string): ToolError {
  return error.hint === undefined ? error : { ...error, hint: error.hint.replaceAll(THIS_RUN, runId) };
}

export function isPause({ reason }: Pick<ToolError, "reason">): boolean {
  return reason === APPROVAL_REQUIRED || reason === WAITING;
}

/**
 * Whether a run was stopped by its time limit. The timer and the clock need not agree to the millisecond, so the
 * timer's own word counts.
 */
export function isTimeUp({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}

/** A client that may not decide is told why it was not asked. */
export function approvalRequired(
  name: string,
  message: string,
  mayDecide: boolean,
): { success: false; error: ToolError } {
  const why = mayDecide ? "" : "This client's token lacks the scope write, so its answer would not count. ";
  return fail("APPROVAL_REQUIRED", `approval_required: ${name} waits for approval: ${message}`, {
    reason: APPROVAL_REQUIRED,
    hint: `${why}A person decides with: repertoire approve ${THIS_RUN}. Then execute {"resume": "${THIS_RUN}"} goes on.`,
  });
}

/** The same for a background run, which goes on by itself. */
export function pausedInBackground(error: ToolError): ToolError {
  if (!isPause(error)) return error;
  const decide =
    error.reason === APPROVAL_REQUIRED ? `A person decides with: repertoire approve ${THIS_RUN}. ` : "";
  return {
    ...error,
    hint: `${decide}Then it goes on by itself; execute {"resume": "${THIS_RUN}"} tells how it went.`,
  };
}

export function waitingUntil(name: string, until: number): ToolResult<never> {
  const when = new Date(until).toISOString();
  return fail("TOOL_EXECUTION_FAILED", `waiting_until: ${name} waits until ${when}.`, {
    reason: WAITING,
    retryable: true,
    hint: `Go on then with execute {"resume": "${THIS_RUN}"}; before ${when} it waits again.`,
  });
}
