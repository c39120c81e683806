import type { ToolResult } from "../core/result.ts";
import type { CallContext, ToolDefinition } from "../core/tool.ts";

/** A tool that code may call. */
export interface FoundTool {
  /** The name under which it is called: `github__create_issue`, `mcp__math__sum`. */
  readonly name: string;
  readonly definition: ToolDefinition;
}

/**
 * Where the names in code lead: `mcp.<namespace>.<tool>` is a server's tool, else a capability. Only the servers that are
 * named are asked. A miss answers at once with the nearest names.
 */
export interface ToolDirectory {
  find(namespace: string, tool: string, context: CallContext): Promise<ToolResult<FoundTool>>;
  /** By the exposed name, as a workflow writes it. */
  findExposed(name: string, context: CallContext): Promise<ToolResult<FoundTool>>;
  /** Whether there is such a namespace, for code that names it without a tool. */
  findNamespace(namespace: string, context: CallContext): Promise<ToolResult<void>>;
}
