/**
 * A modern server that needs input answers `input_required` with a state of its own, which may stand for anything: a
 * session, an account, a payment under way. The client gets it sealed and bound, so that it comes back from the same
 * client, for the same call, to the same server, once. A question without a state is bound in the same way.
 */
import type { JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext } from "../core/tool.ts";
import type { HeldRequest } from "./held-calls.ts";
import type { SealedStates, StateContent } from "./sealed-state.ts";

/** The result as the client gets it: of one that asks, the state is sealed. */
export async function sealQuestion(
  states: SealedStates,
  result: ToolResult<JsonObject>,
  request: HeldRequest,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  if (!result.success || result.data["resultType"] !== "input_required") return result;
  const server = request.server();
  if (server === undefined)
    return fail("TOOL_UNAVAILABLE", "The server that asks for input is not there any more.");
  const { requestState } = result.data;
  const state = typeof requestState === "string" ? requestState : null;
  const seal = await states.sealer();
  return succeed({ ...result.data, requestState: seal({ kind: "server", server, state }, request, context) });
}

/** The context of a request that goes on with a round of its server. */
export function goOnAtServer(
  { modern, ...context }: CallContext,
  { server, state }: Extract<StateContent, { kind: "server" }>,
): CallContext {
  const serverState = state === null ? { server } : { server, state };
  return { ...context, modern: { ...modern!, serverState } };
}
