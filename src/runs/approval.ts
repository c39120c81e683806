/**
 * Asking a person before something is done. The question is on record before anyone is asked: a run that ends here is paused,
 * whether the process lives or not, and the answer may come from anywhere. It counts for exactly what was asked.
 */
import { crashPoint } from "../core/crash-point.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { RunFrame } from "./run-frame.ts";
import { elicitApproval } from "./elicit.ts";
import { approvalRequired } from "./pause.ts";

export interface Question {
  readonly key: string;
  readonly name: string;
  readonly message: string;
  /** What exactly would be done. */
  readonly details: Json;
  /** A no is part of the plan: it stands when the run goes on. */
  readonly isNoHandled: boolean;
}

interface Parts {
  readonly frame: RunFrame;
  readonly clock: { now(): number };
  readonly recordApproval: (runId: string, details: JsonObject) => void;
}

export async function askApproval(
  { frame, clock, recordApproval }: Parts,
  { key, name, message, details, isNoHandled }: Question,
): Promise<ToolResult<Json>> {
  const { journal, seal } = frame;
  const recorded = journal.recorded(key);
  if (recorded?.status === "succeeded") return succeed(recorded.result);
  if (recorded?.status === "failed") return denied(name);
  const args = seal.close({ message, details });
  if (!(await journal.ask({ key, tool: "approve", args }))) return fail("CANCELLED", "The run had ended.");
  crashPoint("approval.asked");
  const answer = await elicitApproval({ ...frame.context, signal: frame.signal }, args);
  if (answer === "unanswered") {
    return frame.signal.aborted
      ? fail("CANCELLED", "The run was cancelled.")
      : approvalRequired(name, message);
  }
  const at = new Date(clock.now()).toISOString();
  const { id } = await frame.begin();
  recordApproval(id, { node: name, answer, by: "client" });
  const result = answer === "approved" ? succeed({ approved: true, by: "client", at }) : denied(name);
  return (await journal.answer(key, result, isNoHandled)) ? result : fail("CANCELLED", "The run had ended.");
}

function denied(name: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", `denied: ${name} was not approved.`, {
    reason: "denied",
    hint: "Nothing of it was done. Ask what should be different before you try again.",
  });
}
