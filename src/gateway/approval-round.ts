/**
 * Asking a person through a modern client. Such a client is not asked while a call is open: the answer says what is
 * needed, and the client calls again with what the person said. The run is paused in between, so nothing is held
 * open. The sealed state names the run and the question, so the answer decides exactly what was shown, also after a
 * restart of the gateway.
 */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { takesForms } from "../core/declared.ts";
import { mayDecide } from "../core/principal.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, ToolAnswer } from "../core/tool.ts";
import { answerIn, approvalRequest, canBeShown } from "../runs/workflow/approval.ts";
import type { Runs } from "../runs/runs.ts";
import { checkResumed, type ResumedDeps } from "./meta-tools/run-view.ts";
import {
  CALL_AGAIN,
  refuseState,
  type BoundRequest,
  type SealedStates,
  type StateContent,
} from "./sealed-state.ts";

const REQUEST_ID = "approval";

export interface ApprovalRoundDeps extends ResumedDeps {
  readonly runs: Pick<Runs, "question" | "decide" | "checkResumable">;
  readonly states: SealedStates;
}

/** The arguments to go on with: those that came, or that the paused run is to be resumed. */
export async function enterRound(
  deps: ApprovalRoundDeps,
  args: JsonObject,
  state: StateContent | undefined,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  const { runs } = deps;
  const { modern, principal, view } = context;
  if (state === undefined) return modern?.inputResponses === undefined ? succeed(args) : answersNothing();
  if (state.kind !== "approval") return refuseState("was given for another call", CALL_AGAIN);
  const { runId } = state;
  const answer = answerIn(modern?.inputResponses?.[REQUEST_ID]);
  if (answer === "unanswered") return unanswered(runId);
  const shown = await checkResumed(runId, context, deps);
  if (!shown.success) return shown;
  const resumed = resumeOf(runId, args);
  // In a profile that hides what would be done, it is not offered for decision.
  const usable = view === undefined ? shown : await runs.checkResumable(inputsOf(runId, args), context);
  if (!usable.success) return usable;
  const decided = await runs.decide(state, { isApproved: answer === "approved", principal });
  if (!decided.success) return decided;
  return answer === "approved" ? succeed(resumed) : denied(runId);
}

/** The question as an answer, where the run waits with one and the client can put it to a person. */
export async function askInAnswer(
  { runs, states }: ApprovalRoundDeps,
  answer: JsonObject,
  request: BoundRequest,
  context: CallContext,
): Promise<ToolAnswer | undefined> {
  const { modern, principal } = context;
  const runId = answer["run_id"];
  const error = answer["error"] as { readonly reason?: string } | null | undefined;
  const canAsk = modern !== undefined && takesForms(modern.capabilities) && mayDecide(principal);
  if (!canAsk || error?.reason !== "approval_required" || typeof runId !== "string") return undefined;
  const question = await runs.question(runId);
  if (!question.success) return undefined;
  const { waiting, questionId } = question.data;
  if (!canBeShown(waiting.details)) return undefined;
  const seal = await states.sealer();
  return {
    resultType: "input_required",
    inputRequests: { [REQUEST_ID]: { method: "elicitation/create", params: approvalRequest(waiting) } },
    requestState: seal({ kind: "approval", runId: question.data.runId, questionId }, request, context),
    content: [],
  };
}

/**
 * The rest of the call that was asked about counts for the run that goes on: its inputs, its time, and what it is
 * kept as.
 */
export function resumeOf(runId: string, args: JsonObject): JsonObject {
  const passed = [
    "inputs",
    "timeout_ms",
    ...(args["save_as"] === undefined ? [] : ["save_as", "code", "intent"]),
  ];
  const rest = passed.flatMap((key) => (args[key] === undefined ? [] : [[key, args[key]] as const]));
  return { resume: runId, ...Object.fromEntries(rest) };
}

function inputsOf(runId: string, { inputs }: JsonObject): { runId: string; inputs?: JsonObject } {
  return isJsonObject(inputs) ? { runId, inputs } : { runId };
}

/** Without its state an answer is for no question, and what came with it would run a second time. */
function answersNothing(): ToolResult<never> {
  return refuseState(
    "is missing: inputResponses came without it, so they answer no question",
    "Send the requestState of the answer that asked, or go on with execute {resume: run_id}.",
  );
}

function unanswered(runId: string): ToolResult<never> {
  return fail("APPROVAL_REQUIRED", "approval_required: no person has answered yet, and the run waits.", {
    reason: "approval_required",
    runId,
    hint: `Ask again with execute {resume: "${runId}"}, or decide with: repertoire approve ${runId}`,
  });
}

export function denied(runId: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", "denied: it was not approved, and the run has ended.", {
    reason: "denied",
    runId,
    hint: "Nothing of it was done. Ask what should be different before you try again.",
  });
}
