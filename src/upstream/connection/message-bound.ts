/**
 * The one bound for what a server sends: results, errors with their data, notifications, and its own requests,
 * whichever transport they came over. Nothing else sees a message before it has passed here, so what lies behind may
 * walk it, keep it and write it as JSON.
 *
 * - Depth and keys. `JSON.stringify` dies at a few thousand levels, and the store keeps 64: what a message carries
 *   below its envelope (`result`, `error` or `params`) may nest as deep as what is kept, and no deeper. The limit of
 *   keys is that of the store too.
 * - Bytes are counted by the transports, before anything is parsed: 8 MiB for a line or an answer.
 * - Shape, as far as clients check it (`answer-shapes.ts`, `server-messages.ts`).
 * - The entries of lists are bounded one by one where they are admitted: one bad entry costs that entry, not the list.
 */
import {
  DATA_LIMITS,
  findParsedProblem,
  isJsonObject,
  type JsonLimits,
  type JsonObject,
} from "../../core/json.ts";
import { Misfit } from "../../text/fit.ts";
import type { JsonRpcMessage } from "../transport/transport.ts";
import { fitResult, LIST_KEYS } from "./answer-shapes.ts";
import type { Reply, RpcError } from "./peer.ts";
import { INTERNAL_ERROR } from "../../core/rpc-codes.ts";

/** The envelope is one level, and what it carries has those of the store. */
const LIMITS: JsonLimits = { ...DATA_LIMITS, depthMax: DATA_LIMITS.depthMax + 1 };

/** What an answer means for the request that it answers. */
export function readAnswer(method: string, message: JsonRpcMessage): Reply {
  const { result, error } = message;
  // JSON-RPC 1.0 has both fields in every answer, and null in the one that does not count.
  if (error !== undefined && error !== null) return readError(error);
  const excess = findExcess(result, LIST_KEYS[method]);
  if (excess !== undefined) return excess;
  const fitted = fitResult(method, result);
  if (!(fitted instanceof Misfit)) return { kind: "result", result: fitted as JsonObject };
  const problem = result === undefined ? "it has neither result nor error" : `result${fitted.problem}`;
  return { kind: "unusable", reason: "malformed_answer", problem };
}

function readError(error: unknown): Reply {
  return findExcess(error) ?? { kind: "error", error: checkedError(error) };
}

/** Why what a server says unasked is not passed on, where it is not. */
export function findParamsExcess(params: unknown): string | undefined {
  return findParsedProblem(params, LIMITS)?.message;
}

/** `unwalked` is a field that somebody else bounds. */
function findExcess(payload: unknown, unwalked?: string): Extract<Reply, { kind: "unusable" }> | undefined {
  const walked =
    unwalked === undefined || !isJsonObject(payload) ? payload : { ...payload, [unwalked]: null };
  const problem = findParsedProblem(walked, LIMITS);
  if (problem === undefined) return undefined;
  if (problem.kind === "too_deep") {
    const limit = `it nests deeper than ${DATA_LIMITS.depthMax} levels, which is the limit`;
    return { kind: "unusable", reason: "answer_too_deep", problem: limit };
  }
  const limit = `it has more than ${DATA_LIMITS.keyCountMax} keys, which is the limit`;
  return { kind: "unusable", reason: "answer_too_large", problem: limit };
}

/** A failure stays one however badly it is told: only its words are lost. */
function checkedError(error: unknown): RpcError {
  const { code, message, data } = (isJsonObject(error) ? error : { message: error }) as Partial<RpcError>;
  return {
    code: Number.isSafeInteger(code) ? code! : INTERNAL_ERROR,
    message: typeof message === "string" ? message : "the server answered with an error that has no message",
    ...(data === undefined ? {} : { data }),
  };
}
