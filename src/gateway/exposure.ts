/**
 * Which tools `tools/list` shows beside the meta-tools. It is decided for the gateway as a whole, from what is known of the
 * servers and never from who asks, so that every client sees the same list.
 */
import type { ToolDefinition } from "../core/tool.ts";

export type Exposure = "lean" | "full" | "auto";

/**
 * What finding tools by search costs in a typical task: two searches with their answers. A full list that is cheaper than that
 * spares the round trips as well.
 */
export const AUTO_TOKENS_MAX = 5_000;
/** JSON of tool definitions comes to about this many characters a token, in every tokenizer tried. */
const CHARACTERS_A_TOKEN = 4;

/** What the definitions would cost in every conversation. */
export function estimateTokens(tools: readonly ToolDefinition[]): number {
  let characters = 0;
  for (const tool of tools) characters += JSON.stringify(tool).length;
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}

export function chooseExposure(mode: Exposure, tools: () => readonly ToolDefinition[]): "lean" | "full" {
  if (mode !== "auto") return mode;
  return estimateTokens(tools()) <= AUTO_TOKENS_MAX ? "full" : "lean";
}
