import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { JsonObject } from "../core/json.ts";
import type { ToolErrorCode } from "../core/errors.ts";
import type { Reply } from "./peer.ts";

/** The JSON-RPC codes that mean something to us; any other is a failure of the server's own. */
const CODES: Readonly<Record<number, ToolErrorCode>> = {
  [-32601]: "TOOL_NOT_FOUND",
  [-32602]: "TOOL_INVALID_INPUT",
};

/** Of a page that came in place of an answer, the beginning is enough. */
const REASON_LENGTH_MAX = 300;

/**
 * What a reply means for whoever called, in the server's own words where it had any. A page that describes an error may show the
 * headers that it was sent, so secrets are taken out of it.
 */
export function resultOf(
  server: string,
  method: string,
  reply: Reply,
  redact: (text: string) => string,
): ToolResult<JsonObject> {
  switch (reply.kind) {
    case "result":
      return succeed(reply.result);
    case "error": {
      const { code, message } = reply.error;
      return fail(CODES[code] ?? "TOOL_EXECUTION_FAILED", message, { upstream: reply.error });
    }
    case "refused":
      return { success: false, error: reply.error };
    case "bad_answer": {
      const reason = redact(reply.reason).slice(0, REASON_LENGTH_MAX);
      return fail(
        "TOOL_EXECUTION_FAILED",
        `The server ${server} gave no proper answer to ${method}: ${reason}`,
        {
          mayHaveHappened: true,
          hint: "It may have taken effect. Look before you call again; other calls of this server are not affected.",
        },
      );
    }
    case "timeout":
      return fail(
        "TOOL_TIMEOUT",
        reply.longestMs === undefined
          ? `The server ${server} did not answer ${method} within ${reply.timeoutMs} ms.`
          : `The server ${server} reported progress and did not answer ${method} within ${reply.longestMs} ms, the longest that a call with its timeoutMs may take.`,
        {
          // Whether it was carried out is not known, so nobody should send it again without thinking.
          retryable: false,
          mayHaveHappened: true,
          hint: "It may still take effect. Look before you call again, or raise timeoutMs of this server.",
        },
      );
    case "cancelled":
      return fail("CANCELLED", "The call was cancelled.", { mayHaveHappened: true });
    case "closed":
      return fail("TOOL_UNAVAILABLE", `The server ${server} went away during ${method}: ${reply.reason}.`, {
        retryable: false,
        mayHaveHappened: true,
        hint: "It may have taken effect. Look before you call again; the next call starts the server anew.",
      });
  }
}
