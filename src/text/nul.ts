/**
 * NUL (U+0000) in texts that are stored. PostgreSQL keeps it in no text, so it is refused where a text comes in, on every
 * database: what works on one must work on the other. Inside JSON it is escaped and may pass.
 */
import { fail, type ToolResult } from "../core/result.ts";

export function hasNul(text: string): boolean {
  return text.includes("\0");
}

/** Undefined for a text without one. `what` names the text in the message, as in "The code". */
export function refuseNul(text: string, what: string, field?: string): ToolResult<never> | undefined {
  const position = text.indexOf("\0");
  if (position === -1) return undefined;
  const line = text.slice(0, position).split("\n").length;
  const place = line === 1 ? `at character ${position + 1}` : `in line ${line}`;
  return fail(
    "TOOL_INVALID_INPUT",
    `${what} has a NUL character (U+0000) ${place}, which cannot be stored.`,
    {
      reason: "nul_character",
      ...(field !== undefined && { field }),
      hint: String.raw`Leave it out; where code needs the character itself, write it as "\u0000" in a string.`,
    },
  );
}
