/**
 * Asking a person before something is done. The question is on record before anyone is asked: a run that ends here is
 * paused, whether the process lives or not, and the answer may come from anywhere. It counts for exactly what was
 * asked. An answer that comes when the run has ended or was cancelled counts for nothing.
 */
import { crashPoint } from "../../process/crash-point.ts";
import type { Json } from "../../core/json.ts";
import { mayDecide } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { RunContext } from "../run-context.ts";
import { makeDecision, type RecordDeps } from "../resume/decide.ts";
import { elicitApproval } from "./elicit.ts";
import { approvalRequired, isTimeUp } from "./pause.ts";

export interface Question {
  readonly key: string;
  readonly name: string;
  readonly message: string;
  /** What exactly would be done. */
  readonly details: Json;
  /** The workflow handles a no: it stays recorded when the run is resumed. */
  readonly isNoHandled: boolean;
}

interface Deps extends RecordDeps {
  readonly runContext: RunContext;
  readonly clock: { now(): number };
}

export async function askApproval(deps: Deps, question: Question): Promise<ToolResult<Json>> {
  const { runContext, clock } = deps;
  const { key, name, message, details, isNoHandled } = question;
  const { journal, seal, context, signal } = runContext;
  const recorded = journal.recorded(key);
  if (recorded?.status === "succeeded") return succeed(recorded.result);
  if (recorded?.status === "failed") return denied(name);
  const args = seal.close({ message, details });
  if (!(await journal.ask({ key, tool: "approve", args }))) return ended();
  crashPoint("approval.asked");
  const answer = await elicitApproval({ ...context, signal }, args);
  // The time of a run that waits for a person is not used up: the question stays open.
  if (signal.aborted && !isTimeUp(signal)) return fail("CANCELLED", "The run was cancelled.");
  if (signal.aborted || answer === "unanswered")
    return approvalRequired(name, message, mayDecide(context.principal));
  const at = new Date(clock.now()).toISOString();
  const { id: runId } = await runContext.begin();
  let result: ToolResult<Json> = denied(name);
  const given = { isApproved: answer === "approved", principal: context.principal };
  const decided = await makeDecision(deps, { runId, name }, given, ({ isApproved, by }) => {
    if (isApproved) result = succeed({ approved: true, by, at });
    return journal.answer(key, result, isNoHandled);
  });
  return decided.success ? result : ended();
}

function ended(): ToolResult<never> {
  return fail("CANCELLED", "The run had ended.");
}

function denied(name: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", `denied: ${name} was not approved.`, {
    reason: "denied",
    hint: "Nothing of it was done. Ask what should be different before you try again.",
  });
}
