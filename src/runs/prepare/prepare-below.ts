import type { ToolError } from "../../core/errors.ts";
import { displayNameOf, parseToolName } from "../../core/names.ts";
import { fail } from "../../core/result.ts";
import type { JsonObject } from "../../core/json.ts";
import type { CallContext } from "../../core/tool.ts";

/** One mistake in what a source starts by name. */
export interface BelowProblem {
  /** With `in`, its message says where in that source the mistake is. */
  readonly error: ToolError;
  /** The source that has to be corrected, as a person names it: `math:sum`, `draft report`. Absent where the name itself is wrong. */
  readonly in?: string;
}

export interface CheckedBelow {
  readonly problems: readonly BelowProblem[];
  /** What a workflow takes, where it could be read. */
  readonly inputSchema?: JsonObject;
}

/**
 * Checks what a source starts by name, and everything below that, before the source runs. `path` is that of the source. Each
 * named source is checked once in a preparation, so its mistakes are told once.
 */
export interface CheckBelow {
  /** What a `workflow` node names: a draft, or something kept. A name that stands for nothing is a problem. */
  checkNamed(name: string, path: readonly string[], context: CallContext): Promise<CheckedBelow>;
  /** A capability that was found under its exposed name. */
  checkTool(tool: string, path: readonly string[], context: CallContext): Promise<CheckedBelow>;
  /** A node, or the tool of a call in code, that a run which goes on has done already: it will not be started again. */
  isDone(label: string): boolean;
}

export function isCapability(tool: string): boolean {
  return parseToolName(tool).kind === "capability";
}

/** A draft, or `math:sum` for `mcp__math__sum`. */
export function titleOf(tool: string): string {
  const parsed = parseToolName(tool);
  return parsed.kind === "capability" ? displayNameOf(parsed) : tool.replace(/^draft:/, "draft ");
}

/** The way from a source back to itself. */
export function cycleError(path: readonly string[], tool: string): ToolError {
  const way = [...path.slice(path.indexOf(tool)), tool].map(titleOf).join(" → ");
  return fail("TOOL_INVALID_INPUT", `A workflow may not call itself: ${way}.`, { reason: "cycle" }).error;
}
