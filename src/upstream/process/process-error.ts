type ProcessErrorCode =
  /** The process never ran. */
  | "PROCESS_NOT_STARTED"
  /** It has ended or is being stopped, or it closed its stdin. */
  | "PROCESS_CLOSED"
  /** It does not read what it is sent. */
  | "PROCESS_BLOCKED"
  /** The sender gave up while the message waited for room. */
  | "PROCESS_SEND_ABORTED"
  /** It wrote a line that is longer than the limit. */
  | "PROCESS_LINE_TOO_LONG"
  /** The receiver of a message threw. */
  | "PROCESS_RECEIVER_FAILED";

/** Something about a server's process that stays inside the gateway; `code` decides, the text is for people. */
export class ProcessError extends Error {
  readonly code: ProcessErrorCode;

  constructor(code: ProcessErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ProcessError";
    this.code = code;
  }
}
