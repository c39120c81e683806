/**
 * A modern server that needs something from the client (an elicitation, a sample, the roots) does not ask back: it answers
 * `input_required` and wants to be called again with the answers. Here they are fetched from the client and the call is
 * repeated, so that whoever called sees one call with one result.
 */
import type { JsonObject } from "../core/json.ts";
import type { CallContext } from "../core/tool.ts";
import type { Reply } from "./peer.ts";

/** A server that still asks after so many rounds will ask for ever. */
const ROUND_COUNT_MAX = 8;

export async function fulfilInput(
  params: JsonObject,
  context: CallContext,
  send: (params: JsonObject) => Promise<Reply>,
): Promise<Reply> {
  let reply = await send(params);
  for (let round = 0; round < ROUND_COUNT_MAX; round++) {
    if (reply.kind !== "result" || reply.result["resultType"] !== "input_required") return reply;
    const { inputRequests, requestState } = reply.result;
    const answers = await askClient((inputRequests ?? {}) as JsonObject, context);
    if (answers.kind === "error") return answers;
    const retry: JsonObject = { ...params, inputResponses: answers.responses };
    reply = await send(requestState === undefined ? retry : { ...retry, requestState });
  }
  return rpcError(`the server asked for input more than ${ROUND_COUNT_MAX} times`);
}

type Answers = { kind: "answers"; responses: JsonObject } | Extract<Reply, { kind: "error" }>;

async function askClient(requests: JsonObject, context: CallContext): Promise<Answers> {
  const responses: Record<string, JsonObject> = {};
  for (const [key, request] of Object.entries(requests)) {
    const { method, params } = (request ?? {}) as { method?: string; params?: JsonObject };
    if (context.client === undefined || typeof method !== "string") {
      return rpcError(`the server needs ${method ?? "input"}, and there is no client to ask`);
    }
    const answer = await context.client.request(method, params ?? {}, context.signal);
    if (!answer.success) return rpcError(answer.error.message);
    responses[key] = answer.data;
  }
  return { kind: "answers", responses };
}

function rpcError(message: string): Extract<Reply, { kind: "error" }> {
  return { kind: "error", error: { code: -32603, message } };
}
