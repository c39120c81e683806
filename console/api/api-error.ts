import type { ToolError } from "../../src/core/errors.ts";

/** What the gateway refused or could not do. `status` is 0 where no answer came. */
export class ApiError extends Error {
  readonly status: number;
  readonly error: ToolError;

  constructor(status: number, error: ToolError) {
    super(error.message);
    this.name = "ApiError";
    this.status = status;
    this.error = error;
  }

  /** Whether the gateway does not know who looks: the session has ended, or there never was one. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }

  /** Whether there was no answer at all. */
  get isUnreachable(): boolean {
    return this.status === 0;
  }
}

/** Any failure as a `ToolError`, for what shows it. */
export function toolErrorOf(failure: unknown): ToolError {
  if (failure instanceof ApiError) return failure.error;
  const message = failure instanceof Error ? failure.message : String(failure);
  return { code: "TOOL_EXECUTION_FAILED", message, retryable: false };
}

/** The error of an answer's body, whatever else it holds. */
export function errorOfBody(status: number, body: unknown): ToolError {
  const found = isRecord(body) && isRecord(body["error"]) ? body["error"] : body;
  if (isRecord(found) && typeof found["code"] === "string" && typeof found["message"] === "string") {
    return found as unknown as ToolError;
  }
  return {
    code: "TOOL_EXECUTION_FAILED",
    message: `The gateway answered with status ${status} and no explanation.`,
    retryable: status >= 500,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
