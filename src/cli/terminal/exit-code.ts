import { RepertoireError, type ToolError, type ToolErrorCode } from "../../core/errors.ts";
/** What a script can tell from the number alone. */
export const EXIT = {
  ok: 0,
  /** Also: `test` and `diff` found a difference, `validate` and `doctor` a problem. */
  failed: 1,
  /** Bad arguments, bad input, bad config. */
  usage: 2,
  auth: 3,
  /** A server is down, still starting, or took too long. */
  unreachable: 4,
  toolError: 5,
  /** By a policy, as unsafe, or by a person. */
  refused: 6,
  /** A tool, server, run, item of the library, draft or file that was given by name. */
  notFound: 7,
  /** A run is paused: it waits for an approval, a time, or a decision about an uncertain step. */
  waiting: 8,
  interrupted: 130,
  terminated: 143,
} as const;

const BY_TOOL_ERROR: Readonly<Record<ToolErrorCode, number>> = {
  TOOL_NOT_IMPLEMENTED: EXIT.failed,
  TOOL_INVALID_INPUT: EXIT.usage,
  TOOL_UNAVAILABLE: EXIT.unreachable,
  TOOL_EXECUTION_FAILED: EXIT.toolError,
  TOOL_NOT_FOUND: EXIT.notFound,
  TOOL_TIMEOUT: EXIT.unreachable,
  RATE_LIMITED: EXIT.toolError,
  SECURITY_ERROR: EXIT.refused,
  APPROVAL_REQUIRED: EXIT.waiting,
  CANCELLED: EXIT.interrupted,
};

/** Reasons that say more than the code of their error. */
const BY_REASON: ReadonlyMap<string | undefined, number> = new Map([
  ["auth_required", EXIT.auth],
  ["auth_failed", EXIT.auth],
  ["uncertain_step", EXIT.waiting],
  ["approval_required", EXIT.waiting],
  ["waiting_until", EXIT.waiting],
  ["denied", EXIT.refused],
  ["superseded", EXIT.refused],
]);

export function exitCodeOfToolError({ code, reason }: Pick<ToolError, "code" | "reason">): number {
  return BY_REASON.get(reason) ?? BY_TOOL_ERROR[code];
}

export function exitCodeOfThrown(error: unknown): number {
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (!(error instanceof RepertoireError)) return EXIT.failed;
  if (error.code === "HOME_UNSAFE") return EXIT.refused;
  return error.code === "CONFIG_INVALID" || error.code === "JSON_LIMIT" ? EXIT.usage : EXIT.failed;
}

/** The codes of failures that have none of their own, for `--json`. */
const CODES: ReadonlyMap<number, string> = new Map([
  [EXIT.usage, "USAGE"],
  [EXIT.auth, "AUTH"],
  [EXIT.unreachable, "UNREACHABLE"],
  [EXIT.refused, "REFUSED"],
  [EXIT.notFound, "NOT_FOUND"],
  [EXIT.interrupted, "INTERRUPTED"],
]);

export function codeOfExit(exitCode: number): string {
  return CODES.get(exitCode) ?? "FAILED";
}

/** Ctrl-C at a question. The command ends; the message says what was not done. */
export class Interrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Interrupted";
  }
}
