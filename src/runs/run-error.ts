/** What a client is told about a run that did not return. */
import { TOOL_ERROR_CODES, type CodePlace, type ToolError, type ToolErrorCode } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { escapeUnprintable } from "../text/printable.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { isCapability } from "./prepare/nested-check.ts";
import { placeInSource, type Program } from "../sandbox/analysis/analysis.ts";
import { RESULT_BYTES_MAX, TIMEOUT_MS_MAX } from "../sandbox/runner/limits.ts";
import type { GuestOutcome, Thrown } from "../sandbox/sandbox.ts";
import { cut } from "../text/cut.ts";

export interface RunBounds {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly program: Program;
}

const LINE_SHOWN_MAX = 120;

/** What the sandbox does not have, and what to do instead. */
const HINTS: Readonly<Record<string, string>> = {
  setTimeout: "There are no timers in the sandbox: a run only waits for its tool calls.",
  setInterval: "There are no timers in the sandbox: a run only waits for its tool calls.",
  fetch: "The sandbox has no network: use a tool that fetches.",
  require: "The sandbox has no modules: use the tools under mcp, and standard JavaScript.",
  process: "The sandbox has no process and no environment: pass what the code needs through inputs.",
  Buffer: "Use Uint8Array, with its toBase64, fromBase64 and toHex.",
  atob: "Use Uint8Array.fromBase64.",
  btoa: "Use Uint8Array's toBase64.",
  URL: "The sandbox has standard JavaScript only; take URLs apart with text methods.",
};

export function resultOf(outcome: GuestOutcome, bounds: RunBounds): ToolResult<Json> {
  switch (outcome.kind) {
    case "returned":
      return succeed(outcome.value);
    case "threw":
      return { success: false, error: thrownError(outcome.thrown, bounds) };
    case "timeout":
      return fail("TOOL_TIMEOUT", `The run was stopped at its time limit of ${bounds.timeoutMs} ms.`, {
        reason: "timeout",
        retryable: false,
        hint: `Do less in one run, or set timeout_ms, which may be up to ${TIMEOUT_MS_MAX}.`,
      });
    case "memory":
      return fail("TOOL_EXECUTION_FAILED", `The code used more than its ${bounds.memoryMb} MiB of memory.`, {
        reason: "memory_limit",
        hint: "Work through large data in parts, and keep only what is needed.",
      });
    case "result_limit":
      return fail(
        "TOOL_EXECUTION_FAILED",
        `The result has ${outcome.bytes} bytes as JSON; the limit is ${RESULT_BYTES_MAX}.`,
        { reason: "result_limit", hint: "Return a summary, or only the fields that are needed." },
      );
    case "stuck":
      return fail("TOOL_EXECUTION_FAILED", "The code waits for a promise that nothing will settle.", {
        reason: "stuck",
        hint: "Only tool calls can be waited for. Look for a promise whose resolve is never called.",
      });
    case "cancelled":
      return fail("CANCELLED", "The run was cancelled.");
    case "busy":
      return fail(
        "RATE_LIMITED",
        `The run got no place in the sandbox for as long as it may take. ${outcome.reason ?? ""}`.trimEnd(),
        { reason: "busy", hint: "Nothing has run. Try again in a moment, or run fewer at once." },
      );
    case "crashed":
      return fail(
        "TOOL_EXECUTION_FAILED",
        `The sandbox's process ended: ${escapeUnprintable(outcome.reason)}.`,
        {
          reason: "sandbox_crashed",
        },
      );
  }
}

/** The guest's words are shown as they are, bounded and printable; the place is counted in its own lines. */
function thrownError(thrown: Thrown, bounds: RunBounds): ToolError {
  const place = findPlace(thrown.stack, bounds);
  const name = thrown.name === undefined || thrown.name === "ToolError" ? "" : `${thrown.name}: `;
  const what = escapeUnprintable(`${name}${thrown.message}`);
  const where = place === undefined ? "" : `Line ${place.line}, column ${place.column}: `;
  const hint = thrown.hint ?? hintFor(thrown.message);
  return fail(codeOf(thrown), `${where}${what}`, {
    reason: thrown.reason ?? (thrown.tool === undefined ? "thrown" : "tool_error"),
    ...(thrown.retryable !== undefined && { retryable: thrown.retryable }),
    ...(place !== undefined && { place }),
    ...(isCapability(thrown.tool ?? "") && { cause: what }),
    ...(hint !== undefined && { hint: escapeUnprintable(hint) }),
  }).error;
}

function codeOf({ code }: Thrown): ToolErrorCode {
  return TOOL_ERROR_CODES.find((known) => known === code) ?? "TOOL_EXECUTION_FAILED";
}

/** The engine says `x is not defined`; only the name decides. */
function hintFor(message: string): string | undefined {
  const name = /^'?(\w+)'? is not defined$/.exec(message)?.[1];
  return name !== undefined && Object.hasOwn(HINTS, name) ? HINTS[name] : undefined;
}

function findPlace(stack: string | undefined, { program }: RunBounds): CodePlace | undefined {
  const frame = /\(?code\.ts:(\d+):(\d+)\)?/.exec(stack ?? "");
  if (frame === null) return undefined;
  const place = placeInSource(program, Number(frame[1]), Number(frame[2]));
  if (place === undefined) return undefined;
  // The first line is the wrapper's.
  const text = (program.shown ?? program.checked).split("\n")[place.line] ?? "";
  return { ...place, text: cut(text.trim(), LINE_SHOWN_MAX) };
}

/** A rejection that nothing handled, in one line. */
export function unhandledWarning(thrown: Thrown, bounds: RunBounds): string {
  return `A promise was rejected and nothing handled it: ${thrownError(thrown, bounds).message}`;
}
