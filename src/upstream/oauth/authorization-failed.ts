import { messageOf } from "../../core/errors.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { cut } from "../../text/cut.ts";

/** A login failed; the message says why, in the middle of a sentence. */
export class AuthorizationFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AuthorizationFailed";
  }
}

/** Long enough for any sentence; an authorization server may answer with a page. */
const REASON_LENGTH_MAX = 300;

/** The words of what went wrong, which may be those of another server: without tricks, and short. */
export function reasonOf(error: unknown): string {
  const text = escapeUnprintable(messageOf(error));
  return cut(text, REASON_LENGTH_MAX);
}
