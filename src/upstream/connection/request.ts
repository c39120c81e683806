/** A request to a server: what its era wants beside the parameters, and the input that it may ask for. */
import {
  TASKS_EXTENSION,
  askableOf,
  refusalOf,
  withModernExtensions,
  withoutExtension,
} from "../../core/declared.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Redactor } from "../../text/redaction.ts";
import type { CallContext } from "../../core/tool.ts";
import { INTERNAL_ERROR } from "../../core/rpc-codes.ts";
import { QUESTION_MS_MAX } from "./call-timer.ts";
import { CLIENT_CAPABILITIES_KEY, LOG_LEVEL_KEY, type Session } from "./handshake.ts";
import type { Reply } from "./peer.ts";
import { findRequestProblem } from "./server-messages.ts";

/**
 * The parameters with `_meta` of the caller and the session, and what a modern client said. A modern server is told
 * with each request what its caller can do, so that one session serves many clients. It gets its own state back, and
 * never what a client calls a state.
 */
export function requestOf(
  given: JsonObject,
  session: Session,
  context: CallContext,
  logLevelOf: (context: CallContext) => string | undefined,
): JsonObject {
  const { meta, modern, client, trace } = context;
  const params = "requestState" in given || "inputResponses" in given ? withoutRound(given) : given;
  if (session.era === "legacy") {
    return meta === undefined && trace === undefined ? params : { ...params, _meta: { ...meta, ...trace } };
  }
  const level = modern === undefined ? logLevelOf(context) : modern.logLevel;
  const envelope: JsonObject = {
    ...meta,
    ...trace,
    ...session.envelope,
    ...(level === undefined ? {} : { [LOG_LEVEL_KEY]: level }),
  };
  if (modern === undefined) {
    if (client === undefined) return { ...params, _meta: envelope };
    return {
      ...params,
      _meta: { ...envelope, ...declared(withModernExtensions(askableOf(client.capabilities))) },
    };
  }
  const { inputResponses, serverState: { state: requestState } = {} } = modern;
  const capabilities = declaredFor(context, modern.capabilities);
  return {
    ...params,
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
    _meta: { ...envelope, ...declared(capabilities) },
  };
}

function declared(capabilities: JsonObject): JsonObject {
  return { [CLIENT_CAPABILITIES_KEY]: capabilities };
}

/** A modern client says itself which extensions it knows; a task is followed here for one that knows none. */
function declaredFor({ tasks }: CallContext, capabilities: JsonObject): JsonObject {
  const all = withModernExtensions(capabilities);
  return tasks === "declined" ? withoutExtension(all, TASKS_EXTENSION) : all;
}

function withoutRound({
  requestState: _sealed,
  inputResponses: _answers,
  ...params
}: JsonObject): JsonObject {
  return params;
}

/** Whether a modern server wants something of the client before it answers: an elicitation, a sample, the roots. */
export function needsInput(reply: Reply): reply is InputRequired {
  return reply.kind === "result" && reply.result["resultType"] === "input_required";
}

/**
 * What becomes of a request whose answer is `input_required`: the server wants to be called again with the answers. A
 * modern client answers itself; for any other caller the answers are fetched here and the request is repeated, so that
 * the caller sees one request with one result.
 */
export async function giveInput(
  reply: InputRequired,
  params: JsonObject,
  session: Session,
  context: CallContext,
  send: (params: JsonObject) => Promise<Reply>,
  mask: Redactor["mask"] = (value) => value,
): Promise<Reply> {
  if (session.era === "legacy") return NOT_IN_THIS_ERA;
  const { modern } = context;
  return modern === undefined
    ? fulfilInput(reply, params, context, send, mask)
    : checkInput(reply, modern.capabilities);
}

/** A client of the legacy era would take it for a result. */
const NOT_IN_THIS_ERA: Reply = {
  kind: "unusable",
  reason: "malformed_answer",
  problem: "result.resultType is input_required, which the server's protocol version does not have",
};

type InputRequired = Extract<Reply, { kind: "result" }>;

/** A server that still asks after so many rounds will ask for ever. */
export const ROUND_COUNT_MAX = 8;

async function fulfilInput(
  first: InputRequired,
  params: JsonObject,
  context: CallContext,
  send: (params: JsonObject) => Promise<Reply>,
  mask: Redactor["mask"],
): Promise<Reply> {
  let reply: Reply = first;
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
export async function checkInput(reply: InputRequired, capabilities: JsonObject): Promise<Reply> {
  for (const request of Object.values((reply.result["inputRequests"] ?? {}) as JsonObject)) {
    const method = methodOf(request);
    const refusal = refusalOf(method, capabilities);
    if (refusal !== undefined) return rpcError(`the server asks for input: ${refusal.message}`);
    const problem = await findRequestProblem(method, paramsOf(request));
    if (problem !== undefined) return unreadable(method, problem);
  }
  return reply;
}

export type Answers = { kind: "answers"; responses: JsonObject } | Extract<Reply, { kind: "error" }>;

/** Asks the client of a call what a server wants to know, one after the other. */
export async function askClient(
  requests: JsonObject,
  context: CallContext,
  patience: Patience,
): Promise<Answers> {
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
export class Patience {
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

export function rpcError(message: string): Extract<Reply, { kind: "error" }> {
  return { kind: "error", error: { code: INTERNAL_ERROR, message } };
}
