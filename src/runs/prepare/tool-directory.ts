import type { ToolResult } from "../../core/result.ts";
import type { ToolUse, UsedSource } from "../../core/store.ts";
import type { CallContext, ToolDefinition } from "../../core/tool.ts";

/** A tool that code may call. */
export interface FoundTool {
  /** The name under which it is called: `github__create_issue`, `mcp__math__sum`. */
  readonly name: string;
  readonly definition: ToolDefinition;
  /** Whose tool it is, where that is known. */
  readonly source?: UsedSource;
}

/**
 * The tools that kept code was kept with. A name in it means the source that it meant then: a server of that name that
 * was added since, or another capability, is refused. Versions that recorded no sources are not bound.
 */
export type Bound = readonly Pick<ToolUse, "tool" | "source">[];

/**
 * Where the names in code lead: `mcp.<namespace>.<tool>` is a server's tool, else a capability. Only the servers that
 * are named are asked. A miss answers at once with the nearest names.
 */
export interface ToolDirectory {
  find(namespace: string, tool: string, context: CallContext, bound?: Bound): Promise<ToolResult<FoundTool>>;
  /** By the exposed name, as a workflow writes it. */
  findExposed(name: string, context: CallContext, bound?: Bound): Promise<ToolResult<FoundTool>>;
  /** What a client has called itself: also a tool that only Apps call, and no code may. */
  findCalled(name: string, context: CallContext): Promise<ToolResult<FoundTool>>;
  /** Whether there is such a namespace, for code that names it without a tool. */
  findNamespace(namespace: string, context: CallContext): Promise<ToolResult<void>>;
  /**
   * How code writes the tools that a text is another spelling of: `mcp.notes.list` for `notes__list`. None where it is
   * no tool's.
   */
  respell(text: string, context: CallContext): Promise<readonly string[]>;
}

/** Whether a source is the one that a name meant when the code was kept; what was not recorded may be any. */
export function isMeant(meant: UsedSource | undefined, now: UsedSource | undefined): boolean {
  if (meant === undefined || now === undefined) return true;
  if (meant.kind !== now.kind) return false;
  return meant.id === now.id || meant.id === null || now.id === null;
}
