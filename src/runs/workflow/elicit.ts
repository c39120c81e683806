/** Asks a person through the client, where the client can. */
import { escapeUnprintable } from "../../text/printable.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { mayDecide } from "../../core/principal.ts";
import type { CallContext } from "../../core/tool.ts";

/**
 * Longer parameters are not asked about through a client: what is not shown cannot be agreed to. The command line shows
 * all.
 */
const DETAILS_SHOWN_MAX = 16_000;

/** `unanswered`: the client cannot ask or may not decide, or the person did not say. */
export type Answer = "approved" | "denied" | "unanswered";

/** A client whose answer would not count is not asked. */
export function canBeAsked({ client, principal }: CallContext): boolean {
  return client?.capabilities["elicitation"] !== undefined && mayDecide(principal);
}

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
