/** The result of a call, as MCP has it. */
import { ERROR_KEY, tellThrown, type ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { CallContext, ToolAnswer } from "../core/tool.ts";
import { isPause } from "../runs/workflow/pause.ts";

/** The key of the trace id in the `_meta` of every answer. */
export const TRACE_ID_KEY = "repertoire/traceId";

export function withTrace(answer: ToolAnswer, context: CallContext): ToolAnswer {
  return { ...answer, _meta: { ...answer._meta, [TRACE_ID_KEY]: context.traceId } };
}

/** The answer of a meta-tool. */
export function toAnswer(result: ToolResult<JsonObject>): ToolResult<ToolAnswer> {
  if (!result.success) return result;
  const content = [{ type: "text", text: JSON.stringify(result.data) }];
  // A run that failed is told whole, with its logs and calls, and is a failure all the same. One that waits has not.
  const { success, error } = result.data;
  const isError = success === false && !(isJsonObject(error) && isPause(error));
  return { success: true, data: { content, structuredContent: result.data, ...(isError && { isError }) } };
}

/**
 * A failure as a result: as text, which every client shows, and as data in `_meta`. Where the listed `outputSchema`
 * admits it, or there is none, it is the structure as well; elsewhere clients would refuse the whole answer for it,
 * and its words with it.
 */
export function errorAnswer(error: ToolError, fitsSchema: boolean): ToolAnswer {
  const failure = { success: false, error: toldError(error) } as unknown as JsonObject;
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify(failure) }],
    ...(fitsSchema && { structuredContent: failure }),
    _meta: { [ERROR_KEY]: failure["error"]! },
  };
}

/** An error as a client is told it, each thing once: the innermost cause is in the message. */
export function toldError(error: ToolError): ToolError {
  const { cause: _, ...told } = error;
  return told;
}

/** A bug or a broken world: the client learns that it happened and where to look, the log learns what. */
export function unexpected(
  error: unknown,
  tool: string,
  context: CallContext,
  log: Log,
): { success: false; error: ToolError } {
  log.error("gateway.call.failed", { tool, traceId: context.traceId, error });
  return fail("TOOL_EXECUTION_FAILED", tellThrown(error) ?? "The gateway failed to handle this call.", {
    hint: `The log has the cause under traceId ${context.traceId}.`,
  });
}
