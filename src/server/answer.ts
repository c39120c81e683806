/**
 * Every request ends with exactly one answer under its id. A request that fails inside, and an answer that JSON
 * cannot carry, end with an error of JSON-RPC: it says that something failed and under which trace id the log has the
 * cause, and nothing of the cause itself.
 */
import { randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { TRACE_ID_KEY } from "../gateway/answer.ts";
import { INTERNAL_ERROR } from "../core/rpc-codes.ts";
import type { MessageId } from "./message.ts";

/** A JSON-RPC message with a result or an error. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

/** An error of JSON-RPC for what failed inside; `data` has the fields of a tool's error. */
interface Failure {
  readonly code: typeof INTERNAL_ERROR;
  readonly message: string;
  readonly data: {
    readonly code: "TOOL_EXECUTION_FAILED";
    readonly retryable: false;
    readonly mayHaveHappened: true;
    readonly hint: string;
    readonly traceId: string;
  };
}

/** The error of a request that failed inside the gateway; the cause goes to the log. */
export function failureOf(cause: unknown, log: Log): Failure {
  return reportFailure("The gateway failed to handle this request.", cause, log, randomUUID());
}

/** The same as the answer to a request. */
export function failureAnswer(id: MessageId, cause: unknown, log: Log) {
  return { jsonrpc: "2.0", id, error: failureOf(cause, log) } as const;
}

interface EncodedAnswer {
  /** What is sent: the answer that was given, or the error in its place. */
  readonly answer: Answer;
  readonly text: string;
}

/**
 * The text of an answer. It never throws: an answer that nests too deep, refers to itself or holds no JSON becomes an
 * error.
 */
export function encodeAnswer(answer: Answer, log: Log): EncodedAnswer {
  try {
    const told = isTask(answer) ? withoutContent(answer) : answer;
    return { answer: told, text: JSON.stringify(told) };
  } catch (error) {
    const words = "The request was carried out, but its answer cannot be written as JSON.";
    const { jsonrpc, id, result } = answer;
    const failed = { jsonrpc, id, error: reportFailure(words, error, log, traceIdOf(result)) };
    return { answer: failed, text: JSON.stringify(failed) };
  }
}

/** The SDK puts content into every result of a call, and a task has none: its result comes later. */
function isTask({ result }: Answer): boolean {
  return isJsonObject(result) && result["resultType"] === "task";
}

function withoutContent(answer: Answer): Answer {
  const { content: _, ...result } = answer.result as JsonObject;
  return { ...answer, result };
}

function reportFailure(words: string, cause: unknown, log: Log, traceId: string): Failure {
  log.error("server.request.failed", { traceId, error: cause });
  const hint = `It may have taken effect. The log has the cause under traceId ${traceId}.`;
  const data = {
    code: "TOOL_EXECUTION_FAILED",
    retryable: false,
    mayHaveHappened: true,
    hint,
    traceId,
  } as const;
  return { code: INTERNAL_ERROR, message: `${words} ${hint}`, data };
}

/** A result that has a trace id keeps it: the calls below it are logged under it. */
function traceIdOf(result: unknown): string {
  const meta = isJsonObject(result) ? result["_meta"] : undefined;
  const known = isJsonObject(meta) ? meta[TRACE_ID_KEY] : undefined;
  return typeof known === "string" ? known : randomUUID();
}
