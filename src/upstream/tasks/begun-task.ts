/** A call that a server has answered with a task, and what is then asked about that task. */
import type { JsonObject } from "../../core/json.ts";
import type { CallContext } from "../../core/tool.ts";
import type { Session } from "../connection/handshake.ts";
import type { Reply } from "../connection/peer.ts";
import { requestOf } from "../connection/request.ts";

/** Whether a server has answered a call with a task. */
export function beginsTask(method: string, reply: Reply): reply is Extract<Reply, { kind: "result" }> {
  return method === "tools/call" && reply.kind === "result" && reply.result["resultType"] === "task";
}

export const TASK_NOT_WANTED = {
  kind: "unusable",
  reason: "malformed_answer",
  problem: "result.resultType is task, and the request did not say that anyone here knows tasks",
} as const satisfies Reply;

/** The parameters of a request about a task; what the client said with its call was for the call. */
export function taskRequestOf(
  params: JsonObject,
  session: Session,
  { modern, ...context }: CallContext,
  logLevelOf: (context: CallContext) => string | undefined,
): JsonObject {
  const { inputResponses: _answers, serverState: _state, ...asking } = modern ?? { capabilities: {} };
  const asked = modern === undefined ? context : { ...context, modern: asking };
  // The answers of the client are for the task, and not for a round of the call.
  return { ...requestOf(params, session, asked, logLevelOf), ...params };
}
