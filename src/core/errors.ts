/**
 * Two families of errors, and nothing decides by the text of either.
 *
 * What a client is told is a `ToolError`: a value with a code on the wire, written for a reader that is often a model.
 * What stays inside is a `RepertoireError`: thrown when the world is broken (a damaged database, an unsafe home folder),
 * caught at the edge (CLI, server start) and shown with its hint.
 */

/** The codes a client can see. Pinned: a new one is a change of the contract. */
export const TOOL_ERROR_CODES = [
  "TOOL_NOT_IMPLEMENTED",
  "TOOL_INVALID_INPUT",
  "TOOL_UNAVAILABLE",
  "TOOL_EXECUTION_FAILED",
  "TOOL_NOT_FOUND",
  "TOOL_TIMEOUT",
  "RATE_LIMITED",
  "SECURITY_ERROR",
  "APPROVAL_REQUIRED",
  "CANCELLED",
] as const;

export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

/** A failure as a client sees it: what happened, and what to do next. */
export interface ToolError {
  readonly code: ToolErrorCode;
  readonly message: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** How long to wait before that, where the other side said so; capped. */
  readonly retryAfterMs?: number;
  /** The next step, in one sentence. */
  readonly hint?: string;
  /** A finer word where the code alone does not say it: `validation_error`, `taken`. */
  readonly reason?: string;
  /** The argument that is wrong, as a path such as `inputs.title`. */
  readonly field?: string;
  /** The JSON-RPC error of an upstream server, untouched, where it answered with one. */
  readonly upstream?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** Names near the one that was not found, best first. */
  readonly nearest?: readonly string[];
  /** Where in the code it is, in the code's own lines; of several, the first. */
  readonly place?: CodePlace;
  /** Of an error that passed through several runs: what failed in the innermost, with its place there. Told only within `message`. */
  readonly cause?: string;
  /** How the tool is called, as TypeScript. */
  readonly signature?: string;
  /** The run that stopped where it failed, and can be resumed. */
  readonly runId?: string;
  /** The tool that it is about, where the caller called something else: code that uses it, say. */
  readonly tool?: string;
  /** The node of a workflow that failed. */
  readonly node?: string;
  /** Everything that is wrong, each with its place and what to do about it. */
  readonly problems?: readonly Readonly<Record<string, string | number | undefined>>[];
  /** The names that have no value. */
  readonly missing?: readonly string[];
  /** The call was sent and no answer came: it may have taken effect, or may still. */
  readonly mayHaveHappened?: true;
}

/** In `_meta` of a failure of the gateway's own: the error as data, whatever the tool's `outputSchema` says of its structure. */
export const ERROR_KEY = "repertoire/error";

/** The error that an answer carries as data, where a gateway made it; a server's own failures are only words. */
export function toolErrorIn(answer: {
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}): ToolError | undefined {
  return [answer.structuredContent?.["error"], answer._meta?.[ERROR_KEY]].find(isToolError);
}

function isToolError(value: unknown): value is ToolError {
  if (typeof value !== "object" || value === null) return false;
  const { code, message, retryable } = value as Readonly<Record<string, unknown>>;
  return typeof code === "string" && typeof message === "string" && typeof retryable === "boolean";
}

/** A place in code, counted from 1, with the text that is there. */
export interface CodePlace {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export type RepertoireErrorCode =
  | "CONFIG_INVALID"
  | "HOME_UNSAFE"
  | "SECRETS_LOCKED"
  | "STORE_BUSY"
  | "STORE_CLOSED"
  | "STORE_DAMAGED"
  | "STORE_FOREIGN"
  | "STORE_FULL"
  | "STORE_GONE"
  | "STORE_NEWER"
  | "STORE_REFUSED"
  | "STORE_UNCERTAIN"
  | "STORE_UNSUPPORTED"
  | "JSON_LIMIT";

/** A broken world: the operation cannot go on, and `hint` says what cures it. */
export class RepertoireError extends Error {
  readonly code: RepertoireErrorCode;
  readonly hint: string | undefined;

  constructor(code: RepertoireErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "RepertoireError";
    this.code = code;
    this.hint = options.hint;
  }
}

/** What a client is told of a broken world: what it means for them, without a path of the machine. */
const TOLD: Readonly<Record<RepertoireErrorCode, string>> = {
  CONFIG_INVALID: "The config of the gateway is not valid.",
  HOME_UNSAFE: "The gateway cannot use its home folder.",
  SECRETS_LOCKED: "The gateway has no key for the secrets that its database holds.",
  STORE_BUSY:
    "The database of the gateway could not be reached, or was locked by another process, for too long.",
  STORE_CLOSED: "The gateway is stopping.",
  STORE_DAMAGED: "The database of the gateway is damaged.",
  STORE_FOREIGN: "The database of the gateway belongs to another program.",
  STORE_FULL: "There is no room on the disk of the gateway.",
  STORE_GONE:
    "The database of the gateway was deleted or replaced: nothing can be saved until the gateway is restarted.",
  STORE_NEWER:
    "A newer version has changed the database of the gateway: nothing can be saved until the gateway is restarted.",
  STORE_REFUSED: "The database refuses the gateway.",
  STORE_UNCERTAIN:
    "The connection to the database was lost while something was written: it may have been saved.",
  STORE_UNSUPPORTED: "The gateway cannot use a database on this machine.",
  JSON_LIMIT: "The JSON is over a limit.",
};

/** What a client is told of something that was thrown; undefined where it is a bug, which is for the log alone. */
export function tellThrown(error: unknown): string | undefined {
  if (!(error instanceof RepertoireError)) return undefined;
  return error.code === "JSON_LIMIT" ? error.message : TOLD[error.code];
}

/** The words of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
