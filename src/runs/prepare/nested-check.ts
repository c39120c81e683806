/**
 * The capabilities and drafts that a source starts by name: how they are checked before it runs, and who may run them.
 */
import type { ToolError } from "../../core/errors.ts";
import { displayNameOf, parseToolName } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { JsonObject } from "../../core/json.ts";
import type { CallContext } from "../../core/tool.ts";
import { viewOf } from "../../core/tool-view.ts";

/** One mistake in what a source starts by name. */
export interface NestedProblem {
  /** With `in`, its message says where in that source the mistake is. */
  readonly error: ToolError;
  /**
   * The source that has to be corrected, as a person names it: `math:sum`, `draft report`. Absent where the name itself
   * is wrong.
   */
  readonly in?: string;
}

export interface CheckedNested {
  readonly problems: readonly NestedProblem[];
  /** What a workflow takes, where it could be read. */
  readonly inputSchema?: JsonObject;
}

/**
 * Checks what a source starts by name, and everything below that, before the source runs. `path` is that of the source.
 * Each named source is checked once in a preparation, so its mistakes are told once.
 */
export interface NestedCheck {
  /** What a `workflow` node names: a draft or a capability. An unknown name is a problem. */
  checkNamed(name: string, path: readonly string[], context: CallContext): Promise<CheckedNested>;
  /** A capability that was found under its exposed name. */
  checkTool(tool: string, path: readonly string[], context: CallContext): Promise<CheckedNested>;
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

/**
 * Whether the caller may run the source at the end of the path. Every way to run a capability comes through here: its
 * name, a `workflow` node, and the resume of a run of it, also of another caller's run. So the view of the caller who
 * runs it now counts.
 */
export function checkGranted(path: readonly string[], context: CallContext): ToolResult<void> {
  const view = viewOf(context);
  const own = path.at(-1);
  if (view === undefined || own === undefined || !isCapability(own) || view.allows(own)) {
    return succeed(undefined);
  }
  return fail("TOOL_NOT_FOUND", `Nothing in the library is called ${JSON.stringify(own)}.`, {
    reason: "not_granted",
    hint: "list_library shows what there is.",
  });
}
