import { messageOf, type ToolError, type ToolErrorCode } from "./errors.ts";

/** What every function of the tool layer returns; none of them throws. */
export type ToolResult<T> = { success: true; data: T } | { success: false; error: ToolError };

export function succeed<T>(data: T): ToolResult<T> {
  return { success: true, data };
}

/** Whether the same call may work later is a property of the code, unless the caller knows better. */
const RETRYABLE: Readonly<Record<ToolErrorCode, boolean>> = {
  TOOL_NOT_IMPLEMENTED: false,
  TOOL_INVALID_INPUT: false,
  TOOL_UNAVAILABLE: true,
  TOOL_EXECUTION_FAILED: false,
  TOOL_NOT_FOUND: false,
  TOOL_TIMEOUT: true,
  RATE_LIMITED: true,
  SECURITY_ERROR: false,
  APPROVAL_REQUIRED: false,
  CANCELLED: false,
};

export function fail(
  code: ToolErrorCode,
  message: string,
  details: Partial<Omit<ToolError, "code" | "message">> = {},
): { success: false; error: ToolError } {
  return { success: false, error: { code, message, retryable: RETRYABLE[code], ...details } };
}

/** Does work that must not throw; if it does anyway, that is a failed result. */
export async function attempt<T>(work: () => Promise<ToolResult<T>>): Promise<ToolResult<T>> {
  try {
    return await work();
  } catch (error) {
    return fail("TOOL_EXECUTION_FAILED", messageOf(error));
  }
}
