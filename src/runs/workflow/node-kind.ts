import type { NodeType, ToolDefinition } from "../../core/tool.ts";
import type { FoundTool } from "../prepare/tool-directory.ts";

/** A node type that was found, and who performs it. */
export type NodeKind =
  | { readonly kind: "control"; readonly definition: ToolDefinition }
  | { readonly kind: "built_in"; readonly node: NodeType; readonly definition: ToolDefinition }
  | { readonly kind: "tool"; readonly tool: FoundTool; readonly definition: ToolDefinition };
