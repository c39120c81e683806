/** One request and its answer, as the result of a call: what went wrong is a value, and says whether something may have happened. */
import { systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolAnswer } from "../../core/tool.ts";
import { RefusedUrl } from "../../net/address-policy.ts";
import { AnswerTooLong } from "../../net/answer-limit.ts";
import { BrokenAnswer, type Fetch } from "../../net/http-client.ts";
import { codeOf } from "../../net/http-outcome.ts";
import { cut } from "../../text/cut.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { answerOf } from "./api-answer.ts";
import type { ApiRequest } from "./api-request.ts";
import { RefusedRedirect, sendRequest } from "./send-request.ts";

export interface ExchangeDeps {
  /** The id of the server, for messages. */
  readonly server: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** The other side has seen nothing of the request. */
const UNSENT_CODES =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_\w+|DEPTH_ZERO_\w+|EPROTO)$/;

export async function exchange(
  request: ApiRequest,
  context: CallContext,
  deps: ExchangeDeps,
): Promise<ToolResult<ToolAnswer>> {
  const leftMs = context.deadlineAt === undefined ? Infinity : context.deadlineAt - systemClock.elapsed();
  const isLate = leftMs < deps.timeoutMs;
  const ms = Math.min(deps.timeoutMs, leftMs);
  if (ms <= 0) return fail("TOOL_TIMEOUT", "The deadline of the run was reached before the call was made.");
  const timeout = AbortSignal.timeout(Math.ceil(ms));
  const signal = AbortSignal.any([context.signal, timeout]);
  try {
    return await answerOf(await sendRequest(request, deps.fetch, signal), deps.server);
  } catch (error) {
    const what = `The server ${deps.server}`;
    const sent = happened(request, true);
    if (context.signal.aborted) return fail("CANCELLED", "The call was cancelled.", sent);
    if (!timeout.aborted) return failureOf(error, request, what);
    const message = isLate
      ? "The deadline of the run was reached before the API answered."
      : `${what} did not answer within ${deps.timeoutMs} ms, its timeoutMs.`;
    return fail("TOOL_TIMEOUT", message, sent);
  }
}

function failureOf(error: unknown, request: ApiRequest, what: string): ToolResult<never> {
  if (error instanceof RefusedUrl) return fail("SECURITY_ERROR", `${error.message}.`);
  if (error instanceof RefusedRedirect)
    return fail(
      "SECURITY_ERROR",
      `${what} did not answer itself: ${error.message}.`,
      happened(request, true),
    );
  const cause = error instanceof Error ? error.cause : undefined;
  const said = escapeUnprintable(cut(messageOf(error), 300)).replace(/\.$/, "");
  if (error instanceof BrokenAnswer) {
    const tooLong = cause instanceof AnswerTooLong;
    return fail(
      "TOOL_EXECUTION_FAILED",
      `The answer of ${what.replace(/^T/, "t")} cannot be used: ${said}.`,
      {
        reason: tooLong ? "answer_too_large" : "malformed_answer",
        ...happened(request, true),
        ...(tooLong && { hint: "Ask for less: a page, a range or a filter." }),
      },
    );
  }
  const code = [codeOf(error), codeOf(cause)].find((one) => one !== "unknown error") ?? "";
  const wasSent = !UNSENT_CODES.test(code);
  return fail("TOOL_UNAVAILABLE", `${what} could not be reached: ${said}.`, {
    reason: "unreachable",
    ...happened(request, wasSent),
  });
}

/** Whether it was carried out is not known, so it must not be repeated unchecked. A read changes nothing. */
function happened({ method }: ApiRequest, wasSent: boolean) {
  if (!wasSent || SAFE_METHODS.has(method)) return {};
  return {
    retryable: false,
    mayHaveHappened: true,
    hint: "It may have taken effect. Check before you call again.",
  } as const;
}
