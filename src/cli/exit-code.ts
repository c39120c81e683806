import { RepertoireError, type ToolError, type ToolErrorCode } from "../core/errors.ts";

/** What a script can tell from the number alone. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  auth: 3,
  unreachable: 4,
  toolError: 5,
  refused: 6,
  interrupted: 130,
  terminated: 143,
} as const;

const BY_TOOL_ERROR: Readonly<Record<ToolErrorCode, number>> = {
  TOOL_NOT_IMPLEMENTED: EXIT.failed,
  TOOL_INVALID_INPUT: EXIT.usage,
  TOOL_UNAVAILABLE: EXIT.unreachable,
  TOOL_EXECUTION_FAILED: EXIT.toolError,
  TOOL_NOT_FOUND: EXIT.toolError,
  TOOL_TIMEOUT: EXIT.unreachable,
  RATE_LIMITED: EXIT.toolError,
  SECURITY_ERROR: EXIT.refused,
  CANCELLED: EXIT.interrupted,
};

export function exitCodeOfToolError(code: ToolErrorCode): number {
  return BY_TOOL_ERROR[code];
}

/** Somebody must decide, or has decided against it, or the run goes on elsewhere: nothing is broken, and trying again changes nothing. */
const REFUSALS: ReadonlySet<string | undefined> = new Set([
  "uncertain_step",
  "approval_required",
  "waiting_until",
  "denied",
  "superseded",
]);

/** The same for what a run came to, whose reason says more than its code. */
export function exitCodeOfRunError({ code, reason }: Pick<ToolError, "code" | "reason">): number {
  return REFUSALS.has(reason) ? EXIT.refused : exitCodeOfToolError(code);
}

export function exitCodeOfThrown(error: unknown): number {
  return error instanceof RepertoireError && error.code === "HOME_UNSAFE" ? EXIT.refused : EXIT.failed;
}
