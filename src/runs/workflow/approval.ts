/**
 * Asking a person before something is done. The question is on record before anyone is asked: a run that ends here is
 * paused, whether the process lives or not, and the answer may come from anywhere. It counts for exactly what was
 * asked. An answer that comes when the run has ended or was cancelled counts for nothing.
 */
import { crashPoint } from "../../process/crash-point.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { takesForms } from "../../core/declared.ts";
import { mayDecide } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { RunContext } from "../run-context.ts";
import { makeDecision, type RecordDeps } from "../resume/decide.ts";
import { approvalRequired, isTimeUp } from "./pause.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import type { CallContext } from "../../core/tool.ts";

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

/**
 * Longer parameters are not asked about through a client: what is not shown cannot be agreed to. The command line shows
 * all.
 */
const DETAILS_SHOWN_MAX = 16_000;

/** `unanswered`: the client cannot ask or may not decide, or the person did not say. */
type Answer = "approved" | "denied" | "unanswered";

/** A client whose answer would not count is not asked. */
export function canBeAsked({ client, principal }: CallContext): boolean {
  return client !== undefined && takesForms(client.capabilities) && mayDecide(principal);
}

/** Asks a person through the client, where the client can. */
export async function elicitApproval(context: CallContext, question: Asked): Promise<Answer> {
  if (!canBeAsked(context) || !canBeShown(question.details)) return "unanswered";
  const answer = await context.client!.request(
    "elicitation/create",
    approvalRequest(question),
    context.signal,
  );
  return answer.success ? answerIn(answer.data) : "unanswered";
}

interface Asked {
  readonly message: string;
  readonly details: Json;
}

/** The parameters of the elicitation. */
export function approvalRequest({ message, details }: Asked): JsonObject {
  return {
    message: `${escapeUnprintable(message)}\n\n${shown(details)}`,
    requestedSchema: {
      type: "object",
      properties: {
        approve: {
          type: "boolean",
          title: "Approve",
          description: "Do exactly this, with exactly these values.",
        },
      },
      required: ["approve"],
    },
  };
}

/** What a person said, as the client brought it. */
export function answerIn(result: Json | undefined): Answer {
  if (!isJsonObject(result)) return "unanswered";
  const { action, content } = result;
  if (action === "decline") return "denied";
  if (action !== "accept" || !isJsonObject(content)) return "unanswered";
  return content["approve"] === true ? "approved" : "denied";
}

/** Whether a client can show all that would be done. */
export function canBeShown(details: Json): boolean {
  return shown(details).length <= DETAILS_SHOWN_MAX;
}

function shown(details: Json): string {
  return escapeUnprintable(JSON.stringify(details));
}
