/**
 * Asking a person through a modern client. Such a client is not asked while a call is open: the answer says what is needed, and
 * the client calls again with what the person said. The run stands paused in between, so nothing is held open; the sealed
 * state says which run is meant, and only what this process has asked can be answered.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { JsonObject } from "../core/json.ts";
import type { Principal } from "../core/principal.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, ToolAnswer } from "../core/tool.ts";
import { answerIn, approvalRequest } from "../runs/elicit.ts";
import type { Runs } from "../runs/runs.ts";

const KEY = randomBytes(32);
const REQUEST_ID = "approval";

/** The arguments to go on with: those that came, or that the paused run is to be resumed. */
export async function enterRound(
  runs: Runs,
  args: JsonObject,
  { modern, principal }: CallContext,
): Promise<ToolResult<JsonObject>> {
  const runId = modern?.requestState === undefined ? undefined : unseal(modern.requestState);
  if (runId === undefined) return succeed(args);
  const answer = answerIn(modern?.inputResponses?.[REQUEST_ID]);
  if (answer === "unanswered") return unanswered(runId);
  if (!mayDecide(principal)) {
    return fail("SECURITY_ERROR", "Deciding an approval needs a token with the scope write.", {
      runId,
      hint: `The run waits; somebody who may decides with: repertoire approve ${runId}`,
    });
  }
  const decided = await runs.decide(runId, { isApproved: answer === "approved", by: "client" });
  if (!decided.success) return decided;
  return answer === "approved" ? succeed({ resume: runId }) : denied(runId);
}

/** The question as an answer, where the run waits with one and the client can put it to a person. */
export async function askInAnswer(
  runs: Runs,
  answer: JsonObject,
  { modern, principal }: CallContext,
): Promise<ToolAnswer | undefined> {
  const runId = answer["run_id"];
  const error = answer["error"] as { readonly reason?: string } | null | undefined;
  const canAsk = modern?.capabilities["elicitation"] !== undefined && mayDecide(principal);
  if (!canAsk || error?.reason !== "approval_required" || typeof runId !== "string") return undefined;
  const question = await runs.question(runId);
  if (!question.success) return undefined;
  const params = approvalRequest(question.data.waiting);
  return {
    resultType: "input_required",
    inputRequests: { [REQUEST_ID]: { method: "elicitation/create", params } },
    requestState: seal(question.data.runId),
    content: [],
  };
}

/** Over stdio it is the person at this machine. */
function mayDecide(principal: Principal | undefined): boolean {
  return principal?.permissions.has("write") !== false;
}

function unanswered(runId: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", "approval_required: nobody has answered, and the run waits.", {
    reason: "approval_required",
    runId,
    hint: `Ask again with execute {resume: "${runId}"}, or decide with: repertoire approve ${runId}`,
  });
}

function denied(runId: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", "denied: it was not approved, and the run has ended.", {
    reason: "denied",
    runId,
    hint: "Nothing of it was done. Ask what should be different before you try again.",
  });
}

function seal(runId: string): string {
  return `${runId}.${createHmac("sha256", KEY).update(runId).digest("base64url")}`;
}

function unseal(state: string): string | undefined {
  const [runId = ""] = state.split(".");
  const [given, wanted] = [Buffer.from(state), Buffer.from(seal(runId))];
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? runId : undefined;
}
