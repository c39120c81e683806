/**
 * A modern server that needs something from the client (an elicitation, a sample, the roots) does not ask back: it answers
 * `input_required` and wants to be called again with the answers. Here they are fetched from the client and the call is
 * repeated, so that whoever called sees one call with one result.
 */
import { refusalOf } from "../../core/askable.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Redactor } from "../../text/redaction.ts";
import type { CallContext } from "../../core/tool.ts";
import { INTERNAL_ERROR } from "../../core/rpc-codes.ts";
import { QUESTION_MS_MAX } from "./call-timer.ts";
import type { Reply } from "./peer.ts";
import { findRequestProblem } from "./server-messages.ts";

/** A server that still asks after so many rounds will ask for ever. */
const ROUND_COUNT_MAX = 8;

export async function fulfilInput(
  params: JsonObject,
  context: CallContext,
  send: (params: JsonObject) => Promise<Reply>,
  mask: Redactor["mask"],
): Promise<Reply> {
  let reply = await send(params);
  const patience = new Patience(context.signal);
  for (let round = 0; round < ROUND_COUNT_MAX; round++) {
    if (!needsInput(reply)) return reply;
    const { inputRequests, requestState } = reply.result;
    const answers = await askClient(mask((inputRequests ?? {}) as JsonObject), context, patience);
    if (answers.kind === "error") return answers;
    const retry: JsonObject = { ...params, inputResponses: answers.responses };
    reply = await send(requestState === undefined ? retry : { ...retry, requestState });
  }
  return rpcError(`the server asked for input more than ${ROUND_COUNT_MAX} times`);
}

/** What a modern server needs from a modern client passes as it is, unless the client cannot be asked for it. */
export async function checkInput(reply: Reply, capabilities: JsonObject): Promise<Reply> {
  if (!needsInput(reply)) return reply;
  for (const request of Object.values((reply.result["inputRequests"] ?? {}) as JsonObject)) {
    const method = methodOf(request);
    const refusal = refusalOf(method, capabilities);
    if (refusal !== undefined) return rpcError(`the server asks for input: ${refusal.message}`);
    const problem = await findRequestProblem(method, paramsOf(request));
    if (problem !== undefined) return unreadable(method, problem);
  }
  return reply;
}

/** A server of the legacy era has no such answer: a client would take it for a result. */
export function refuseInput(reply: Reply): Reply {
  if (!needsInput(reply)) return reply;
  const problem = "result.resultType is input_required, which the server's protocol version does not have";
  return { kind: "unusable", reason: "malformed_answer", problem };
}

function needsInput(reply: Reply): reply is Extract<Reply, { kind: "result" }> {
  return reply.kind === "result" && reply.result["resultType"] === "input_required";
}

type Answers = { kind: "answers"; responses: JsonObject } | Extract<Reply, { kind: "error" }>;

async function askClient(requests: JsonObject, context: CallContext, patience: Patience): Promise<Answers> {
  const responses: Record<string, JsonObject> = {};
  for (const [key, request] of Object.entries(requests)) {
    const method = methodOf(request);
    const { client } = context;
    if (client === undefined) return rpcError(`the server needs ${method}, and there is no client to ask`);
    const refusal = refusalOf(method, client.capabilities);
    if (refusal !== undefined) return rpcError(`the server asks for input: ${refusal.message}`);
    const params = paramsOf(request);
    const problem = await findRequestProblem(method, params);
    if (problem !== undefined) return unreadable(method, problem);
    const answer = await patience.during((signal) => client.request(method, params, signal));
    if (!answer.success) return rpcError(answer.error.message);
    responses[key] = answer.data;
  }
  return { kind: "answers", responses };
}

/** The time that a client has for all questions of one call together. */
class Patience {
  readonly #signal: AbortSignal;
  #leftMs = QUESTION_MS_MAX;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async during<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const limit = AbortSignal.timeout(Math.max(0, Math.ceil(this.#leftMs)));
    try {
      return await ask(AbortSignal.any([this.#signal, limit]));
    } finally {
      this.#leftMs -= performance.now() - startedAt;
    }
  }
}

function methodOf(request: unknown): string {
  const method = isJsonObject(request) ? request["method"] : undefined;
  return typeof method === "string" ? method : "input";
}

function paramsOf(request: unknown): JsonObject {
  return isJsonObject(request) && isJsonObject(request["params"]) ? request["params"] : {};
}

function unreadable(method: string, problem: string): Extract<Reply, { kind: "error" }> {
  return rpcError(`the server asks with ${method} for what no client can read: ${problem}`);
}

function rpcError(message: string): Extract<Reply, { kind: "error" }> {
  return { kind: "error", error: { code: INTERNAL_ERROR, message } };
}
