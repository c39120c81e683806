import { fail, type ToolResult } from "../../core/result.ts";
import type { ToolErrorCode } from "../../core/errors.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../../core/rpc-codes.ts";
import type { UnusableAnswer } from "../transport/transport.ts";
import { cut } from "../../text/cut.ts";
import type { Reply } from "./peer.ts";

/** The JSON-RPC codes that mean something to us; any other is a failure of the server's own. */
const CODES: Readonly<Record<number, ToolErrorCode>> = {
  [METHOD_NOT_FOUND]: "TOOL_NOT_FOUND",
  [INVALID_PARAMS]: "TOOL_INVALID_INPUT",
};

const RUN_DEADLINE_HINT =
  "Do less in one run, or raise its limit: timeout_ms of execute, --timeout on the command line.";

/** Of a page that came in place of an answer, the beginning is enough. */
const PROBLEM_LENGTH_MAX = 300;

/**
 * What a failed request means for the caller, in the server's own words if it had any. A page that describes an error
 * may show the headers that it was sent, so secrets are taken out of it. `runDeadline` names the limit of the run,
 * where that was nearer than the server's own: then nothing is wrong with the server.
 */
export function failureOf(
  server: string,
  method: string,
  reply: Exclude<Reply, { kind: "result" }>,
  redact: (text: string) => string,
  runDeadline?: string,
): ToolResult<never> {
  switch (reply.kind) {
    case "error": {
      const { code, message } = reply.error;
      return fail(CODES[code] ?? "TOOL_EXECUTION_FAILED", message, { upstream: reply.error });
    }
    case "refused":
      return { success: false, error: reply.error };
    case "unusable":
      return unusable(server, method, {
        ...reply,
        problem: cut(redact(reply.problem), PROBLEM_LENGTH_MAX),
      });
    case "timeout":
      if (runDeadline !== undefined) return reachedRunDeadline(server, method, runDeadline);
      return fail(
        "TOOL_TIMEOUT",
        reply.longestMs === undefined
          ? `The server ${server} did not answer ${method} within ${reply.timeoutMs} ms.`
          : `The server ${server} reported progress and did not answer ${method} within ${reply.longestMs} ms, the longest that a call with its timeoutMs may take.`,
        {
          // The server may have carried it out, so the call must not be repeated blindly.
          retryable: false,
          mayHaveHappened: true,
          hint: "It may still take effect. Check before you call again, or raise timeoutMs of this server.",
        },
      );
    case "cancelled":
      return fail("CANCELLED", "The call was cancelled.", { mayHaveHappened: true });
    case "closed":
      return fail(
        "TOOL_UNAVAILABLE",
        `The connection to the server ${server} was lost during ${method}: ${reply.reason}.`,
        {
          retryable: false,
          mayHaveHappened: true,
          hint: "It may have taken effect. Check before you call again; the next call starts the server again.",
        },
      );
  }
}

function reachedRunDeadline(server: string, method: string, runDeadline: string): ToolResult<never> {
  return fail(
    "TOOL_TIMEOUT",
    `${runDeadline.replace(/^t/, "T")} was reached before the server ${server} answered ${method}.`,
    {
      reason: "run_deadline",
      retryable: false,
      mayHaveHappened: true,
      hint: `It may still take effect: check before you call again. ${RUN_DEADLINE_HINT}`,
    },
  );
}

const NEXT_STEPS: Readonly<Record<UnusableAnswer["reason"], string>> = {
  malformed_answer: "The server has a bug: its answer breaks the protocol.",
  answer_too_large: "Ask for less: a page, a range or a filter.",
  answer_too_deep: "Ask for less, or for a part of it.",
  no_answer: "Report it to the authors of the server; another call may succeed.",
};

/** The server did carry the call out, or began to: only the answer is lost. */
function unusable(server: string, method: string, { reason, problem }: UnusableAnswer): ToolResult<never> {
  const isCall = method === "tools/call";
  const look = "It may have taken effect: check before you call again. ";
  return fail(
    "TOOL_EXECUTION_FAILED",
    `The answer of the server ${server} to ${method} cannot be used: ${problem.replace(/\.$/, "")}.`,
    {
      reason,
      ...(isCall && { mayHaveHappened: true }),
      hint: `${isCall ? look : ""}${NEXT_STEPS[reason]}`,
    },
  );
}
