import type { ToolError } from "../../core/errors.ts";

/** The transport knows what went wrong, and that nothing took effect. The caller gets this error unchanged. */
export class TransportFailure extends Error {
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.message);
    this.name = "TransportFailure";
    this.error = error;
  }
}

/**
 * The server answered one message with something that is no answer of MCP: an error status, a page, text that cannot be
 * read, too much of it. That says nothing about the next message, so the connection stays, and whether it took effect
 * is not known.
 */
export class BadAnswer extends Error {
  /** Whether it may mean that the server no longer knows our session, so that the next call needs a new one. */
  readonly endsSession: boolean;

  constructor(message: string, options: { readonly endsSession: boolean; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = "BadAnswer";
    this.endsSession = options.endsSession;
  }
}
