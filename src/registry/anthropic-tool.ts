import type { Component, AnthropicTool, ToolDefinition } from "../core/tool.ts";
import { compareText } from "../text/compare-text.ts";

/**
 * Static and MCP tools by name. A static name excludes an MCP tool that is exposed under it; schemas are the very same
 * objects.
 */
export function toAnthropicTools(
  staticTools: readonly ToolDefinition[],
  components: readonly Component[],
): AnthropicTool[] {
  const taken = new Set(staticTools.map((tool) => tool.name));
  const offered = components.filter((component) => !taken.has(component.name));
  return [
    ...staticTools.map((tool) => convert(tool.name, tool)),
    ...offered.map(({ name, definition }) => convert(name, definition)),
  ].sort((a, b) => compareText(a.name, b.name));
}

function convert(name: string, { description, inputSchema }: ToolDefinition): AnthropicTool {
  return { name, description: description ?? "", input_schema: inputSchema };
}
