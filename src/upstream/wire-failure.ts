import type { ToolError } from "../core/errors.ts";

/** A wire knows what went wrong, and that nothing took effect. What it says goes to whoever called, as it is. */
export class WireFailure extends Error {
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.message);
    this.name = "WireFailure";
    this.error = error;
  }
}
